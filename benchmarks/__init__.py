"""Benchmarks: our methods and their peers on the same data. Not part of the installed package."""
