"""From whatever the user has to numbers with names: tables, and their mean and covariance.

`read_table` turns an array, a data frame or a file into a `Table`; `Moments` is what the Gaussian scores need
of it. Nothing here changes what the user passed in.
"""

from sparsest._core.notices import tell
from sparsest.data.columns.kinds import Kind
from sparsest.data.moments.collinear import collinear
from sparsest.data.moments.from_table import gaussian_moments, peek, table_moments
from sparsest.data.moments.moments import Moments, require_usable
from sparsest.data.moments.standardize import standardize
from sparsest.data.read.options import TableOptions
from sparsest.data.read.table import Table, checked_table, read_table

__all__ = [
    "Kind",
    "Moments",
    "Table",
    "TableOptions",
    "checked_table",
    "collinear",
    "gaussian_moments",
    "peek",
    "read_table",
    "require_usable",
    "standardize",
    "table_moments",
    "tell",
]
