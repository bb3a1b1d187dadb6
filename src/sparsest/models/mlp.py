"""The Gaussian network (Appendix D): every column a sigmoid network of its parents plus Gaussian noise.

`ℓ(ψ) = ½ Σ_j log(‖x_j − f_j(X)‖² / n)`: the noise variances are profiled out, constants are dropped, and the
stray 1/n of the printed formula too. `B(ψ)_ij` is the norm of the weights that leave input i in the first
layer of f_j. The ℓ2 term of nonlinear NOTEARS (Zheng et al. 2020) stays: without it the first layer shrinks
while the second grows, and a penalty on the first layer is evaded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparsest._core.errors import OptionError
from sparsest._core.jax import require_jax


@dataclass(frozen=True)
class MLP:
    """One hidden layer of `hidden` sigmoids for every column.

    `ridge` is the weight of the ℓ2 term, `½ ridge · (‖first layer‖² + ‖second layer‖²)`; None is 1/n, the
    term of a standard normal prior. `seed` decides the starts; None leaves it to `fit(seed=...)`. `rows` and
    `columns` are those of the table; `fit` fills them in.
    """

    hidden: int = 10
    ridge: float | None = None
    seed: int | None = None
    rows: int | None = None
    columns: int | None = None

    standardizes = True
    #: What an edge counts for in a criterion. It owns `hidden` weights, but the ℓ2 term leaves them the
    #: freedom of about three: found by measurement (docs/own_likelihood.md).
    edge_parameters = 3

    def __post_init__(self) -> None:
        if self.hidden != int(self.hidden) or self.hidden < 1:
            raise OptionError(f"MLP needs hidden, a whole number from 1 on, not {self.hidden!r}")
        if self.seed is not None and (self.seed != int(self.seed) or self.seed < 0):
            raise OptionError(f"MLP needs seed, a whole number from 0 on or None, not {self.seed!r}")
        if self.ridge is not None and not (np.isfinite(self.ridge) and self.ridge > 0):
            raise OptionError(
                f"MLP needs ridge > 0, but ridge = {self.ridge!r}: without it weights run away to infinity"
            )

    def for_table(self, n: int, p: int) -> MLP:
        """The model of a table with n rows and p columns."""
        return replace(self, rows=n, columns=p)

    @property
    def weight_decay(self) -> float:
        """The weight of the ℓ2 term."""
        return self.ridge if self.ridge is not None else 1 / self._known(self.rows)

    def init(self, rng: np.random.Generator) -> dict[str, Any]:
        """The empty graph: no weights into the hidden units, whose biases and signs differ."""
        p, units = self._known(self.columns), self.hidden
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
        return 0.5 * self.weight_decay * ((params["first"] ** 2).sum() + (params["second"] ** 2).sum())

    def adjacency(self, params: dict[str, Any]) -> Any:
        """Norms of the weights that leave input i in the first layer of f_j."""
        jnp = require_jax("model='mlp'").numpy
        return jnp.sqrt((params["first"] ** 2).sum(axis=-1))

    def _known(self, size: int | None) -> int:
        if size is None:
            raise OptionError("MLP does not know the size of the table yet: call for_table(n, p) first")
        return size
