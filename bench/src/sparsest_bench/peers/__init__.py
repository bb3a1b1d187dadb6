"""Peers, one small file each: what to install, which methods it offers, and how to call them.

- `REQUIREMENTS`: installed one after the other into the peer's own environment; None is our own Python.
- `METHODS`: names of methods and the options of each.
- `fit(arrays, **options)`: a kind ("dag", "cpdag", "pdag") and the matrix of a graph, whose [i, j] is i -> j.
  `arrays["X"]` is the table, one row per observation.
- `LINE_STYLES`: colour, marker and line of each method in figures. Related methods share a hue: ours blue,
  least squares orange, constraint-based and order searches green, null methods grey.
- `NOT_RIVALS` (optional): methods with which the index does not compare sparsest, such as sparsest itself.

A peer's file runs in the peer's own Python: it imports numpy, its package inside `fit`, and nothing else.
"""
