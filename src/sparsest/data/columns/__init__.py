"""Columns: what they measure, their values as numbers, and the table they make up."""
