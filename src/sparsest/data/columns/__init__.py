"""One column: what it measures, and its values as numbers."""
