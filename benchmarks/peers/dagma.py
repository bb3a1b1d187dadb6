"""DAGMA (Bello, Aragam & Ravikumar 2022) by its authors' package, called as its documentation does."""

from __future__ import annotations

from typing import Any

from benchmarks.worker import serve

# torch goes first and pinned: dagma asks for any torch, which may bring gigabytes of GPU libraries.
REQUIREMENTS = ["torch==2.13.0", "dagma==1.1.1"]
METHODS: dict[str, dict[str, Any]] = {
    "dagma": {"lambda1": 0.02, "w_threshold": 0.3},
    "dagma-0.03": {"lambda1": 0.03, "w_threshold": 0.3},  # the default of fit(), which is ours too
}


def fit(X: Any, lambda1: float, w_threshold: float) -> tuple[str, Any]:
    """Least squares + ℓ1 on the central path, weights below the threshold set to 0."""
    import torch  # type: ignore[import-not-found]
    from dagma.linear import DagmaLinear  # type: ignore[import-not-found]

    torch.set_num_threads(1)
    # s is the package's default; passed afresh, because fit() changes its default list in place, and what one
    # dataset did to it would reach the next.
    s = [1.0, 0.9, 0.8, 0.7, 0.6]
    weights = DagmaLinear(loss_type="l2").fit(X, lambda1=lambda1, w_threshold=w_threshold, s=s)
    return "dag", weights != 0


if __name__ == "__main__":
    serve(fit, METHODS)
