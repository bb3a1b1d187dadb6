"""Draws the pictures of the pages: python docs/images/make_pictures.py (the site's build, too)."""

import sys
import warnings
from pathlib import Path

from sklearn.datasets import load_wine

import sparsest as sp


def main(folder: Path) -> None:
    """The wine table's graph with the share of half-samples on every edge."""
    wine = load_wine(as_frame=True).data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.DataWarning)
        sp.fit(wine, resamples=50).plot(folder / "wine-shares.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
