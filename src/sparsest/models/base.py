"""What a model of one's own must offer."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Model(Protocol):
    """A likelihood over parameters ψ, any nest of lists and dictionaries of arrays (Section 5).

    The functions are written with `jax.numpy`, which differentiates them; `data` is the (n, p) table.

    More names are looked for. `regulariser(params)` is added to the likelihood wherever parameters are
    fitted, such as the ℓ2 term of a network. `standardizes = True` asks for columns of mean 0 and variance 1.
    `edge_parameters` is what an edge counts for in a criterion such as BIC; by default the number of its
    parameters. A model that does not know the size of the table beforehand may have `for_table(n, p)`, which
    returns the model to use.
    """

    def init(self, rng: np.random.Generator) -> Any:
        """Parameters to start from, best those of the empty graph."""

    def nll(self, params: Any, data: Any) -> Any:
        """The negative log-likelihood of one row, on average over the rows: one number."""

    def adjacency(self, params: Any) -> Any:
        """B(ψ), (p, p): entry (i, j) is the strength of i → j, a parameter or the norm of several.

        No parameter may belong to two edges. Parameters of no edge, such as intercepts, are not penalised.
        """
