"""Algorithm 1 for models with groups of parameters: networks, GLMs with intercepts, a user's own (Section 5).

The kinks are norms of groups, so the inner solver is OWL-QN on both paths. The start is the same likelihood
with an ℓ1 penalty on B(ψ), the group lasso. Loose stops first, at μ = 100 and 10, help as they do for linear
models: the likelihood shapes the weights before acyclicity does.
"""

from sparsest.penalties import L1, QuasiMCP
from sparsest.solvers.augmented_lagrangian import AugmentedLagrangian
from sparsest.solvers.central_path import CentralPath
from sparsest.solvers.methods import Homotopy
from sparsest.solvers.owlqn import OWLQN

_INNER = OWLQN(max_steps=300, tolerance=1e-5, progress=1e-5)
_TAIL = ((1.0, 1.0), (0.1, 0.9), (0.01, 0.8), (0.001, 0.7))
_LOOSE = CentralPath(((100.0, 1.0), (10.0, 1.0), *_TAIL), _INNER)
_START = L1(0.02)
_PENALTY = QuasiMCP(0.1, 0.4)

GENERAL_METHODS: dict[str, Homotopy] = {
    method.name: method
    for method in (
        Homotopy("differentiable", _LOOSE, _START, _PENALTY, rounds=3),
        Homotopy("logll-dagma", CentralPath(_TAIL, _INNER), _START),
        Homotopy("logll-notears", AugmentedLagrangian(inner=_INNER), _START, rounds=3),
    )
}
