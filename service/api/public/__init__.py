"""Reads for everybody, without a token: leagues that are public or shared by a link."""
