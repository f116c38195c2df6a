"""The number of minor units of each currency, for code that counts money in minor units."""

DIGITS_USUAL = 2

_OTHERS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_DIGITS = {code: digits for digits, codes in _OTHERS.items() for code in codes.split()}


def fraction_digits(currency: str | None) -> int:
    """
    Return the fraction digits of *currency* by ISO 4217, or 2 if it is not listed.

    >>> fraction_digits("EUR"), fraction_digits("JPY"), fraction_digits("KWD")
    (2, 0, 3)
    """
    return DIGITS_USUAL if currency is None else _DIGITS.get(currency, DIGITS_USUAL)
