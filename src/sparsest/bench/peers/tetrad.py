"""FGES and PC of Tetrad through py-tetrad, where a user has it: it needs Java, and is not on a package index.

To use it, make the environment by hand: `tetrad/` in the folder of peers, with py-tetrad, a Java runtime on
the path, and a file `installed.json` that holds the list below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

REQUIREMENTS = ["py-tetrad @ git+https://github.com/cmu-phil/py-tetrad"]
METHODS: dict[str, dict[str, Any]] = {"fges": {"search": "fges"}, "tetrad-pc": {"search": "pc"}}


def fit(arrays: dict[str, Any], search: str) -> tuple[str, Any]:
    """FGES with the SEM BIC score at its defaults; PC with Fisher's z at level 0.05."""
    import pandas as pd
    from pytetrad.tools.TetradSearch import TetradSearch  # type: ignore[import-not-found]

    X = arrays["X"]
    table = pd.DataFrame(X, columns=[f"X{j}" for j in range(X.shape[1])])
    tetrad = TetradSearch(table)
    if search == "fges":
        tetrad.use_sem_bic()
        tetrad.run_fges()
    else:
        tetrad.use_fisher_z(alpha=0.05)
        tetrad.run_pc()
    # Its matrix holds the mark at j of the edge i - j: 2 an arrow, 3 a tail.
    marks = np.asarray(tetrad.get_graph_to_matrix())
    return "pdag", marks.T == 3
