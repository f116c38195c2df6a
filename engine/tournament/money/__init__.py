"""
The money of a tournament: charges, the prize pool, prizes and refunds.

Amounts are in minor units of one currency and never mix with chips.
"""
