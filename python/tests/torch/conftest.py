"""What the tests of sectile.torch share: six processes."""

import pytest
from ranks import Ranks


def pytest_addoption(parser):
    parser.addoption(
        "--every-product",
        action="store_true",
        help="multiply with every pair of placements, to every placement of the result, in every type",
    )


@pytest.fixture(scope="session")
def ranks():
    started = Ranks(6)
    yield started
    started.close()
