"""Identities of our answers: what ties a stored row to the code that computed it.

A row is out of date when the package would answer differently, not when its source was edited or moved. So
each of our tasks carries the identity of the reference answers (`answers.py`): the version at which one of
them last changed, and a digest. A release that answers as before leaves it as it is.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources


def our_version() -> str:
    """The version in the tasks of our own methods."""
    return _identities()["answers"]


def starts_version() -> str:
    """The version in the tasks of the random-starts study, whose solver is compiled for it alone."""
    return _identities()["starts"]


def examples_version() -> str:
    """The version in the tasks of the paper's examples, which are computed from its formulas."""
    return _identities()["examples"]


@cache
def _identities() -> dict[str, str]:
    text = resources.files("sparsest_bench").joinpath("identity.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found
