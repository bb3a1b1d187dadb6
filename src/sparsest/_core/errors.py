"""What users catch.

Every error that a user can cause is a `SparsestError` and a `ValueError`. Its message says what was wrong,
where (column, row, edge), and what to do about it.
"""


class SparsestError(Exception):
    """Base of all errors raised on purpose by sparsest."""


class DataError(SparsestError, ValueError):
    """The table, the covariance or a file cannot be used as it is."""


class GraphError(SparsestError, ValueError):
    """A matrix is not the kind of graph it was said to be."""


class OptionError(SparsestError, ValueError):
    """An option has an unknown or impossible value, or two options do not go together."""


class SparsestWarning(UserWarning):
    """Base of all warnings issued by sparsest."""


class DataWarning(SparsestWarning):
    """The data allow an answer, but a weaker one than it may seem."""
