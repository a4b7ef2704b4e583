"""The tests of this folder need the extra `deep`; without it, they are not collected.

They have the mark `networks`, because compiling with JAX takes most of a minute.
"""

from importlib.util import find_spec

has_jax = find_spec("jax") is not None and find_spec("equinox") is not None
collect_ignore_glob = [] if has_jax else ["test_*.py"]
