"""Lies here so that tests can import the oracles beside it."""
