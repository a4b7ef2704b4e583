"""Monte Carlo CFR by sampled traversals of a game that can be reset.

External, chance and average-strategy sampling differ in the actions that a traversal enters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import PublicForm
from infoset.learning._sampled_traversal_kernels import (
    Frames,
    TraversalParameters,
    TraversalState,
    expected_nodes,
    run_self_play,
)
from infoset.learning.learner_spec import Knowledge, Presets
from infoset.learning.public_chance_sampling import PublicChanceSampling
from infoset.learning.self_play import SelfPlay, check_play
from infoset.learning.simulator import Simulator
from infoset.utils.arguments import check_count, check_number


@dataclass(frozen=True)
class SampledTraversal:
    """Monte Carlo CFR by sampled traversals of the game tree, in which the players alternate.

    Chance outcomes are sampled. The learning player samples an action with probability
    `max(min_probability, (bonus + threshold · s(a)) / (bonus + Σ s))`, at most 1, where s is the
    cumulative plan of its policies. A traversal counts as an episode. On public forms, see
    `PublicChanceSampling`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.learning import make_simulator
    >>> from infoset.tree import build_tree
    >>> spec = SampledTraversal("external", "as published")
    >>> learning = spec.self_play(
    ...     make_simulator(build_tree(load_game("kuhn_poker"))), horizon=1000
    ... )
    >>> learning.run(1000)
    >>> learning.iteration, learning.terminal_visits > 2000
    (1000, True)
    """

    name: str
    description: str
    """One line, with the source."""
    all_opponents: bool = False
    """Whether the other players enter all actions, as in chance sampling. Otherwise they enter one
    action drawn from their policies, as in external and average-strategy sampling."""
    min_probability: float = 1.0
    """Above 0 and at most 1; with 1 the learning player enters all actions. ε in the paper."""
    threshold: float = 0.0
    bonus: float = 0.0
    """τ and β in the paper. `bonus` must be positive if `min_probability` is below 1."""
    clip_regrets: bool = False
    """Whether negative cumulative regrets are reset to 0, as in regret matching+."""
    presets: Presets = field(default_factory=dict, compare=False, repr=False)
    """Named sets of parameters."""

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
                "bonus=0 is allowed only with min_probability=1: otherwise the sampling "
                "probability of actions that the average policy never takes is undefined"
            )

    @property
    def knowledge(self) -> Knowledge:
        """A simulator: traversals return to histories they have visited."""
        return Knowledge.SIMULATOR

    @property
    def visits_all_own_actions(self) -> bool:
        """Whether all own actions are visited, as self-play on public forms requires."""
        return self.min_probability == 1.0

    def self_play(
        self, simulator: Simulator, *, horizon: int, seed: int = 0
    ) -> SampledTraversalSelfPlay:
        """Return self-play of this learner in all positions; it does not depend on `horizon`."""
        check_play(simulator, horizon)
        return SampledTraversalSelfPlay(self, simulator, seed)

    def self_play_on_form(
        self, form: PublicForm, *, horizon: int, seed: int = 0
    ) -> PublicChanceSampling:
        """Return self-play on a public form, which computes all own hands together.

        Raises
        ------
        UnsupportedGameError
            If own actions are sampled, because they depend on the hand.
        """
        check_count("horizon", horizon, minimum=1)
        if not self.visits_all_own_actions:
            raise UnsupportedGameError(
                f"{self.name} samples own actions by the policy of a single hand, but a public "
                "form computes all hands together: choose cs-mccfr or es-mccfr, or give the game "
                "itself"
            )
        parameters = {"clip_regrets": self.clip_regrets, "all_opponents": self.all_opponents}
        settings = {"learner": self.name, **parameters}
        return PublicChanceSampling(form, settings, seed, **parameters)


class SampledTraversalSelfPlay(SelfPlay):
    """Self-play of `SampledTraversal`: the players alternate in learning."""

    learned = ("regret", "ends")
    _state: TraversalState

    def __init__(self, spec: SampledTraversal, simulator: Simulator, seed: int) -> None:
        self._parameters = TraversalParameters(
            bool(spec.all_opponents),
            float(spec.min_probability),
            float(spec.threshold),
            float(spec.bonus),
            0.0 if spec.clip_regrets else -inf,
        )
        state = TraversalState(
            policy=simulator.uniform(),
            regret=np.zeros(simulator.num_sequences),
            ends=np.zeros(1, np.int64),
            cumulative_plan=np.zeros(simulator.num_sequences),
            parent_counted=np.zeros(len(simulator.depth)),
        )
        settings = {"learner": spec.name, **self._parameters._asdict()}
        # Constants cancel in regrets if all actions of the learning player are entered. Otherwise
        # an action that is not entered counts as 0, which then has to be the midrange.
        enters_all = spec.min_probability >= 1.0
        utility = simulator.utility if enters_all else simulator.centered_utility()
        super().__init__(simulator, seed, settings, state, utility)
        self._frames = _empty_frames(simulator)
        num_nodes = [
            expected_nodes(self._parameters, simulator.nodes, simulator.infostates, player)
            for player in range(simulator.num_players)
        ]
        self._cost = 8 * (1 + round(np.mean(num_nodes)))

    @property
    def terminal_visits(self) -> int:
        """Number of terminals visited, a measure of cost comparable to episodes played."""
        return int(self._state.ends[0])

    @property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        return self._cost

    def _run(self, episodes: int) -> None:
        """Run `episodes` more traversals in one compiled call."""
        run_self_play(self._parameters, self._play_state, episodes, self._frames, self._state)


def _empty_frames(simulator: Simulator) -> Frames:
    """Return an empty stack, large enough for the deepest traversal of any player."""
    # Frame 0 is the root, above all decisions.
    depth = 1 + int(simulator.max_decisions.sum())
    actions = int(simulator.infostates.num_actions.max(initial=1))
    kind = simulator.nodes.kind
    deciders = simulator.infostates.player[kind[kind >= 0]]
    return Frames(
        node=np.zeros(depth, np.int32),
        action=np.zeros(depth, np.int32),
        weight=np.zeros(depth),
        scale=np.zeros(depth),
        value=np.zeros((depth, actions)),
        # An infostate is listed at each visit, so there may be as many as nodes of a player.
        changed=np.zeros(int(np.bincount(deciders).max(initial=0)), np.int32),
    )


SAMPLED_TRAVERSAL_LEARNERS: tuple[SampledTraversal, ...] = (
    SampledTraversal(
        "es-mccfr",
        "Monte Carlo CFR, external sampling (Lanctot et al. 2009)",
    ),
    SampledTraversal(
        "cs-mccfr",
        "Monte Carlo CFR, chance sampling (Zinkevich et al. 2007)",
        all_opponents=True,
    ),
    SampledTraversal(
        "as-mccfr",
        "Monte Carlo CFR, average-strategy sampling (Gibson et al. 2012)",
        min_probability=0.05,
        threshold=1000.0,
        bonus=1e6,
    ),
)
