"""The tests of this folder need the extra `deep`; without it, they are not collected.

They have the mark `networks`, because compiling with JAX takes most of a minute.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

has_jax = find_spec("jax") is not None and find_spec("equinox") is not None
collect_ignore_glob = [] if has_jax else ["test_*.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests of this folder before marks select tests."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.networks)
