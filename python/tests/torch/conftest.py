"""What the tests of sectile.torch share: six processes."""

import pytest
from ranks import Ranks


@pytest.fixture(scope="session")
def ranks():
    started = Ranks(6)
    yield started
    started.close()
