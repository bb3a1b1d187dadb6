"""Experiments with sparsest and its peers.

experiment (a TOML file) -> tasks -> runner -> store (SQLite) -> rows, tables, figures, pages

- `experiment.py` reads and checks a file; `catalog.py` lists those of `sparsest reproduce`.
- Four kinds of tasks: `grid.py` (designs × seeds × methods), `starts.py` (random starts on small graphs),
  `examples.py` (small computations of the paper) and `measures/` (everything else that is measured).
- `runner.py` runs what the store does not hold yet; `result_store.py` keeps every finished task at once.
- `contenders.py` knows the methods and `peer_homes.py` the environments of peers; `process.py` and `serve.py`
  are the two ends of the pipe to the process that runs a method; `judge.py` evaluates all answers.
- `tables.py`, `paired.py`, `figures.py` and `page.py` present results, from the store alone;
  `published_rows.py` writes and reads them as files, `doc_tables.py` puts them into README and docs.
- `answers.py` compares our answers with the reference, whose `identity.py` decides which rows are current.

A peer is one small file in `peers/`, a measurement one in `measures/`.
"""
