"""The tests of this folder need the extra `deep`; without it, they are not collected."""

import os
from importlib.util import find_spec

has_jax = find_spec("jax") is not None and find_spec("equinox") is not None
# Most of the time of these tests is compilation, which is faster without optimization.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

collect_ignore_glob = [] if has_jax else ["test_*.py"]
