"""Errors and warnings that users can catch.

Every error that a user can cause is a `SparsestError` and a `ValueError`. Its message says what was wrong,
where (column, row, edge), and what to do about it.
"""


class SparsestError(Exception):
    """Base class of all errors that sparsest raises deliberately.

    Examples
    --------
    >>> import sparsest as sp
    >>> try:
    ...     sp.fit("no-such-file.csv")
    ... except sp.SparsestError as error:
    ...     print(type(error).__name__)
    DataError
    """


class DataError(SparsestError, ValueError):
    """Raised if a table, covariance matrix or file cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> table = np.random.default_rng(0).normal(size=(100, 2))
    >>> table[:, 1] = 41
    >>> try:
    ...     sp.fit(table)
    ... except sp.DataError as error:
    ...     print(error)
    only 'x0' is left to learn from: 'x1' (constant (all 41)) cannot be used. ...
    """


class GraphError(SparsestError, ValueError):
    """Raised if a matrix does not encode the kind of graph that it should.

    Examples
    --------
    >>> import sparsest as sp
    >>> try:
    ...     sp.Dag([[0, 1], [1, 0]])
    ... except sp.GraphError as error:
    ...     print(error)
    not acyclic: x0 -> x1 -> x0; remove one of these edges (...)
    """


class OptionError(SparsestError, ValueError):
    """Raised if an option has an invalid value, or if two options are incompatible.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsest as sp
    >>> table = np.random.default_rng(0).normal(size=(100, 2))
    >>> try:
    ...     sp.fit(table, time_limit="an hour")
    ... except sp.OptionError as error:
    ...     print(error)
    time_limit must be a number of seconds, not 'an hour'
    """


class SparsestWarning(UserWarning):
    """Base class of all warnings that sparsest issues.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import sparsest as sp
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", sp.SparsestWarning)
    ...     result = sp.fit(np.column_stack([x, 2 * x, x**2]))
    """


class DataWarning(SparsestWarning):
    """Issued if the data allow an answer, but a weaker one than it may seem.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import sparsest as sp
    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> with warnings.catch_warnings(record=True) as issued:
    ...     warnings.simplefilter("always")
    ...     result = sp.fit(np.column_stack([x, x.sum(axis=1)]))
    >>> issued[0].category is sp.DataWarning
    True
    >>> print(issued[0].message)
    left out 'x2' (a combination of others up to rounding and a constant: 1 x 'x0' + 1 x 'x1')...
    """
