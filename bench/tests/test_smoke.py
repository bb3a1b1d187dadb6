"""Every shipped experiment at smoke scale, without peers, and the claim that its figure makes."""

from statistics import fmean

import pytest

from sparsest_bench import catalog, claims, figures, page, published_rows, runner, tables
from sparsest_bench.examples import EXAMPLES
from sparsest_bench.result_store import ResultStore
from sparsest_bench.starts import gathered
from sparsest_bench.starts_tables import cells_over_models, shares


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with ResultStore(tmp_path_factory.mktemp("bench") / "store") as opened:
        yield opened


@pytest.fixture(scope="module")
def run(store, tmp_path_factory):
    nowhere = tmp_path_factory.mktemp("no-peers")

    def run(name):
        if store.kept(name, "smoke") is None:
            runner.run(catalog.load(name, "smoke"), store, peers=nowhere)
        kept = store.kept(name, "smoke")
        bad = [row for row in kept.rows if row["status"] not in ("done", "missing")]
        assert not bad, bad[0]["error"]
        assert len(kept.rows) == kept.planned
        return kept

    return run


def mean(kept, method, metric="shd", **factors):
    values = [
        row[metric]
        for row in kept.rows
        if row["method"] == method
        and row["status"] == "done"
        and all(row[key] == value for key, value in factors.items())
    ]
    return fmean(values)


def test_the_penalty_is_flat_from_delta_on_and_mcp_is_the_same(run):
    (row,) = run("quasi-mcp").rows
    curves = {curve["curve"]: curve for curve in row["rows"]}
    ours = curves["quasi-MCP(2, 1)"]
    flat = [value for t, value in zip(ours["t"], ours["value"], strict=True) if abs(t) >= 1]
    assert flat == pytest.approx([1.0] * len(flat))
    assert curves["MCP(2, 0.5)"]["value"] == pytest.approx(ours["value"])


def test_the_examples_have_the_numbers_of_the_errata(run):
    rows = {row["example"]: row["rows"] for row in run("examples").rows}
    computed = {
        name: {row["quantity"]: float(row["computed"]) for row in rows[name]}
        for name in ("two-nodes", "three-nodes")
    }
    two, three = computed["two-nodes"], computed["three-nodes"]
    assert (two["Omega1[1,1]"], two["Omega1[2,2]"]) == (0.5, 0.5)
    assert (two["least squares of B1"], two["least squares of B0"]) == (1, 1.25)
    assert [three[f"Sigma0[{at}]"] for at in ("1,3", "2,3", "3,3")] == [-2.1, -6, 14.63]
    assert [three[f"B1[{at}]"] for at in ("2,1", "2,3", "3,1")] == pytest.approx(
        [-1.597, -2, -0.798], abs=1e-3
    )
    assert three["least squares of B1"] == pytest.approx(10.95, abs=5e-3)
    assert three["least squares of B0"] == 12
    assert three["edges of B1"] > three["edges of E_min"]
    assert all(row["estimate"] < 1 for row in rows["l1-bias"] if row["penalty"] == "l1")
    assert all(row["estimate"] == 1 for row in rows["l1-bias"] if row["penalty"] == "quasi-MCP")
    truth, fewest = (row["computed"] for row in rows["cancellation"][1:3])
    assert (truth, fewest) == ("3", "2")
    assert set(EXAMPLES) >= set(rows)


def test_least_squares_collapses_under_standardisation_and_ours_does_not(run):
    for name in ("linear-grid", "raw-and-standardised"):
        kept = run(name)
        ours = [mean(kept, "auto", data=data) for data in ("raw", "standardised")]
        least_squares = [mean(kept, "our-dagma@0.3", data=data) for data in ("raw", "standardised")]
        assert ours[0] == ours[1]
        assert least_squares[1] > least_squares[0] + 1
        assert ours[1] < least_squares[1]
        assert mean(kept, "empty", "varsortability", data="raw") > 0.8
        assert mean(kept, "empty", "varsortability", data="standardised") == 0.5


def test_solved_exactly_raw_and_standardised_are_the_same_and_the_population_gives_the_truth(run):
    kept = run("exact-search")
    for method in ("exact", "exact-search", "exact-search-population"):
        answers = [
            [
                (row["shd"], row["edges"])
                for row in kept.rows
                if (row["method"], row["data"]) == (method, data)
            ]
            for data in ("raw", "standardised")
        ]
        assert answers[0] == answers[1]
    assert mean(kept, "exact-search-population") == 0
    assert mean(kept, "exact-search", "edges") == 15  # complete: no coefficient of a sample is exactly zero
    assert mean(kept, "exact") < mean(kept, "exact-search")


def test_random_starts_reach_a_sparsest_model_without_the_determinant_and_often_not_with_it(run):
    groups = {(group["score"], group["delta"]): group for group in gathered(run("starts").rows)}
    below = {score: group for (score, delta), group in groups.items() if delta < 1}
    assert [group["starts"] for group in below.values()] == [60, 60]
    assert all(group["in_class"] > 0.9 * group["starts"] for group in below.values())
    assert below["without determinant"]["sparsest"] > 0.95 * 60
    assert 0.4 * 60 < below["with determinant"]["sparsest"] < 0.85 * 60


def test_on_drawn_models_starts_share_an_end_without_the_determinant_and_not_with_it(run):
    cells = cells_over_models(gathered(run("starts-many-models").rows))
    found = {factors["score"]: models for factors, models in cells}
    for key in ("first_shared", "last_shared"):
        without, with_it = (shares(found[f"{word} determinant"], key) for word in ("without", "with"))
        assert min(without) > 0.8
        assert max(with_it) < 0.5


def test_with_the_solver_of_notears_the_first_subproblem_forgets_its_start_too(run):
    groups = gathered(run("starts-other-solver").rows)
    assert {group["solver"] for group in groups} == {"OWL-QN", "L-BFGS-B"}
    for group in groups:
        assert group["in_class"] == group["first_shared"] == group["starts"]


def test_other_readings_of_the_starts_leave_many_at_a_model_with_more_edges(run):
    groups = gathered(run("starts-otherwise").rows)
    assert {(group["lam"], group["entries"]) for group in groups} == {
        (lam, entries) for lam in (0.03, 0.3) for entries in ("all", "skeleton")
    }
    for group in groups:
        assert group["in_class"] > 0.9 * group["starts"]
        assert group["sparsest"] < 0.95 * group["starts"]


def test_times_are_of_the_tasks_of_the_grid(run, store):
    run("linear-grid")
    before = store.count()
    kept = run("times")
    assert store.count() == before
    assert all(row["seconds"] > 0 for row in kept.rows)


def test_the_arms_for_networks_find_more_than_nothing(run):
    kept = run("mlp-grid")
    arms = ("mlp", "logll-notears-mlp@0.3", "logll-notears-mlp-equal@0.3", "cam")
    assert all(mean(kept, method) < mean(kept, "empty") for method in arms)
    assert mean(kept, "additive", "recall") > 0.3


def test_logistic_models_are_learned_best_by_the_search(run):
    kept = run("logistic-grid")
    assert mean(kept, "logistic") <= mean(kept, "logll-notears-logistic@0.3") < mean(kept, "empty")


def test_more_rows_help(run):
    kept = run("beyond-rows")
    assert mean(kept, "auto", n=5000) <= mean(kept, "auto", n=100)


def test_hidden_causes_hurt(run):
    kept = run("beyond-hidden")
    assert mean(kept, "auto", "precision", hidden=3) < mean(kept, "auto", "precision", hidden=0)


def test_other_noise_does_not_hurt_ours(run):
    kept = run("beyond-noise")
    assert mean(kept, "auto", noise="exponential") < mean(kept, "empty", noise="exponential")


def test_r2_sortability_is_as_asked(run):
    kept = run("beyond-r2-sortability")
    assert mean(kept, "auto", "r2", r2sortability=0.3) < mean(kept, "auto", "r2", r2sortability=0.7)


def test_large_and_dense_graphs_are_learned_too(run):
    assert mean(run("beyond-large"), "order1") < mean(run("beyond-large"), "empty")
    assert mean(run("beyond-dense"), "auto", "f1") > 0.5


SMOKE = [(claim.name, one) for claim in claims.claims() for one in claim.readings if one.smoke is not None]


@pytest.mark.parametrize(
    ("claim", "reading"), SMOKE, ids=[f"{name}-{k}" for k, (name, _) in enumerate(SMOKE)]
)
def test_each_claim_of_the_paper_holds_under_its_reading_and_fails_under_the_other(claim, reading, run):
    found = claims.measured(reading, run(reading.experiment), smoke=True)
    assert found.sign(reading.expect, reading.bound) == reading.verdict, (claim, found.words)


def test_every_experiment_has_a_table_and_the_page_tells_them_all(run, store, tmp_path):
    for name in catalog.names():
        kept = run(name)
        assert tables.table(kept) or name == "quasi-mcp"
        assert published_rows.rows_csv(kept).count("\n") == len(kept.rows) + 1
    written = page.write_page(store, "smoke", tmp_path, "the command")
    index = written[0].read_text(encoding="utf-8")
    for name in catalog.names():
        text = (tmp_path / "results" / f"{name}.md").read_text(encoding="utf-8")
        title = catalog.load(name, "smoke").title
        assert f"[{title}](results/{name}.md)" in index
        assert text.startswith(f"# {title}\n")
        assert f"]({name}.csv)" in text
        assert (tmp_path / "results" / f"{name}.csv").exists()
        figures_here = [path for path in written if path.suffix == ".svg" and f"]({path.name})" in text]
        assert text.count("![") == len(figures_here)
    assert "![" not in index
    assert (tmp_path / "results" / "errata.md") in written


def test_a_figure_is_the_same_file_when_drawn_again(run, tmp_path):
    kept = run("exact-search")
    first, second = (figures.draw(kept, tmp_path / part, "x")[0].read_bytes() for part in ("a", "b"))
    assert first == second
