"""Tables and moments: the user's data as named columns of numbers, and their mean and covariance.

`Source` reads an array, a data frame or a file once; `Table` is what it holds, and `Moments` is what the
Gaussian scores need of it. Nothing here changes what the user passed in. The inner rooms import one way:
`columns`, `moments`, `read`, `audit`.
"""

from sparsest._core.notices import tell
from sparsest.data.columns.kinds import Kind
from sparsest.data.columns.table import Table
from sparsest.data.moments.collinear import collinear
from sparsest.data.moments.from_table import TableMoments, table_moments
from sparsest.data.moments.moments import Moments, require_usable
from sparsest.data.moments.standardize import standardize
from sparsest.data.read.interpret import checked_table, raw_table, read_table
from sparsest.data.read.options import TableOptions
from sparsest.data.read.source import Source

__all__ = [
    "Kind",
    "Moments",
    "Source",
    "Table",
    "TableMoments",
    "TableOptions",
    "checked_table",
    "collinear",
    "raw_table",
    "read_table",
    "require_usable",
    "standardize",
    "table_moments",
    "tell",
]
