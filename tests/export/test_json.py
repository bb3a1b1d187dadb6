import json
import math

import numpy as np
import pytest

from sparsest.export.json import to_dict, write_json
from tests.export.results import GARDEN, NAMES, WEIGHTS, make


def strict(text):
    """JSON as its standard has it: NaN and Infinity are errors."""

    def refuse(constant):
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


def test_the_file_is_strict_json_and_says_what_the_dictionary_says(tmp_path):
    write_json(GARDEN, tmp_path / "result.json")
    assert strict((tmp_path / "result.json").read_text(encoding="utf-8")) == to_dict(GARDEN)
    assert GARDEN.to_dict() == to_dict(GARDEN)


def test_the_format_is_named_and_versioned():
    exported = to_dict(GARDEN)
    assert (exported["format"], exported["version"]) == ("sparsest-result", 1)


def test_the_graphs_can_be_rebuilt_from_the_edges():
    exported = to_dict(GARDEN)
    place = {name: k for k, name in enumerate(exported["names"])}
    weights, marks = np.zeros((5, 5)), np.zeros((5, 5), dtype=int)
    for edge in exported["dag"]:
        weights[place[edge["source"]], place[edge["target"]]] = edge["weight"]
    for edge in exported["cpdag"]:
        i, j = place[edge["source"]], place[edge["target"]]
        marks[i, j] = 1
        marks[j, i] = edge["mark"] == "--"
    assert np.array_equal(weights, WEIGHTS)
    assert np.array_equal(marks, GARDEN.cpdag.to_numpy())
    assert {edge["mark"] for edge in exported["cpdag"]} == {"->", "--"}


def test_numbers_are_kept_in_full():
    exported = to_dict(GARDEN)
    for name in ("objective", "nll", "cost", "seconds"):
        assert exported[name] == getattr(GARDEN, name)
    assert exported["noise_variances"] == [1.0] * 5
    assert exported["n"] == 1000
    assert (exported["solver"], exported["status"]) == ("exact", "optimal")
    (stage,) = exported["evidence"]["stages"]
    assert stage == {"name": "exact search", "objective": -1.2, "steps": 16, "seconds": 0.01}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_have_are_null(tmp_path, number):
    write_json(make(WEIGHTS, NAMES, n=math.inf, h=number), tmp_path / "result.json")
    exported = strict((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert exported["n"] is None
    assert exported["evidence"]["h"] is None
    assert exported["evidence"]["violation"] is None


def test_names_survive_whatever_they_are(tmp_path):
    names = ["Löhne", "价格", 'a "b", c', "two\nlines", "->"]
    write_json(make(WEIGHTS, names), tmp_path / "result.json")
    assert strict((tmp_path / "result.json").read_text(encoding="utf-8"))["names"] == names
