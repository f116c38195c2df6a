"""
A small pure language for what a place is worth: numbers, names, arithmetic, a few functions.

One expression without loops, variables or side effects, counted in decimals, within stated
limits.  :func:`parse` refuses what is no expression, :func:`evaluate` gives a number or says
why there is none; nothing else can happen.  Guide: ``docs/guides/points.md``.

Source: rulebook ``points.formula``.
"""

from engine.season.expression.evaluation import NoValue, evaluate
from engine.season.expression.limits import LANGUAGE
from engine.season.expression.nodes import Expression, names_in
from engine.season.expression.parsing import FormulaInvalid, parse

__all__ = ["LANGUAGE", "Expression", "FormulaInvalid", "NoValue", "evaluate", "names_in", "parse"]
