"""Random graphs and data simulated from them, as in Appendix D of the paper.

All randomness comes from the generator that is passed in.

Examples
--------
>>> import numpy as np
>>> from sparsest import simulate
>>> rng = np.random.default_rng(0)
>>> dag = simulate.random_dag(10, 2, "ER", rng)
>>> simulation = simulate.linear_gaussian(simulate.random_weights(dag, rng), 1000, rng)
>>> simulation.data.shape
(1000, 10)
"""

from sparsest.simulate.other_models import additive, mixed, poisson
from sparsest.simulate.paper import Simulation, linear_gaussian, logistic, mlp
from sparsest.simulate.random_graphs import random_dag, random_weights

__all__ = [
    "Simulation",
    "additive",
    "linear_gaussian",
    "logistic",
    "mixed",
    "mlp",
    "poisson",
    "random_dag",
    "random_weights",
]
