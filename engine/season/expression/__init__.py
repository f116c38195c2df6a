"""
A small pure language for points: numbers, names, arithmetic and a few functions.

A formula is one expression without loops, variables or side effects, within stated limits.
It is evaluated in decimal numbers. :func:`parse` refuses a text that is not an expression.
:func:`evaluate` returns a number or raises the reason why the formula has none.

Guide: ``docs/guides/points.md``.

Source: rulebook ``points.formula``.
"""

from engine.season.expression.evaluation import NoValue, evaluate
from engine.season.expression.limits import LANGUAGE
from engine.season.expression.nodes import Expression, names_in
from engine.season.expression.parsing import FormulaInvalid, parse

__all__ = ["LANGUAGE", "Expression", "FormulaInvalid", "NoValue", "evaluate", "names_in", "parse"]
