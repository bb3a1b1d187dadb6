"""Drawings of graphs; matplotlib is imported only when something is drawn."""
