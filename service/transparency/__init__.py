"""The log as evidence: a tree over a league's positions, and the signed heads of it."""
