"""The Gaussian network as one likelihood (Appendix D): a sigmoid network of the parents plus noise.

`ℓ(ψ) = ½ Σ_j log(‖x_j − f_j(X)‖² / n)`: the noise variances are profiled out, and constants and the stray 1/n
of the printed formula are dropped. `B(ψ)_ij` is the norm of the first-layer weights of input i in f_j. The
ℓ2 term of nonlinear NOTEARS (Zheng et al. 2020) stays: without it the first layer could shrink while the
second grows, which would evade a penalty on the first layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sparsest._core.jax import require_jax

#: The number of parameters that an edge counts for in a criterion. It has one weight per hidden unit, but the
#: ℓ2 term leaves them about three degrees of freedom, as measured in docs/user_defined_models.md.
EDGE_PARAMETERS = 3


@dataclass(frozen=True)
class NetworkLikelihood:
    """One hidden layer of `hidden` sigmoids for each of `columns` columns, written in JAX.

    `decay` is the weight of the ℓ2 term, `½ decay · (‖first layer‖² + ‖second layer‖²)`.
    """

    columns: int
    hidden: int
    decay: float

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
        """½ Σ_j log of the mean squared residual."""
        jnp = require_jax("model='mlp'").numpy
        return 0.5 * jnp.log(jnp.mean((data - self.predict(params, data)) ** 2, axis=0)).sum()

    def regulariser(self, params: dict[str, Any]) -> Any:
        """The ℓ2 term."""
        return 0.5 * self.decay * ((params["first"] ** 2).sum() + (params["second"] ** 2).sum())

    def adjacency(self, params: dict[str, Any]) -> Any:
        """Norms of the first-layer weights of input i in f_j."""
        jnp = require_jax("model='mlp'").numpy
        return jnp.sqrt((params["first"] ** 2).sum(axis=-1))
