"""One small file a peer: what to install, which methods it offers, and how to call it.

- `REQUIREMENTS`: installed one after the other into an environment of the peer's own; None is our own Python.
- `METHODS`: names of methods and the options of each.
- `fit(arrays, **options)`: a kind ("dag", "cpdag", "pdag") and the matrix of a graph, whose [i, j] is i -> j.
  `arrays["X"]` is the table, one row a sample.

A peer's file runs in the peer's own Python: it imports numpy, its package inside `fit`, and nothing else.
"""
