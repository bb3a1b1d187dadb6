from dataclasses import fields

import pytest

import sparsest as sp
from sparsest.simulate.designs import Design
from sparsest.simulate.factors import FACTORS
from sparsest_bench import catalog, grid, runner
from sparsest_bench.contenders import known_contenders
from sparsest_bench.experiment import SCALES, parse_experiment, read_experiment
from sparsest_bench.peer_homes import Home
from sparsest_bench.result_store import ResultStore

GOOD = """\
title = "A small grid"
kind = "grid"
figure = "lines"

[grid]
graphs = ["ER2"]
p = [5, 10]
methods = ["auto", "empty"]

[grid.largest]
auto = 5

[scale.smoke]
p = [4]
seeds = 2
"""


def parse(text, scale="paper"):
    return parse_experiment(text, "mine.toml", "mine", scale)


def test_a_scale_changes_what_it_names_and_nothing_else():
    paper, smoke, small = (parse(GOOD, scale).settings for scale in ("paper", "smoke", "small"))
    assert paper["p"] == small["p"] == [5, 10]
    assert (smoke["p"], smoke["seeds"]) == ([4], 2)
    assert smoke["graphs"] == paper["graphs"]
    assert paper["seeds"] == 10


def test_a_method_may_be_run_on_one_kind_of_data_only():
    text = GOOD.replace("[grid.largest]\nauto = 5", '[grid.only]\nauto = "raw"').replace(
        "p = [5, 10]", 'p = [5]\ndata = ["raw", "standardised"]'
    )
    experiment = parse(text)
    homes = {method.peer: Home("", "1") for method in grid.methods_of(experiment)}
    planned = {(task.spec["method"], task.spec.get("data", "raw")) for task in grid.plan(experiment, homes)}
    assert planned == {("auto", "raw"), ("empty", "raw"), ("empty", "standardised")}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "p = [5, 10]",
            "p = [5, 0.5]",
            r"line 7: 'p' must be a list, and 0.5 in it .* integer of at least 2",
        ),
        ('"ER2"', '"EX2"', r"line 6: 'graphs' must be a list, and 'EX2' .* 'ER2'"),
        ('"empty"', '"emty"', r"line 8: 'methods' .* 'emty' in it would have to be 'empty', or another of"),
        ("graphs", "graph", r"line 6: 'graph' is not known; did you mean 'graphs'\?"),
        ("seeds = 2", "seeds = 0", r"line 15: 'seeds' must be an integer of at least 1, not 0"),
        ("auto = 5", "auto = true", r"line 10: 'largest' .* 'auto' = True"),
        ("auto = 5", "dagma = 5", r"line 10: 'largest' names 'dagma', .* the methods there \(auto, empty\)"),
        (
            "seeds = 2",
            'methods = ["empty"]\nfewer = { auto = 1 }',
            r"line 16: 'fewer' names 'auto', .* \(empty\)",
        ),
        ("[grid.largest]\nauto = 5", '[grid.only]\nauto = "cooked"', r"line 10: 'only' .* 'auto' = 'cooked'"),
        ("\n\n[grid]", '\nreference = "dagma"\n[grid]', r"line 4: 'reference' must be one of the methods"),
        (
            "p = [5, 10]",
            'p = [5]\nmodel = ["mlp"]\nnoise = ["laplace"]',
            r"line 9: 'noise' is for linear models",
        ),
        (
            "p = [5, 10]",
            'p = [5]\nr2sortability = [0.5]\nweights = ["weak"]',
            r"line 9: 'weights' does not go with r2sortability",
        ),
        ("[scale.smoke]", "[scale.tiny]", r"line 13: 'tiny' is not known; the tables are smoke, small"),
        ('kind = "grid"', 'kind = "gird"', r"line 2: 'kind' must be 'grid', or another of .*, not 'gird'"),
        ('kind = "grid"', "", r"'kind' must be one of grid, starts, example, measure, not None"),
        ('title = "A small grid"', "", r"'title' is missing"),
        ("[grid]", "[gird]", r"line 5: 'gird' is not known"),
        ("p = [5, 10]\n", "", r"line 5: 'p' is missing from \[grid\]"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_is_allowed(old, new, words):
    with pytest.raises(sp.OptionError, match=words) as error:
        parse(GOOD.replace(old, new, 1))
    assert "'mine.toml'" in str(error.value)


def test_a_reference_is_kept_at_the_scales_that_run_it():
    text = GOOD.replace("\n\n[grid]", '\nreference = "auto"\n\n[grid]') + 'methods = ["empty"]\n'
    assert parse(text).reference == "auto"
    assert parse(text, "smoke").reference == ""


def test_text_that_is_not_toml_is_refused_with_its_line():
    with pytest.raises(sp.DataError, match=r"not valid TOML: .*line 2"):
        parse("title = 'x'\nkind = \n")


def test_every_shipped_experiment_can_be_read_at_every_scale():
    assert len(catalog.names()) >= 9
    for name in catalog.names():
        for scale in SCALES:
            assert catalog.load(name, scale).name == name


def test_up_to_50_columns_the_small_scale_has_ten_tables_a_cell_or_says_that_it_has_one():
    for name in catalog.names():
        experiment = catalog.load(name, "small")
        settings = experiment.settings
        if experiment.kind != "grid" or min(settings["p"]) > 50 or settings["graphs"] == ["sachs"]:
            continue
        few = settings["seeds"] < 10 or settings["fewer"]
        assert not few or "one table per graph" in experiment.remark, name


def test_the_factors_of_a_file_are_the_fields_of_a_design():
    assert ["graph", *list(FACTORS)[1:]] == [field.name for field in fields(Design)]


def test_an_unknown_experiment_is_answered_by_the_nearest():
    with pytest.raises(sp.OptionError, match="did you mean 'linear-grid'"):
        catalog.load("linear-gird", "smoke")


def test_every_method_names_its_peer_and_ours_need_no_installation():
    methods = known_contenders()
    assert methods["auto"].requirements is None
    assert methods["dagma"].requirements is not None
    assert {
        "dagma",
        "pc",
        "boss",
        "grasp",
        "varsort",
        "r2sort",
        "direct-lingam",
        "fges",
        "empty",
        "random",
    } <= set(methods)


OWN = """\
REQUIREMENTS = None
METHODS = {"mine": {"edges": 1}}


def fit(arrays, edges):
    p = arrays["X"].shape[1]
    return "dag", [[int(i == 0 and 0 < j <= edges) for j in range(p)] for i in range(p)]
"""


def with_own(folder, code=OWN, methods='["auto", "mine"]', file="mine.py"):
    if code is not None:
        (folder / "mine.py").write_text(code)
    unlimited = GOOD.replace("[grid.largest]\nauto = 5\n", "")
    changed = unlimited.replace('methods = ["auto", "empty"]', f'methods = {methods}\npeers = ["{file}"]')
    (folder / "mine.toml").write_text(changed)
    return read_experiment(folder / "mine.toml", "smoke")


def test_a_peer_of_ones_own_is_run_beside_the_others_and_again_when_it_changes(tmp_path):
    with ResultStore(tmp_path / "s") as store:
        first = runner.run(with_own(tmp_path), store)
        changed = runner.run(with_own(tmp_path, OWN.replace('"edges": 1', '"edges": 3')), store)
        rows = [row for row in store.kept("mine", "smoke").rows if row["method"] == "mine"]
    assert (first.tasks, first.run) == (4, 4)
    assert (changed.tasks, changed.run) == (4, 2)
    assert [(row["status"], row["edges"]) for row in rows] == [("done", 3)] * 2


def test_a_peer_that_is_changed_during_a_run_fails_and_stores_no_wrong_answer(tmp_path):
    changed = OWN.replace('"edges": 1', '"edges": 3')
    with ResultStore(tmp_path / "s") as store:
        experiment = with_own(tmp_path, methods='["mine"]')
        runner.run(experiment, store, on_progress=lambda _: (tmp_path / "mine.py").write_text(changed))
        rows = store.kept("mine", "smoke").rows
    assert [(row["status"], row.get("edges")) for row in rows] == [("done", 1), ("failed", None)]
    assert "was changed during the run" in rows[1]["error"]


def test_peers_of_the_same_name_in_two_folders_are_two(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(OWN.replace('"mine"', f'"mine-{folder}"'))
    paths = [str(tmp_path / folder / "mine.py") for folder in ("a", "b")]
    known = known_contenders(paths)
    assert known["mine-a"].peer != known["mine-b"].peer


def test_the_names_of_packages_are_found_in_front_of_extras_versions_and_addresses(tmp_path):
    wanted = ["scikit-learn>=1.6", "jax[cpu]==0.5", "mine~=1.0; python_version > '3'", "own @ file:///x"]
    (tmp_path / "mine.py").write_text(OWN.replace("= None", f"= {wanted}"))
    known = known_contenders([str(tmp_path / "mine.py")])
    assert known["mine"].packages == ("scikit-learn", "jax", "mine", "own")


def test_a_peer_may_hold_whatever_a_module_may(tmp_path):
    code = "from dataclasses import dataclass\n\n@dataclass\nclass Settings:\n    level: float = 0.05\n\n"
    assert "mine" in known_contenders([str(_written(tmp_path / "mine.py", code + OWN))])


def _written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"code": OWN.replace("= None", '= "dagma==1.1.1"')},
            r"REQUIREMENTS of the peer .* a list of packages",
        ),
        ({"code": OWN.replace('{"mine": {"edges": 1}}', '["mine"]')}, r"METHODS of the peer .* dictionary"),
        ({"code": OWN.replace('"edges": 1', '"edges": print')}, r"METHODS of the peer .* plain values"),
        ({"file": "other.py"}, r"line 9: 'peers' names 'other.py', and there is no file"),
        ({"methods": '["mein"]'}, r"line 8: 'methods' .*'mein' in it would have to be 'mine', or"),
        ({"code": "METHODS = {}"}, r"the peer '.*mine.py' has no REQUIREMENTS: it needs"),
        (
            {"code": "import nothing_such"},
            r"mine.py' cannot be read: ModuleNotFoundError.*import it inside fit",
        ),
        ({"code": OWN.replace('"mine"', '"auto"')}, r"the name of the method 'auto' in '.*mine.py' is taken"),
    ],
)
def test_what_is_wrong_with_a_peer_of_ones_own_is_said(tmp_path, change, words):
    with pytest.raises(sp.OptionError, match=words):
        with_own(tmp_path, **change)
