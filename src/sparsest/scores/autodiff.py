"""Any differentiable likelihood as a score over a flat ψ (Section 5): JAX differentiates, NumPy comes out.

The problem is Equation 14, `ℓ_n(ψ) + p(B(ψ))` with `h(B(ψ)) = 0`. Every entry of B(ψ) must be a parameter, or
the norm of a group of parameters that belong to it alone. That is detected rather than declared: one
vector–Jacobian product gives the group of every parameter. The squares S(ψ) are then sums of squares, smooth
even where B(ψ) vanishes and the derivative of a norm does not exist.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, NoReturn, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparsest._core.errors import OptionError
from sparsest._core.jax import double_precision, require_jax
from sparsest.scores.base import Array


@runtime_checkable
class Likelihood(Protocol):
    """Protocol for user-defined models: a likelihood over parameters ψ (Section 5).

    The parameters are arrays, possibly nested in lists and dictionaries. The functions are written with
    `jax.numpy`, so that JAX can differentiate them.

    Notes
    -----
    Further attributes are optional. `regulariser(params)`, such as the ℓ2 term of a network, is added to the
    likelihood whenever parameters are fitted. `standardizes = True` asks for standardised columns.
    `edge_parameters` is the number of parameters that an edge counts for in a criterion such as BIC; the
    default is the number it has. A model that depends on the size of the table may define `for_table(n, p)`,
    which returns the model to use.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> class Laplace:
    ...     def init(self, rng):
    ...         return {"B": np.zeros((2, 2))}
    ...     def nll(self, params, data):
    ...         import jax.numpy as jnp
    ...         return jnp.log(jnp.abs(data - data @ params["B"]).mean(axis=0)).sum()
    ...     def adjacency(self, params):
    ...         return params["B"]
    >>> isinstance(Laplace(), sp.models.Likelihood)
    True
    """

    def init(self, rng: np.random.Generator) -> Any:
        """Initial parameters, preferably those of the empty graph.

        Parameters
        ----------
        rng : numpy.random.Generator
            Determined by the seed of `fit`.

        Returns
        -------
        array, or nested lists and dictionaries of arrays
        """

    def nll(self, params: Any, data: Any) -> Any:
        """The negative log-likelihood, averaged over the rows.

        Parameters
        ----------
        params : as returned by `init`
            The parameters ψ.
        data : array of shape (n, p)
            The table.

        Returns
        -------
        scalar
        """

    def adjacency(self, params: Any) -> Any:
        """The weighted adjacency matrix B(ψ).

        Parameters
        ----------
        params : as returned by `init`
            The parameters ψ.

        Returns
        -------
        array of shape (p, p)
            Entry (i, j) is the strength of i → j: a parameter, or the norm of several. No parameter may
            belong to two edges. Those that belong to none, such as intercepts, are not penalised.
        """


class AutodiffScore:
    """A likelihood and its regulariser, if any, on a table; `model` is its name in messages.

    `groups[k]` is the edge i·p + j that parameter k belongs to, or −1. `start` holds the initial parameters.
    """

    def __init__(self, likelihood: Likelihood, data: Array, rng: np.random.Generator, model: str = ""):
        self.likelihood, self.name, self.p = likelihood, model or type(likelihood).__name__, data.shape[1]
        require_jax(f"model {self.name}")
        with double_precision():
            import jax.numpy as jnp

            self._data = jnp.asarray(np.asarray(data, dtype=np.float64))
            self._functions = _compiled(likelihood, self._initial(rng))
            self.start = self._flat_start
        self.groups = self._found_groups()
        own = np.bincount(self.groups[self.groups >= 0], minlength=self.p**2).reshape(self.p, self.p)
        #: (p, p): the number of parameters that the edge i → j counts for.
        self.edge_parameters: Array = np.maximum(own, 1.0)
        if hasattr(likelihood, "edge_parameters"):
            self.edge_parameters = np.full((self.p, self.p), float(likelihood.edge_parameters))
        self._require_finite()

    def value_and_grad(self, psi: Array) -> tuple[float, Array] | None:
        """ℓ(ψ), with the regulariser, and its gradient; None where either is not finite."""
        with double_precision():
            value, gradient = self._functions.value_and_grad(psi, self._data)
            number, slopes = float(value), np.array(gradient)
        return (number, slopes) if np.isfinite(number) and np.isfinite(slopes).all() else None

    def nll(self, psi: Array) -> float:
        """ℓ(ψ) alone, without the regulariser."""
        with double_precision():
            return float(self._functions.nll(psi, self._data))

    def adjacency(self, psi: Array) -> Array:
        """B(ψ), as defined by the model."""
        with double_precision():
            return np.array(self._functions.adjacency(psi), dtype=np.float64)

    def squares(self, psi: Array) -> Array:
        """S(ψ): per edge, the sum of the squares of its parameters."""
        return self._sums(psi**2).reshape(self.p, self.p)

    def squares_vjp(self, psi: Array, cotangent: Array) -> Array:
        """2 ψ_k · cotangent of the edge of k, 0 where k belongs to none."""
        slopes: Array = 2 * psi * np.append(cotangent.reshape(-1), 0.0)[self.groups]
        return slopes

    def params(self, psi: Array) -> Any:
        """ψ in the structure that `init` returns, as NumPy arrays."""
        jax = require_jax(f"model {self.name}")
        with double_precision():
            return jax.tree_util.tree_map(np.asarray, self._functions.unravel(psi))

    def _sums(self, values: Array) -> Array:
        inside = self.groups >= 0
        sums = np.bincount(self.groups[inside], weights=values[inside], minlength=self.p**2)
        return sums.astype(np.float64, copy=False)

    def _initial(self, rng: np.random.Generator) -> Any:
        import jax
        from jax.flatten_util import ravel_pytree

        params = jax.tree_util.tree_map(
            lambda leaf: np.asarray(leaf, dtype=np.float64), self.likelihood.init(rng)
        )
        flat, unravel = ravel_pytree(params)
        self._flat_start = np.array(flat, dtype=np.float64)
        if not self._flat_start.size or not np.isfinite(self._flat_start).all():
            self._fail("init(rng) returns no parameters, or some that are not finite")
        return unravel

    def _found_groups(self) -> NDArray[np.int64]:
        """The edge of every parameter: with cotangents 1, 2, 3, ... the gradient of S reveals the edge."""
        p = self.p
        psi = np.random.default_rng(0).uniform(0.5, 1.5, self.start.size)
        shape = np.shape(self.adjacency(psi))
        if shape != (p, p):
            self._fail(
                f"its adjacency has shape {shape}, but the table has {p} columns: adjacency(params) must "
                f"return a ({p}, {p}) matrix whose entry [i, j] belongs to i -> j"
            )
        numbers = np.arange(1.0, p * p + 1).reshape(p, p)
        with double_precision():
            found = np.array(self._functions.squares_vjp(psi, numbers)) / (2 * psi)
        groups = np.rint(found).astype(np.int64) - 1
        self.groups = groups
        whole = np.abs(found - groups - 1).max() < 1e-6 and groups.max() < p * p and groups.min() >= -1
        if not whole or not np.allclose(self.squares(psi), self.adjacency(psi) ** 2, rtol=1e-6, atol=1e-9):
            self._fail(
                "an entry of its adjacency is neither a parameter nor the norm of parameters that belong to "
                "it alone: return, for example, sqrt((W ** 2).sum(-1)) for weights W of shape (p, p, units)"
            )
        return groups

    def _require_finite(self) -> None:
        if self.value_and_grad(self.start) is None:
            value = self.nll(self.start)
            self._fail(
                f"its nll is {value} at the parameters of init(rng), or has a gradient that is not finite: "
                "let init(rng) return parameters with a finite nll, and keep logarithms, roots and divisions "
                "away from 0"
            )

    def _fail(self, what: str) -> NoReturn:
        raise OptionError(f"model {self.name}: {what}")


@dataclasses.dataclass(frozen=True)
class _Functions:
    """The compiled functions of a likelihood, for a flat ψ."""

    unravel: Callable[[Any], Any]
    value_and_grad: Callable[..., Any]
    nll: Callable[..., Any]
    adjacency: Callable[..., Any]
    squares_vjp: Callable[..., Any]


def _compiled(likelihood: Likelihood, unravel: Callable[[Any], Any]) -> _Functions:
    """Compiled once per likelihood: frozen dataclasses are cached, so that later fits compile nothing."""
    settings = getattr(likelihood, "__dataclass_params__", None)
    if settings is not None and settings.frozen:
        remembered: _Functions = _remembered(cast(Hashable, likelihood), _Unravel(unravel))
        return remembered
    return _compile(likelihood, unravel)


class _Unravel:
    """Equal to every other instance: the parameters of one frozen likelihood always have the same shape."""

    def __init__(self, function: Callable[[Any], Any]):
        self.function = function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unravel)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=32)
def _remembered(likelihood: Any, unravel: _Unravel) -> _Functions:
    return _compile(likelihood, unravel.function)


def _compile(likelihood: Likelihood, unravel: Callable[[Any], Any]) -> _Functions:
    import jax
    import jax.numpy as jnp

    regulariser = getattr(likelihood, "regulariser", lambda _params: 0.0)

    def total(psi: Any, data: Any) -> Any:
        params = unravel(psi)
        return jnp.sum(likelihood.nll(params, data)) + regulariser(params)

    def squares(psi: Any) -> Any:
        return jnp.asarray(likelihood.adjacency(unravel(psi))) ** 2

    return _Functions(
        unravel=unravel,
        value_and_grad=jax.jit(jax.value_and_grad(total)),
        nll=jax.jit(lambda psi, data: jnp.sum(likelihood.nll(unravel(psi), data))),
        adjacency=jax.jit(lambda psi: jnp.asarray(likelihood.adjacency(unravel(psi)))),
        squares_vjp=jax.jit(lambda psi, cotangent: jax.vjp(squares, psi)[1](cotangent)[0]),
    )
