"""A saved result is the result; whatever else is in a file is refused in one line."""

import copy
import dataclasses
import io
import json
import math
import os
import pickle
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparsest as sp
from sparsest._core.progress import Status
from sparsest.export.archive import FORMAT
from sparsest.graph.types import Graph
from tests.export.results import GARDEN, make
from tests.test_fit import simulated


def same(a, b):
    """Equal to the last bit, in type and value, all the way down; NaN is NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, Graph):
        return a == b
    if dataclasses.is_dataclass(a):
        return all(same(getattr(a, each.name), getattr(b, each.name)) for each in dataclasses.fields(a))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


def stored(result, path="kept.sparsest"):
    result.save(path)
    return sp.load(path)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


LEARNED = sp.fit(simulated(2, p=5, k=2).data)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
ANY_NAME = st.text(min_size=1, max_size=20).filter(lambda name: name.strip())


@given(
    numbers=st.lists(NUMBERS, min_size=5, max_size=5),
    weights=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=25, max_size=25),
    variances=st.lists(st.floats(0) | st.just(math.nan), min_size=5, max_size=5),
    n=st.one_of(st.integers(2, 10**12), st.floats(2, 1e6), st.just(math.inf)),
    names=st.lists(ANY_NAME, min_size=5, max_size=5, unique=True),
    words=st.lists(st.text(), max_size=3),
    status=st.sampled_from(Status),
    settings_=st.dictionaries(
        st.text(), st.one_of(st.none(), st.booleans(), st.integers(), NUMBERS, st.text())
    ),
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_round_trip_is_exact(numbers, weights, variances, n, names, words, status, settings_):
    result = make(np.triu(np.ones((5, 5)), 1), names, n=n, status=status, warnings=words, h=numbers[0])
    result = dataclasses.replace(
        result,
        weights=np.triu(np.resize(weights, (5, 5)), 1),
        noise_variances=np.where(np.isinf(variances), 0, variances),
        objective=0.0 if math.isnan(numbers[1]) else numbers[1],
        seconds=variances[2] if variances[2] >= 0 else 0.0,
        settings=settings_,
    )
    assert same(stored(result), result)


@pytest.mark.parametrize("solver", ["auto", "order", "ges", "dagma"])
def test_learned_results_come_back_whole_and_still_answer(solver):
    result = sp.fit(simulated(3, p=6).data, solver=solver)
    again = stored(result)
    assert again.summary() == result.summary()
    assert again.methods() == result.methods()
    assert str(again.explain(0, 1)) == str(result.explain(0, 1))
    assert again.to_dict() == result.to_dict()
    for each in dataclasses.fields(result):
        if each.name not in ("fitted", "inquiry"):
            assert same(getattr(again, each.name), getattr(result, each.name)), each.name
    rows = simulated(4, p=6).data
    assert np.array_equal(again.log_likelihood(rows), result.log_likelihood(rows))


def test_results_of_other_models_and_with_knowledge_come_back():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=300), "c": rng.poisson(2, 300)})
    mixed = sp.fit(frame)
    assert np.array_equal(stored(mixed).log_likelihood(frame), mixed.log_likelihood(frame))
    assert (stored(mixed).model, stored(mixed).cpdag) == (mixed.model, mixed.cpdag)
    b = rng.normal(size=300)
    known = sp.fit(np.column_stack([b, b + rng.normal(size=300)]), knowledge=sp.Knowledge(required=[(1, 0)]))
    assert stored(known).cpdag == known.cpdag
    assert stored(known).cpdag.kind == "mpdag"


def test_pickle_and_deepcopy_work_as_well():
    for copied in (pickle.loads(pickle.dumps(LEARNED)), copy.deepcopy(LEARNED)):
        assert copied.summary() == LEARNED.summary()
        assert np.array_equal(copied.moments.covariance, LEARNED.moments.covariance)


def test_the_same_result_is_the_same_file():
    LEARNED.save("one")
    LEARNED.save("two")
    with open("one", "rb") as one, open("two", "rb") as two:
        assert one.read() == two.read()


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    GARDEN.save("kept.sparsest")
    broken = dataclasses.replace(GARDEN, settings={"solver": object()})
    with pytest.raises(sp.OptionError, match="cannot save a object"):
        broken.save("kept.sparsest")
    assert same(sp.load("kept.sparsest"), GARDEN)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.sparsest"]


def test_where_nothing_can_be_written_it_says_so(tmp_path):
    with pytest.raises(sp.OptionError, match="there is no folder 'absent'"):
        GARDEN.save("absent/kept.sparsest")
    (tmp_path / "folder").mkdir()
    with pytest.raises(sp.OptionError, match="cannot write 'folder'"):
        GARDEN.save("folder")
    with pytest.raises(sp.OptionError, match="there is no folder 'absent'"):
        GARDEN.plot("absent/graph.png")


def refused(content):
    with open("broken.sparsest", "wb") as file:
        file.write(content)
    with pytest.raises(sp.DataError) as caught:
        sp.load("broken.sparsest")
    assert len(str(caught.value).splitlines()) == 1
    assert "'broken.sparsest'" in str(caught.value)
    return str(caught.value)


def bytes_of(result):
    result.save("whole.sparsest")
    with open("whole.sparsest", "rb") as file:
        return file.read()


def test_every_truncation_is_refused():
    whole = bytes_of(GARDEN)
    for size in range(0, len(whole), 31):
        assert "cut short" in refused(whole[:size])
    refused(whole[:-1])


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_refused_or_harmlessly_damaged(data):
    content = bytearray(bytes_of(GARDEN))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with open("damaged.sparsest", "wb") as file:
        file.write(content)
    try:
        result = sp.load("damaged.sparsest")
    except sp.DataError as error:
        words = str(error)
    else:
        words = "fine"
        assert same(result, GARDEN)  # checksums cover all that matters; dates and flags do not
    assert len(words.splitlines()) == 1


def edited(change):
    """The archive with its tree changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bytes_of(GARDEN))) as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "result.json":
                tree = json.loads(content)
                change(tree)
                content = json.dumps(tree).encode()
            target.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(("path", "value", "words"), [
    (["version"], 2, "newer format; update sparsest"),
    (["version"], "1", "no version '1'"),
    (["version"], -7, "no version -7"),
    (["version"], True, "no version True"),
    (["format"], "sparsest-result", FORMAT),
    (["result"], 3, "no result"),
    (["result", "$made"], "Oracle", "holds a 'Oracle'.*update sparsest"),
    (["result", "from", "aura"], 1, "its Result has 'aura'.*update sparsest"),
    (["result", "from", "weights", "$array"], "99.npy", "99.npy"),
    (["result", "from", "status", "from", "value"], "sleepy", "sleepy"),
    (["result", "from", "dag", "from", "names"], ["a"], "names"),
    (["result", "from", "dag"], {}, "damaged"),
    (["result", "from"], [], "damaged"),
])  # fmt: skip
def test_trees_that_mean_nothing_or_come_from_the_future_are_refused(path, value, words):
    def change(tree):
        for key in path[:-1]:
            tree = tree[key]
        tree[path[-1]] = value

    assert re.search(words, refused(edited(change)))


def test_other_files_are_refused(tmp_path):
    assert "not a saved result" in refused(b"")
    assert "not a saved result" in refused(pickle.dumps(GARDEN))
    assert "not a saved result" in refused(b"a,b\n1,2\n")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "not a saved result" in refused(buffer.getvalue())
    with pytest.raises(sp.DataError, match=r"no file 'absent\.sparsest'"):
        sp.load("absent.sparsest")
    with pytest.raises(sp.DataError, match="a folder, not a file"):
        sp.load(tmp_path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything may be read")
def test_a_file_that_may_not_be_read_is_refused():
    GARDEN.save("secret.sparsest")
    os.chmod("secret.sparsest", 0)
    with pytest.raises(sp.DataError, match="cannot read"):
        sp.load("secret.sparsest")


def test_nothing_in_a_file_is_run():
    class Bomb:
        def __reduce__(self):
            return (print, ("boom",))

    def change(tree):
        tree["result"]["from"]["weights"] = {"$array": "bomb.npy"}

    content = io.BytesIO(edited(change))
    array = io.BytesIO()
    np.save(array, np.array([Bomb()], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr("bomb.npy", array.getvalue())
    assert "allow_pickle" in refused(content.getvalue())
