"""What all tests share."""

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread() -> Iterator[None]:
    """The matrices of the tests are tiny: threads of the algebra library would only wait for one another."""
    with threadpool_limits(1, user_api="blas"):
        yield
