"""``holotable signer``: the process that signs tree heads, and a file for each key command."""
