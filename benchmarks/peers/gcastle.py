"""NOTEARS (Zheng et al. 2018) by gCastle, its authors' code in a package, at the published settings.

They are gCastle's defaults too. It takes the polynomial h of Yu et al. (2019) in place of the paper's
trace-exponential.
"""

from __future__ import annotations

from typing import Any

from benchmarks.worker import serve

# gCastle imports torch, which NOTEARS does not use, and does not ask for it; pinned as for dagma.
REQUIREMENTS = ["torch==2.13.0", "gcastle==1.0.4"]
METHODS: dict[str, dict[str, Any]] = {
    "gcastle-notears": {"lambda1": 0.1, "w_threshold": 0.3},
    "gcastle-notears-mlp": {"lambda1": 0.01, "w_threshold": 0.3, "hidden": 10},
}


def fit(X: Any, lambda1: float, w_threshold: float, hidden: int = 0) -> tuple[str, Any]:
    """Least squares + ℓ1 by the augmented Lagrangian, weights below the threshold set to 0.

    With `hidden` units it is NOTEARS-MLP (Zheng et al. 2020), at its published settings too.
    """
    from castle.algorithms import Notears, NotearsNonlinear  # type: ignore[import-not-found]

    if hidden:
        import torch  # type: ignore[import-not-found]

        torch.set_num_threads(1)
        torch.manual_seed(0)
        network = NotearsNonlinear(
            lambda1=lambda1, lambda2=0.01, hidden_layers=(hidden, 1), w_threshold=w_threshold
        )
        network.learn(X.copy())
        return "dag", network.causal_matrix
    method = Notears(
        lambda1=lambda1, loss_type="l2", max_iter=100, h_tol=1e-8, rho_max=1e16, w_threshold=w_threshold
    )
    method.learn(X)
    return "dag", method.causal_matrix


if __name__ == "__main__":
    serve(fit, METHODS)
