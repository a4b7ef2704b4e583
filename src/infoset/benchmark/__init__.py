"""Benchmarks: known values and policies of named games, score cards, and leaderboard entries."""

from infoset.benchmark.pack_checks import check_pack_entry, measure_pack_entry, pack_table
from infoset.benchmark.zoo_recipes import (
    ZooPolicy,
    make_zoo_policy,
    save_zoo_policy,
    verify_policy_file,
)

__all__ = [
    "ZooPolicy",
    "check_pack_entry",
    "make_zoo_policy",
    "measure_pack_entry",
    "pack_table",
    "save_zoo_policy",
    "verify_policy_file",
]
