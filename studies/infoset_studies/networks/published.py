"""The hyperparameters that Rudolph et al. (ICLR 2026) published as the best of their sweep.

Source: `best_hyperparameters/min_final_expl_hparams` of github.com/nathanlct/IIG-RL-Benchmark,
commit 591d35d, for the lowest exploitability after 10 million steps. The repository does not state
how many sides the dice of its liar's dice have, and has no exploitabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from infoset.deep import NetworkSpec

__all__ = ["DARK_HEX", "LIARS_DICE", "PHANTOM_TTT", "PUBLISHED_NUMBERS", "published_spec"]

PHANTOM_TTT: Final = "phantom_ttt(gameversion=abrupt)"
DARK_HEX: Final = "dark_hex(gameversion=adh)"
LIARS_DICE: Final = "liars_dice(dice_sides=5)"


class PolicyGradientNumbers(NamedTuple):
    """The numbers of PPO or MMD, by the names of the published files.

    Attributes
    ----------
    num_envs, num_steps : int
        Their product is the number of decisions in a batch.
    """

    clip_coef: float
    ent_coef: float
    learning_rate: float
    num_minibatches: int
    num_steps: int
    update_epochs: int
    vf_coef: float
    kl_coef: float = 0.0
    num_envs: int = 8
    gae_lambda: float = 0.95

    def spec(self, decisions: float) -> dict[str, Any]:
        """Return the numbers by the names of `NetworkPolicyGradient`.

        decisions : mean number of decisions of an episode.
        """
        return {
            "clip": self.clip_coef,
            "kl": self.kl_coef,
            "entropy": self.ent_coef,
            "entropy_halving_steps": inf,
            "gae": self.gae_lambda,
            "epochs": self.update_epochs,
            "minibatches": self.num_minibatches,
            # The published loss has half of the square.
            "value": self.vf_coef / 2,
            "learning_rate": self.learning_rate,
            "halving_steps": inf,
            "batch_size": max(1, round(self.num_envs * self.num_steps / decisions)),
        }


class RNaDNumbers(NamedTuple):
    """The numbers of R-NaD, by the names of the published files; `batch_size` is in episodes."""

    batch_size: int
    c_vtrace: float
    entropy_schedule_size: int
    eta_reward_transform: float
    learning_rate: float
    target_network_avg: float

    def spec(self, decisions: float) -> dict[str, Any]:
        """Return the numbers by the names of `NetworkRNaD`."""
        from infoset.deep import EntropySchedule

        return {
            "eta": self.eta_reward_transform,
            "is_relative": False,
            "schedule": EntropySchedule((self.entropy_schedule_size,), (1,)),
            "uniform_weight": 0.0,
            "c_bar": self.c_vtrace,
            "learning_rate": self.learning_rate,
            "halving_steps": inf,
            "target_rate": self.target_network_avg,
            "adam_epsilon": 1e-7,
            "batch_size": self.batch_size,
        }


PUBLISHED_NUMBERS: Final[Mapping[str, Mapping[str, PolicyGradientNumbers | RNaDNumbers]]] = {
    DARK_HEX: {
        "ppo": PolicyGradientNumbers(0.025, 0.05, 2.5e-4, 8, 256, 4, 0.0625),
        "mmd": PolicyGradientNumbers(0.8, 0.05, 6.25e-5, 32, 32, 2, 0.0625, kl_coef=0.1),
        "rnad": RNaDNumbers(64, 1.0, 12_500, 0.2, 2e-4, 0.008),
    },
    PHANTOM_TTT: {
        "ppo": PolicyGradientNumbers(0.8, 0.2, 2.5e-4, 1, 512, 4, 0.5),
        "mmd": PolicyGradientNumbers(0.8, 0.2, 2.5e-4, 1, 16, 4, 1.0, kl_coef=0.2),
        "rnad": RNaDNumbers(512, 4.0, 6250, 0.05, 4e-4, 0.000125),
    },
    LIARS_DICE: {
        "ppo": PolicyGradientNumbers(0.025, 0.1, 6.25e-5, 1, 256, 8, 0.0625),
        "mmd": PolicyGradientNumbers(0.025, 0.1, 6.25e-5, 1, 256, 8, 0.0625, kl_coef=0.025),
        "rnad": RNaDNumbers(32, 0.25, 50_000, 0.1, 1e-4, 0.00025),
    },
}
"""By game and method."""

DECISIONS: Final[Mapping[str, float]] = {DARK_HEX: 11.5, PHANTOM_TTT: 9.5, LIARS_DICE: 3.5}
"""Mean numbers of decisions in an episode, roughly, which convert batches to episodes."""


def published_spec(game: str, method: str) -> NetworkSpec:
    """Return a preset with the published numbers for a game.

    Networks, and what the library's loop does not have, are those of the preset: published networks
    have three layers of 512 units, learning rates that decrease to 0, a discount of 0.99, and
    limits on the norms of gradients and on the changes of values.
    """
    from dataclasses import replace

    from infoset.deep import get_preset

    numbers = PUBLISHED_NUMBERS[game][method]
    return replace(get_preset(method), **numbers.spec(DECISIONS[game]))
