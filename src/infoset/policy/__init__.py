"""Tabular and other policies, their transformations, and policy files."""

from infoset.policy.behavior_files import load_behavior, save_behavior
from infoset.policy.csv_files import load_policy_csv, save_policy_csv
from infoset.policy.mixtures import (
    LabelTransfer,
    decompose_plan,
    distance,
    mix,
    transfer_by_labels,
    transfer_policy,
)
from infoset.policy.parquet_files import (
    is_correlated_file,
    load_policy,
    read_metadata,
    rounded_policy,
    save_policy,
)
from infoset.policy.policy_tables import STORAGES, form_in_file
from infoset.policy.protocol import (
    BatchPolicy,
    FunctionPolicy,
    Policy,
    PolicyFunction,
    UniformPolicy,
    as_policy,
    check_distributions,
    checked_probabilities,
    probabilities_at,
)
from infoset.policy.tabular import (
    PolicyRow,
    TabularPolicy,
    check_policy,
    random_policy,
    tabulate,
    uniform_policy,
)
from infoset.policy.transformations import (
    IDENTITY,
    TRANSFORMATIONS,
    ActionTable,
    Transformation,
    check_transformations,
    constant_transformations,
    hash_transformations,
    transform_policy,
)
from infoset.policy.whole_policies import complete_policy, restrict_policy
from infoset.policy.zoo_files import ZOO_PREFIX, is_zoo_name, zoo_path

__all__ = [
    "IDENTITY",
    "STORAGES",
    "TRANSFORMATIONS",
    "ZOO_PREFIX",
    "ActionTable",
    "BatchPolicy",
    "FunctionPolicy",
    "LabelTransfer",
    "Policy",
    "PolicyFunction",
    "PolicyRow",
    "TabularPolicy",
    "Transformation",
    "UniformPolicy",
    "as_policy",
    "check_distributions",
    "check_policy",
    "check_transformations",
    "checked_probabilities",
    "complete_policy",
    "constant_transformations",
    "decompose_plan",
    "distance",
    "form_in_file",
    "hash_transformations",
    "is_correlated_file",
    "is_zoo_name",
    "load_behavior",
    "load_policy",
    "load_policy_csv",
    "mix",
    "probabilities_at",
    "random_policy",
    "read_metadata",
    "restrict_policy",
    "rounded_policy",
    "save_behavior",
    "save_policy",
    "save_policy_csv",
    "tabulate",
    "transfer_by_labels",
    "transfer_policy",
    "transform_policy",
    "uniform_policy",
    "zoo_path",
]
