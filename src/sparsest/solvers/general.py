"""Algorithm 1 for models with groups of parameters: networks, regressions, user-defined models (Section 5).

The kinks are norms of groups, so the inner solver is OWL-QN on both paths. The start is the empty graph: a
first round with an ℓ1 penalty on B(ψ), as in the linear methods, only takes time. The paper prints no λ and δ
for these models. λ starts at an eighth and δ at twice the values of the linear methods: on binary columns,
where an edge changes the likelihood little, their λ empties the graph for good. Loose first stops, at μ = 100
and 10, help as they do for linear models: the likelihood shapes the weights before acyclicity does.
"""

from sparsest.penalties import QuasiMCP
from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
from sparsest.solvers.base import Path
from sparsest.solvers.central_path import LOOSE_STOPS, CentralPath
from sparsest.solvers.owlqn import OWLQN
from sparsest.solvers.published import Homotopy

_INNER = OWLQN(max_steps=300, tolerance=1e-5, progress=1e-5)
_PATHS: dict[str, Path] = {
    "differentiable": CentralPath(LOOSE_STOPS, _INNER),
    "logll-dagma": CentralPath(inner=_INNER),
    "logll-notears": AugmentedLagrangian(inner=_INNER),
}

GENERAL_METHODS: dict[str, Homotopy] = {
    name: Homotopy(name, path, None, QuasiMCP(0.05, 0.4), rounds=4) for name, path in _PATHS.items()
}

#: Fits the parameters of a given graph without penalty, for models with groups of parameters.
REFIT = OWLQN(max_steps=200, tolerance=1e-5, progress=1e-6)
