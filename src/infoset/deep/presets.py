"""Presets of methods with networks: sets of numbers by name."""

from __future__ import annotations

from math import inf

from infoset.deep.entropy_schedule import EntropySchedule
from infoset.deep.network_spec import NetworkSpec
from infoset.deep.policy_gradient import NetworkPolicyGradient
from infoset.deep.rnad import NetworkRNaD
from infoset.utils.registry import Registry

OURS = NetworkRNaD(description="R-NaD with a network, on sampled episodes")

LARGE = NetworkRNaD(
    name="rnad-large",
    description="R-NaD with larger batches, for lower exploitability after a few minutes",
    batch_size=2048,
    hidden=(128, 128),
)

PAPER = NetworkRNaD(
    name="rnad-paper",
    description="R-NaD with the numbers of SePoT's blueprints (η = 0.2 in the game's units)",
    eta=0.2,
    is_relative=False,
    learning_rate=3e-4,
    batch_size=128,
    hidden=(512, 512),
    schedule=EntropySchedule((500, 10_000), (200, 1)),
    halving_steps=inf,
    uniform_weight=0.0,
    target_rate=0.001,
)

OPENSPIEL = NetworkRNaD(
    name="rnad-openspiel",
    description="R-NaD with the default numbers of OpenSpiel's implementation",
    eta=0.2,
    is_relative=False,
    learning_rate=5e-5,
    batch_size=256,
    hidden=(256, 256),
    schedule=EntropySchedule((20_000,), (1,)),
    halving_steps=inf,
    uniform_weight=0.0,
    target_rate=0.001,
    # OpenSpiel writes 10e-8.
    adam_epsilon=1e-7,
)

EXPECTED = NetworkRNaD(
    name="rnad-expected",
    description="R-NaD with a network and expectations over the whole tree, without sampling",
    is_sampled=False,
    halving_steps=5000,
    uniform_weight=0.3,
)

PPO = NetworkPolicyGradient()

MMD = NetworkPolicyGradient(
    name="mmd",
    description="Magnetic mirror descent with a network: policy gradients with divergences",
    clip=inf,
    kl=0.5,
    entropy=0.4,
)

# The authors clip ratios, as PPO does, and their weight of the entropy is constant.
NASH_PG = NetworkPolicyGradient(
    name="nash-pg",
    description="NashPG: magnetic mirror descent with a reference policy that is replaced",
    clip=inf,
    kl=0.5,
    reference=0.2,
    reference_steps=300,
    entropy=0.1,
    entropy_halving_steps=5000.0,
)

PRESETS: Registry[NetworkSpec] = Registry(
    "preset",
    (OURS, LARGE, EXPECTED, PAPER, OPENSPIEL, PPO, MMD, NASH_PG),
    entry_type=NetworkSpec,
    expected='a name, such as "rnad", or a NetworkRNaD, such as NetworkRNaD(eta=0.1)',
)
"""The presets by name; `PRESETS.register` adds one."""


def get_preset(preset: str | NetworkSpec) -> NetworkSpec:
    """Return a preset by name, ignoring case; parameters are returned as they are.

    Raises
    ------
    UnknownNameError
        If there is no preset of this name.

    Examples
    --------
    >>> get_preset("rnad-paper").learning_rate
    0.0003
    """
    return PRESETS.resolve(preset)
