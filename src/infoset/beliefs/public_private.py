"""Mixtures of what a player and what everybody believes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TypeAlias

import numpy as np

from infoset.beliefs.assumed_policies import AssumedPolicies
from infoset.beliefs.belief import Belief
from infoset.beliefs.consistent import beliefs_in, check_infostate
from infoset.beliefs.limits import MAX_WORLDS, NUM_SAMPLES, Limits
from infoset.errors import ParameterError
from infoset.game import Game, Infostate, PublicState
from infoset.tree import GameTree
from infoset.typing import NOOP

__all__ = ["PublicPrivateBelief", "Share"]

Share: TypeAlias = float | Sequence[float] | Mapping[PublicState, float]
"""The share of the public belief: a number, by number of own moves, or by public state."""


@dataclass(frozen=True)
class PublicPrivateBelief:
    """A mixture of what a player believes, and what everybody believes, as one distribution.

    `B(h) = (1 - share) * B_private(h) + share * B_public(h)`, joint over histories. With share 0
    a player thinks of its own hand alone; with 1 it thinks like somebody who sees none, so that
    what it does gives nothing away.

    Attributes
    ----------
    share : float, Sequence[float] or Mapping[PublicState, float]
        λ of the paper, from 0 to 1: a number; or by the number of own moves so far, the last
        entry from there on; or by public state.
    policies : Policy or Sequence[Policy or None], optional
        Those that players are assumed to have, as in `private_belief`: by default nothing is
        inferred from moves, as in the paper.
    default : float
        The share at public states that a mapping has no entry for.
    max_worlds, num_samples : int
        As in `private_belief`.

    Raises
    ------
    ParameterError
        If a share is not a number from 0 to 1, or there is none.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). Policies and shares by public state
    are additions.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> dice = load_game("liars_dice(dice_sides=2)")
    >>> one = Infostate(0, (Step(None, (1,), None),))
    >>> belief = PublicPrivateBelief(0.5).at(dice, one)
    >>> dict(zip(["/".join(map(str, w.hands)) for w in belief.worlds], belief.probability.tolist()))
    {'(1,)/(1,)': 0.375, '(1,)/(2,)': 0.375, '(2,)/(1,)': 0.125, '(2,)/(2,)': 0.125}
    """

    share: Share
    policies: AssumedPolicies = field(default=None, kw_only=True)
    default: float = field(default=0.0, kw_only=True)
    max_worlds: int = field(default=MAX_WORLDS, kw_only=True)
    num_samples: int = field(default=NUM_SAMPLES, kw_only=True)

    def __post_init__(self) -> None:
        Limits(None, self.max_worlds, self.num_samples)
        _check_share("default", self.default)
        if isinstance(self.share, Mapping):
            for public_state, share in self.share.items():
                _check_public_state(public_state)
                _check_share(f"share at {public_state}", share)
        elif isinstance(self.share, (tuple, list)):
            object.__setattr__(self, "share", tuple(self.share))
            if not self.share:
                raise ParameterError("share=() has no entry; give one for each own move, or 0.0")
            for number, share in enumerate(self.share):
                _check_share(f"share of own move {number}", share)
        else:
            _check_share("share", self.share)

    def share_at(self, infostate: Infostate) -> float:
        """Return the share of the public belief at an infostate."""
        if isinstance(self.share, Mapping):
            return float(self.share.get(infostate.public_state, self.default))
        if isinstance(self.share, tuple):
            num_moves = sum(step.action is not NOOP for step in infostate.steps)
            return float(self.share[min(num_moves, len(self.share) - 1)])
        return float(self.share)  # type: ignore[arg-type]

    def at(
        self,
        source: Game | GameTree,
        infostate: Infostate,
        *,
        rng: np.random.Generator | None = None,
    ) -> Belief:
        """Return the mixture at an infostate; a history that is in both parts is there once.

        Parameters
        ----------
        source : Game or GameTree
        infostate : Infostate
        rng : np.random.Generator, optional
            Needed only where there are more histories than are listed.

        Raises
        ------
        ParameterError, UnknownNameError, UnsupportedGameError
            As `private_belief` does.
        """
        found = beliefs_in(source, self.policies, Limits(rng, self.max_worlds, self.num_samples))
        check_infostate(source, infostate)
        share = self.share_at(infostate)
        return found.mixed(infostate, share) if share else found.private(infostate)


def _check_share(name: str, share: object) -> None:
    is_number = isinstance(share, Real) and not isinstance(share, bool)
    if not (is_number and 0 <= share <= 1):  # type: ignore[operator]
        raise ParameterError(
            f"{name} is {share!r}; it must be a number from 0, for what the player believes, to 1, "
            "for what everybody believes"
        )


def _check_public_state(public_state: object) -> None:
    if not isinstance(public_state, PublicState):
        raise ParameterError(
            f"share by public state has the key {public_state!r}; its keys are public states, as "
            "history.public_state is"
        )
