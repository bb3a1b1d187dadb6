"""Networks of real structure, and real data with an agreed graph, from packages that ship them.

- Four linear Gaussian networks of the bnlearn repository, by pgmpy (MIT), which ships them as JSON since 1.0:
  a table is drawn from the network's own coefficients and noise.
- `sachs`: 7466 cells × 11 proteins and lipids (Sachs et al. 2005), all conditions pooled, by the package
  `cdt` (Apache 2.0). The graph is the consensus of 17 edges by pgmpy; that of `cdt` has a cycle. Nothing is
  drawn: every seed has the same rows.

The files are read from the environments in which these packages are installed; none is shipped here.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparsest.graph.types import Dag
from sparsest.simulate import Simulation
from sparsest_bench.contenders import Contender
from sparsest_bench.process import last_line

Array = NDArray[np.float64]

_FETCH = Path(__file__).with_name("fetch.py")
_PGMPY = "pgmpy==1.1.2"
COLUMNS = {"ecoli70": 46, "magic-niab": 44, "magic-irri": 64, "arth150": 107, "sachs": 11}
SACHS_ROWS = 7466


class NoNetworkError(Exception):
    """A network that could not be read, and why."""


@dataclass(frozen=True, eq=False)
class Network:
    """A DAG with weights, intercepts and noise variances, or with measured rows."""

    dag: NDArray[np.int64]
    weights: Array
    intercepts: Array
    variances: Array
    rows: Array | None = None

    def draw(self, n: int, rng: np.random.Generator) -> Simulation:
        """Rows of X = BᵀX + a + z, or the measured rows if there are any."""
        graph = Dag(self.dag)
        if self.rows is not None:
            return Simulation(self.rows, graph, self.weights)
        scales = np.sqrt(self.variances)
        paths = np.linalg.inv(np.eye(len(self.weights)) - self.weights)
        data = (rng.standard_normal((n, len(scales))) * scales + self.intercepts) @ paths
        covariance = paths.T @ np.diag(self.variances) @ paths
        return Simulation(data, graph, self.weights, covariance, scales)


def source(name: str) -> Contender:
    """What has to be installed for a network, described like a peer."""
    if name == "sachs":
        return Contender(name, "sachs", str(_FETCH), "", (_PGMPY, "cdt==0.6.0"))
    return Contender(name, "pgmpy", str(_FETCH), "", (_PGMPY,))


@cache
def network(name: str, python: str) -> Network:
    """A network, read by the Python whose environment has it."""
    done = subprocess.run(
        [python, "-P", str(_FETCH), name], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise NoNetworkError(f"cannot read the network {name!r}: {last_line(done.stderr)}")
    content = json.loads(done.stdout)
    nodes = {node: place for place, node in enumerate(content["nodes"])}
    p = len(nodes)
    weights, dag = np.zeros((p, p)), np.zeros((p, p), dtype=np.int64)
    for parent, child, weight in content["edges"]:
        weights[nodes[parent], nodes[child]], dag[nodes[parent], nodes[child]] = weight, 1
    rows = np.array(content["rows"], dtype=float) if "rows" in content else None
    intercepts, variances = (np.array(content.get(key, [0.0] * p)) for key in ("intercepts", "variances"))
    return Network(dag, weights, intercepts, variances, rows)
