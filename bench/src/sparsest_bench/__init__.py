"""Experiments against peers: described in TOML, run in processes of their own, kept in a store.

experiment (a TOML file) -> tasks -> runner -> store (SQLite) -> tables, figures, a page

- `experiment.py` reads and checks a file; `catalog.py` knows those that ship with the package.
- Three kinds of tasks: `grid.py` (designs × seeds × methods), `starts.py` (random starts on small graphs) and
  `examples.py` (small computations with an answer in numbers).
- `runner.py` runs what the store does not hold yet; `store.py` keeps every finished task at once.
- `methods.py` knows methods and the environments of peers; `process.py` and `serve.py` are the two ends of
  the pipe to the process that runs a method; `judge.py` is the one place where answers are judged.
- `tables.py`, `figures.py` and `page.py` tell the story, from the store alone.

A peer is one small file in `peers/`.
"""
