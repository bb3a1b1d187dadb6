"""Random graphs and data from them, as in appendix D of the paper: a truth to compare answers with.

    rng = np.random.default_rng(0)
    dag = random_dag(10, 2, "ER", rng)
    simulation = linear_gaussian(random_weights(dag, rng), 1000, rng)

All randomness comes from the generator that is passed in.
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
