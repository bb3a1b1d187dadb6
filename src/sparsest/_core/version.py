"""The version, and what a bug report needs to say about the machine."""

import sys

__version__ = "0.2.0"

_LIBRARIES = (
    "numpy", "scipy", "numba", "scikit-learn", "narwhals", "polars", "pandas", "pyarrow", "matplotlib",
    "networkx", "typer",
)  # fmt: skip


def versions() -> dict[str, str]:
    """The versions that decide an answer, for a result to remember."""
    import platform

    import numpy as np
    import scipy

    return {
        "sparsest": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def show_versions() -> None:
    """Print the versions of sparsest, Python, the system and the libraries sparsest uses.

    Examples
    --------
    >>> import sparsest as sp
    >>> sp.show_versions()  # doctest: +ELLIPSIS
    sparsest ...
    """
    import platform

    rows = [("sparsest", __version__), ("python", sys.version.split()[0]), ("system", platform.platform())]
    rows += [(name, _version(name)) for name in _LIBRARIES]
    width = max(len(name) for name, _ in rows)
    sys.stdout.write("".join(f"{name:<{width}}  {version}\n" for name, version in rows))


def _version(distribution: str) -> str:
    from importlib import metadata  # slow to import, and only bug reports need it

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"
