"""A small table for every model, and a user-defined likelihood."""

import numpy as np

import sparsest as sp


def _weights(p, seed=0):
    rng = np.random.default_rng(seed)
    return sp.simulate.random_weights(sp.simulate.random_dag(p, 1, "ER", rng), rng)


def _rng():
    return np.random.default_rng(4)


TABLES = {
    "gaussian": sp.simulate.linear_gaussian(_weights(3), 120, _rng()).data,
    "rank": sp.simulate.linear_gaussian(_weights(3), 120, _rng()).data,
    "logistic": sp.simulate.logistic(_weights(4), 200, _rng()).data,
    "poisson": sp.simulate.poisson(-0.2 * abs(_weights(4)), 150, _rng()).data,
    "additive": sp.simulate.additive(_weights(4) != 0, 200, _rng()).data,
    "mixed": sp.simulate.mixed(
        _weights(6) != 0, 300, _rng(), ("continuous", "binary", "count", "categorical")
    ).data,
    "mlp": sp.simulate.additive(_weights(3) != 0, 100, _rng()).data,
}


class Heavy:
    """A linear model with Student's t noise of five degrees of freedom."""

    def __init__(self, p):
        self.p = p

    def init(self, rng):
        return {"B": np.zeros((self.p, self.p)), "log_scale": np.zeros(self.p)}

    def nll(self, params, data):
        import jax.numpy as jnp

        residual = (data - data @ params["B"]) / jnp.exp(params["log_scale"])
        return (3 * jnp.log1p(residual**2 / 5)).mean(axis=0).sum() + params["log_scale"].sum()

    def adjacency(self, params):
        return params["B"]


def standardised(seed, n=200, p=4, k=1):
    rng = np.random.default_rng(seed)
    data = sp.simulate.mlp(sp.simulate.random_dag(p, k, "ER", rng), n, rng).data
    return (data - data.mean(axis=0)) / data.std(axis=0)
