"""Drawings of the console: SVG that Python writes."""
