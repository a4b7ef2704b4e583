"""Policies: what a player does at each infostate, as arrays and as files."""

from infoset.policy._kernels import behavior_to_plan
from infoset.policy.arithmetic import distance, mix
from infoset.policy.by_rules import policy_by_rules
from infoset.policy.csv_files import load_policy_csv, save_policy_csv
from infoset.policy.files import load_policy, read_metadata, save_policy
from infoset.policy.plans import decompose_plan
from infoset.policy.protocol import (
    Policy,
    UniformPolicy,
    check_distributions,
    checked_probabilities,
)
from infoset.policy.tabular import (
    PolicyRow,
    TabularPolicy,
    check_policy,
    random_policy,
    uniform_policy,
)
from infoset.policy.tabulate import tabulate

__all__ = [
    "Policy",
    "PolicyRow",
    "TabularPolicy",
    "UniformPolicy",
    "behavior_to_plan",
    "check_distributions",
    "check_policy",
    "checked_probabilities",
    "decompose_plan",
    "distance",
    "load_policy",
    "load_policy_csv",
    "mix",
    "policy_by_rules",
    "random_policy",
    "read_metadata",
    "save_policy",
    "save_policy_csv",
    "tabulate",
    "uniform_policy",
]
