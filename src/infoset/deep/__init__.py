"""Policy networks trained by regularized Nash dynamics (R-NaD), with JAX.

The package needs the extra `deep`: `pip install '.[deep]'` in a clone. Nothing else in the library
imports it, and `import infoset` does not load JAX.
"""

# ruff: noqa: E402 -- the packages are checked before the modules below import them
from infoset.utils.extras import import_extra

import_extra("deep", "training a policy network")

from infoset.deep.critic import CRITICS, Critic, load_critic, save_critic, train_critic
from infoset.deep.critic_learning import CriticSpec
from infoset.deep.critic_reports import CriticReport, report_critic
from infoset.deep.critic_transformations import TRANSFORMATION_SETS, default_transformations
from infoset.deep.device_checks import DeviceGameReport, check_device_game
from infoset.deep.device_games import OVER, DeviceGame
from infoset.deep.device_matches import ResponseBound
from infoset.deep.device_runs import MatchPoint
from infoset.deep.entropy_schedule import EntropySchedule
from infoset.deep.fine_tuning import fine_tune
from infoset.deep.network_files import load_network, read_network_metadata, save_network
from infoset.deep.network_policy import NetworkPolicy
from infoset.deep.network_spec import NetworkSpec
from infoset.deep.networks import PolicyValueNetwork
from infoset.deep.policy_gradient import NetworkPolicyGradient
from infoset.deep.presets import PRESETS, get_preset
from infoset.deep.rnad import NetworkRNaD
from infoset.deep.rules import device_game
from infoset.deep.seed_training import train_seeds
from infoset.deep.training_run import NetworkMethod, TrainingResult, train
from infoset.deep.tree_game import TreeGame, make_tree_game
from infoset.deep.value_network import ValueNetwork, train_value_network
from infoset.deep.value_network_learning import ValueNetworkSpec

__all__ = [
    "CRITICS",
    "OVER",
    "PRESETS",
    "TRANSFORMATION_SETS",
    "Critic",
    "CriticReport",
    "CriticSpec",
    "DeviceGame",
    "DeviceGameReport",
    "EntropySchedule",
    "MatchPoint",
    "NetworkMethod",
    "NetworkPolicy",
    "NetworkPolicyGradient",
    "NetworkRNaD",
    "NetworkSpec",
    "PolicyValueNetwork",
    "ResponseBound",
    "TrainingResult",
    "TreeGame",
    "ValueNetwork",
    "ValueNetworkSpec",
    "check_device_game",
    "default_transformations",
    "device_game",
    "fine_tune",
    "get_preset",
    "load_critic",
    "load_network",
    "make_tree_game",
    "read_network_metadata",
    "report_critic",
    "save_critic",
    "save_network",
    "train",
    "train_critic",
    "train_seeds",
    "train_value_network",
]
