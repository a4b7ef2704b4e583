"""Monte Carlo CFR by traversals, as rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from infoset.errors import ParameterError
from infoset.learning.knowledge import Knowledge
from infoset.learning.mccfr.traversal._kernels import (
    Frames,
    TraversalParameters,
    TraversalState,
    expected_passages,
    learn_by_traversals,
)
from infoset.learning.row import Presets
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulation import Simulator
from infoset.utils.arguments import check_number

__all__ = ["SampledTraversal", "SampledTraversalSelfPlay"]


@dataclass(frozen=True)
class SampledTraversal:
    """Monte Carlo CFR by traversals of a game that can be reset, for one player after another.

    Nature's outcomes are drawn. The player that learns goes into an action with probability
    `max(min_probability, (bonus + threshold · s(a)) / (bonus + Σ s))`, or 1 if that is more, s the
    sum of its own reach of the action so far. An episode is a traversal.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    all_opponents : bool
        Whether the other players go into all actions, as in chance sampling, or into one drawn
        from their policies, as in external and average-strategy sampling.
    min_probability : float
        ε, above 0 and at most 1; with 1 the player goes into all actions, whatever comes next.
    threshold, bonus : float
        τ and β; β is above 0 if ε is below 1.
    clip_regrets : bool
        Whether negative cumulative regrets are reset to 0, as in regret matching+.
    presets : Presets
        Settings that have a name.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning.simulation import make_simulator
    >>> from infoset.tree import build_tree
    >>> row = SampledTraversal("external", "as published")
    >>> learning = row.self_play(make_simulator(build_tree(load_game("kuhn_poker"))), horizon=1000)
    >>> learning.run(1000)
    >>> learning.iteration, learning.terminal_visits > 2000
    (1000, True)
    """

    name: str
    description: str
    all_opponents: bool = False
    min_probability: float = 1.0
    threshold: float = 0.0
    bonus: float = 0.0
    clip_regrets: bool = False
    presets: Presets = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("min_probability", "threshold", "bonus"):
            check_number(name, getattr(self, name))
        if not 0.0 < self.min_probability <= 1.0:
            raise ParameterError(
                f"min_probability={self.min_probability} must be above 0 and at most 1, so that "
                "every action is sampled"
            )
        if self.min_probability < 1.0 and self.bonus == 0.0:
            raise ParameterError(
                "bonus=0 must be above 0 where min_probability is below 1: without it, nothing "
                "says how likely actions are at infostates that the average policy never comes to"
            )

    @property
    def knowledge(self) -> Knowledge:
        """A simulator: traversals come back to where they have been."""
        return Knowledge.SIMULATOR

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> SampledTraversalSelfPlay:
        """Return learners of this kind in all seats.

        `horizon` is the number of episodes meant; nothing depends on it.
        """
        check_play(simulator, horizon)
        return SampledTraversalSelfPlay(self, simulator, seed)


class SampledTraversalSelfPlay(SelfPlay):
    """Players of all seats that learn in turns, by traversals."""

    learned = ("regret", "ends")
    _state: TraversalState

    def __init__(self, row: SampledTraversal, simulator: Simulator, seed: int) -> None:
        self._numbers = TraversalParameters(
            bool(row.all_opponents),
            float(row.min_probability),
            float(row.threshold),
            float(row.bonus),
            0.0 if row.clip_regrets else -inf,
        )
        state = TraversalState(
            policy=simulator.uniform(),
            regret=np.zeros(simulator.num_slots),
            ends=np.zeros(1, np.int64),
            mass=np.zeros(simulator.num_slots),
            counted=np.zeros(len(simulator.depth)),
        )
        settings = {"learner": row.name, **self._numbers._asdict()}
        super().__init__(simulator, seed, settings, state, simulator.utility)
        self._frames = _empty_frames(simulator)
        self._work = 8 * (1 + round(np.mean(_passages(self._numbers, simulator))))

    @property
    def terminal_visits(self) -> int:
        """Number of terminal nodes visited: the cost of what was learned, in episodes played."""
        return int(self._state.ends[0])

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in an episode, about."""
        return self._work

    def _run(self, episodes: int) -> None:
        """Do `episodes` more traversals, inside one compiled call."""
        learn_by_traversals(self._numbers, self._arena, episodes, self._frames, self._state)


def _passages(numbers: TraversalParameters, simulator: Simulator) -> list[float]:
    """Return per player how many nodes its traversals pass, were all draws uniform."""
    nodes, infostates = simulator.nodes, simulator.infostates
    return [
        expected_passages(numbers, nodes, infostates, player)
        for player in range(simulator.num_players)
    ]


def _empty_frames(simulator: Simulator) -> Frames:
    """Return room for a traversal, of any player."""
    depth = 1 + int(simulator.most_decisions.sum())
    actions = int(simulator.infostates.num_actions.max(initial=1))
    kind = simulator.nodes.kind
    deciders = simulator.infostates.player[kind[kind >= 0]]
    return Frames(
        node=np.zeros(depth, np.int32),
        action=np.zeros(depth, np.int32),
        weight=np.zeros(depth),
        scale=np.zeros(depth),
        value=np.zeros((depth, actions)),
        changed=np.zeros(int(np.bincount(deciders).max(initial=0)), np.int32),
    )
