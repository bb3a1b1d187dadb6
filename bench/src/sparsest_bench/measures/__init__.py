"""Measurements that are not methods × designs × seeds: start-up times, invariance, fuzzing and the like.

A measurement is one module with

- `SETTINGS`: what an experiment's file may say about it, and what each value may be;
- `plan(settings)`: the specs of its tasks, in plain values;
- `run(spec)`: what one task measured, one row or several as `{"rows": [...]}`;
- `table(rows)`: the Markdown table of all rows;
- `NEEDS`, optionally: the peers' methods that it asks, so that `--install` can make their environments.

Its tasks are run, stored and published like those of any experiment: `sparsest bench
bench/measurements/invariance.toml`.
"""
