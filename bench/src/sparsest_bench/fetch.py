"""Run by `networks.py` in another Python: prints a network that an installed package ships.

    python -P fetch.py NAME

prints `{"nodes": [...], "edges": [[parent, child, weight], ...], "intercepts": [...], "variances": [...]}`,
and for `sachs` `"rows"` in place of the last two. Packages are not imported: only their files are read.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

# The names of the consensus graph and those of the columns.
SACHS = {
    "Raf": "praf", "Mek": "pmek", "Plcg": "plcg", "PIP2": "PIP2", "PIP3": "PIP3", "Erk": "p44/42",
    "Akt": "pakts473", "PKA": "PKA", "PKC": "PKC", "P38": "P38", "Jnk": "pjnk",
}  # fmt: skip


def main(name: str) -> None:
    """Write the network to standard output."""
    sys.stdout.write(json.dumps(sachs() if name == "sachs" else gaussian(name)))


def gaussian(name: str) -> dict[str, Any]:
    """A linear Gaussian network of pgmpy."""
    file = folder("pgmpy") / "utils" / "example_models" / f"{name}.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    nodes, cpds = content["nodes"], content["cpds"]
    return {
        "nodes": nodes,
        "edges": [
            [parent, node, cpds[node]["coefficients"][parent][0]]
            for node in nodes
            for parent in cpds[node]["parents"]
        ],
        "intercepts": [cpds[node]["coefficients"]["(Intercept)"][0] for node in nodes],
        "variances": [cpds[node]["variance"][0] for node in nodes],
    }


def sachs() -> dict[str, Any]:
    """The proteins: rows by cdt, the graph by pgmpy."""
    table = folder("cdt") / "data" / "resources" / "cyto_full_data.csv"
    with table.open(encoding="utf-8", newline="") as file:
        nodes, *rows = csv.reader(file)
    return {
        "nodes": nodes,
        "edges": [[SACHS[parent], SACHS[child], 1.0] for parent, child in parents_in_bif()],
        "rows": [[float(value) for value in row] for row in rows],
    }


def parents_in_bif() -> list[tuple[str, str]]:
    """The edges of `sachs.bif`: lines such as `probability ( Akt | Erk, PKA ) {`."""
    file = folder("pgmpy") / "utils" / "example_models" / "sachs.bif.gz"
    text = gzip.decompress(file.read_bytes()).decode()
    found = re.findall(r"^probability \( (\w+) \| ([^)]*) \)", text, flags=re.MULTILINE)
    return [(parent.strip(), child) for child, parents in found for parent in parents.split(",")]


def folder(package: str) -> Path:
    """Where a package is installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed")
    return Path(spec.origin).parent


if __name__ == "__main__":
    main(sys.argv[1])
