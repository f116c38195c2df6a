"""
The money of a tournament: what is owed, pooled, won and given back.

Minor units of one currency; it never mixes with chips.
"""
