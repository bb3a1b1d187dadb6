"""The Gaussian network as one likelihood (Appendix D): a sigmoid network of the parents plus noise.

| noise   | ℓ(ψ)                                   | the variances                                  |
|---------|----------------------------------------|------------------------------------------------|
| "own"   | ½ Σ_j log(‖x_j − f_j(X)‖² / n)         | one per column, profiled out: as printed       |
| "equal" | ½ p log(Σ_j ‖x_j − f_j(X)‖² / np)      | one for all columns, profiled out              |
| "unit"  | ½ Σ_j ‖x_j − f_j(X)‖² / n              | 1: least squares, the loss of nonlinear NOTEARS |

Constants and the stray 1/n of the printed formula are dropped. "equal" is never below "own", and the same
where the residual variances are equal. Only "own" does not depend on units, and only it and "unit" are sums
over columns.

`B(ψ)_ij` is the norm of the first-layer weights of input i in f_j. The ℓ2 term of nonlinear NOTEARS (Zheng et
al. 2020) stays: without it the first layer could shrink while the second grows, which would evade a penalty
on the first layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sparsest._core.jax import require_jax

#: The number of parameters that an edge counts for in a criterion. It has one weight per hidden unit, but the
#: ℓ2 term leaves them about three degrees of freedom, as measured in docs/how-to/user_defined_models.md.
EDGE_PARAMETERS = 3

#: What is known about the variances of the noise.
NOISES = ("own", "equal", "unit")


@dataclass(frozen=True)
class NetworkLikelihood:
    """One hidden layer of `hidden` sigmoids for each of `columns` columns, written in JAX.

    `decay` is the weight of the ℓ2 term, `½ decay · (‖first layer‖² + ‖second layer‖²)`; `noise` is one of
    `NOISES`.
    """

    columns: int
    hidden: int
    decay: float
    noise: str = "own"

    edge_parameters: ClassVar[int] = EDGE_PARAMETERS

    def init(self, rng: np.random.Generator) -> dict[str, Any]:
        """The empty graph: first-layer weights are zero; biases and second-layer weights are random."""
        p, units = self.columns, self.hidden
        return {
            "first": np.zeros((p, p, units)),
            "bias": rng.uniform(-2, 2, (p, units)),
            "second": rng.normal(size=(p, units)) / np.sqrt(units),
            "offset": np.zeros(p),
        }

    def predict(self, params: dict[str, Any], data: Any) -> Any:
        """f_j(X) for every column j, (n, p)."""
        jax = require_jax("model='mlp'")
        p, _, units = params["first"].shape
        inputs = data @ params["first"].reshape(p, p * units) + params["bias"].reshape(-1)
        active = jax.nn.sigmoid(inputs).reshape(-1, p, units)
        return (active * params["second"]).sum(axis=-1) + params["offset"]

    def nll(self, params: dict[str, Any], data: Any) -> Any:
        """The logarithm of the mean squared residual, by column or of all, or the mean square itself."""
        jnp = require_jax("model='mlp'").numpy
        variances = jnp.mean((data - self.predict(params, data)) ** 2, axis=0)
        if self.noise == "equal":
            return 0.5 * self.columns * jnp.log(variances.mean())
        return 0.5 * (variances if self.noise == "unit" else jnp.log(variances)).sum()

    def regulariser(self, params: dict[str, Any]) -> Any:
        """The ℓ2 term."""
        return 0.5 * self.decay * ((params["first"] ** 2).sum() + (params["second"] ** 2).sum())

    def adjacency(self, params: dict[str, Any]) -> Any:
        """Norms of the first-layer weights of input i in f_j."""
        jnp = require_jax("model='mlp'").numpy
        return jnp.sqrt((params["first"] ** 2).sum(axis=-1))
