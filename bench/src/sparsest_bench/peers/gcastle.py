"""NOTEARS (Zheng et al. 2018, 2020) and GOLEM (Ng et al. 2020) by gCastle, at the published settings.

Both are their authors' code in a package, and the settings are gCastle's defaults too. Its linear NOTEARS
takes the polynomial h of Yu et al. (2019) in place of the paper's trace-exponential. Its GOLEM answers with
weights before any threshold, for the measurement of that name.
"""

from __future__ import annotations

from typing import Any

# gCastle imports torch without requiring it; pinned as for dagma.
REQUIREMENTS = ["torch==2.13.0", "gcastle==1.0.4"]
METHODS: dict[str, dict[str, Any]] = {
    "gcastle-notears": {"loss": "l2"},
    "gcastle-notears-logistic": {"loss": "logistic"},
    "gcastle-notears-logistic-0.02": {"loss": "logistic", "lambda1": 0.02},  # as `dagma-logistic`
    "gcastle-notears-mlp": {"loss": "mlp"},  # 30 units, as in the experiments of the paper
    "gcastle-notears-mlp-10": {"loss": "mlp", "hidden": 10},  # as many as `mlp` and `dagma-mlp` have
    "gcastle-notears-mlp-40": {"loss": "mlp", "hidden": 40},  # as many as the paper gives its own method
    "gcastle-golem-ev": {"loss": "golem", "lambda1": 0.02},
    "gcastle-golem-nv": {"loss": "golem", "lambda1": 0.002},
}
LONG_ANYWAY = ("gcastle-golem-ev", "gcastle-golem-nv")  # 100 000 steps on any table
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "gcastle-notears": ("#E69F00", "+", "-"),
    "gcastle-notears-logistic": ("#E69F00", "+", "-"),
    "gcastle-notears-logistic-0.02": ("#E69F00", "+", "--"),
    "gcastle-notears-mlp": ("#E69F00", "+", "-"),
    "gcastle-notears-mlp-10": ("#E69F00", "+", "--"),
}


def fit(arrays: dict[str, Any], loss: str, lambda1: float = 0.1, hidden: int = 30) -> tuple[str, Any]:
    """NOTEARS: the augmented Lagrangian with ℓ1, weights below 0.3 set to 0; or GOLEM's weights."""
    if loss == "golem":
        return "weights", _golem(arrays, lambda1)
    if loss == "mlp":
        import torch  # type: ignore[import-not-found]
        from castle.algorithms import NotearsNonlinear  # type: ignore[import-not-found]

        torch.set_num_threads(1)
        torch.manual_seed(0)
        method = NotearsNonlinear(lambda1=0.01, lambda2=0.01, w_threshold=0.3, hidden_layers=(hidden, 1))
        method.learn(arrays["X"].copy())
    else:
        from castle.algorithms import Notears

        method = Notears(
            lambda1=lambda1, loss_type=loss, max_iter=100, h_tol=1e-8, rho_max=1e16, w_threshold=0.3
        )
        method.learn(arrays["X"])
    return "dag", method.causal_matrix


def _golem(arrays: dict[str, Any], lambda1: float) -> Any:
    """GOLEM's weights, for equal variances at λ = 0.02 and from a given start for unequal ones."""
    import torch
    from castle.algorithms import GOLEM

    torch.set_num_threads(1)
    equal = lambda1 == METHODS["gcastle-golem-ev"]["lambda1"]
    start = None if equal else arrays["start"].astype("float32")
    method = GOLEM(B_init=start, lambda_1=lambda1, lambda_2=5.0, equal_variances=equal)
    method.learn(arrays["X"] - arrays["X"].mean(axis=0))
    return method.weight_causal_matrix
