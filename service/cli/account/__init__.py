"""``holotable account``: the accounts of people, with one file for each command."""
