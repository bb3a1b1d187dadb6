"""DAGMA (Bello, Aragam & Ravikumar 2022) by its authors' package, called as its documentation does."""

from __future__ import annotations

from typing import Any

# torch goes first and pinned: dagma asks for any torch, which may bring gigabytes of GPU libraries.
REQUIREMENTS = ["torch==2.13.0", "dagma==1.1.1"]
METHODS: dict[str, dict[str, Any]] = {
    "dagma": {"lambda1": 0.02, "w_threshold": 0.3},
    "dagma-0.03": {"lambda1": 0.03, "w_threshold": 0.3},  # the default of fit(), which is ours too
    "dagma-logistic": {"lambda1": 0.02, "w_threshold": 0.3, "loss": "logistic"},
    "dagma-mlp": {"lambda1": 0.02, "w_threshold": 0.3, "loss": "mlp"},
}
# Colour, marker and line of each method in figures.
LINE_STYLES = {
    "dagma": ("#D55E00", "x", "-"),
    "dagma-logistic": ("#D55E00", "x", "-"),
    "dagma-mlp": ("#D55E00", "x", "-"),
}
LONG_ANYWAY = ("dagma-mlp",)  # its number of steps does not depend on the table


def fit(arrays: dict[str, Any], lambda1: float, w_threshold: float, loss: str = "l2") -> tuple[str, Any]:
    """Least squares (or logistic loss, or networks) + ℓ1 on the central path, small weights set to 0."""
    import torch  # type: ignore[import-not-found]

    torch.set_num_threads(1)
    X = arrays["X"]
    if loss == "mlp":
        return "dag", _mlp(X, lambda1, w_threshold) != 0
    from dagma.linear import DagmaLinear  # type: ignore[import-not-found]

    # s is the package's default; passed afresh, because fit() changes its default list in place, and what one
    # table did to it would reach the next.
    s = [1.0, 0.9, 0.8, 0.7, 0.6]
    return "dag", DagmaLinear(loss_type=loss).fit(X, lambda1=lambda1, w_threshold=w_threshold, s=s) != 0


def _mlp(X: Any, lambda1: float, w_threshold: float) -> Any:
    """One hidden layer of 10 units, as in the package's documentation."""
    import torch
    from dagma.nonlinear import DagmaMLP, DagmaNonlinear  # type: ignore[import-not-found]

    torch.manual_seed(0)
    network = DagmaMLP(dims=[X.shape[1], 10, 1], bias=True, dtype=torch.double)
    return DagmaNonlinear(network, dtype=torch.double).fit(
        X, lambda1=lambda1, lambda2=0.005, w_threshold=w_threshold
    )
