"""Continuation values from plays, for games without a tree and without rules in JAX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import numpy as np

from infoset.beliefs import HistorySet
from infoset.game import Game, History, Infostate
from infoset.game.infostate import infostate_generator
from infoset.policy import IDENTITY, ActionTable, Policy, Transformation
from infoset.policy.transformations import check_transformations, hash_transformations
from infoset.resolving.rules_resolver import CachedPolicy
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import check_count, check_type
from infoset.utils.clocks import check_deadline

UNORDERED: Final[tuple[Transformation, ...]] = (
    IDENTITY,
    *(
        Transformation(kind, kind)
        for kind in (
            "uniform",
            "rare",
            "drop most probable",
            "drop least probable",
            "keep most probable",
            "keep frequent",
            "keep rare",
        )
    ),
)
"""The transformations among `TRANSFORMATIONS` for which the order of actions means nothing."""


BATCH: Final = 10_000
"""Number of plays that are continued together, so that one call of the policy serves all."""


class RolloutContinuationValues:
    """Values of histories: means of plays to the end, for each continuation of the opponent.

    They need only the rules of the game and a policy. All continuations of a history use the same
    random numbers, so that their differences have less noise than their values. The opponent takes
    the best of several estimates, and with it the largest of their errors: with few plays, a search
    is too careful. A search plays its fallback if they exceed its time limit.

    Transformations by the number of an action, such as `high`, number the legal actions of each
    infostate, in their order. (Those of a tree number the actions of a phase of the game.)

    Parameters
    ----------
    game
        A two-player game.
    policy
        The policy of both players after each history: the blueprint of the search.
    transformations
        Of the opponent's policy; the first is the identity. By default `UNORDERED`.
    num
        Number of plays from each history for each continuation.
    seed
        The plays from a history depend only on it, on `seed`, and on the infostates of the players.

    Raises
    ------
    ParameterError
        If the first transformation is not the identity, or two are equal.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import UniformPolicy
    >>> from infoset.resolving import ContinualResolving
    >>> from infoset.search import search_model
    >>> game = load_game("dark_hex(board_size=2)")
    >>> values = RolloutContinuationValues(game, UniformPolicy(), num=4)
    >>> search = ContinualResolving(
    ...     search_model(game), UniformPolicy(), values, depth=1
    ... )
    """

    def __init__(
        self,
        game: Game,
        policy: Policy,
        transformations: Sequence[Transformation] = UNORDERED,
        *,
        num: int = 10,
        seed: int = 0,
    ) -> None:
        check_type("game", game, Game, 'rules, such as infoset.load("dark_hex")')
        check_type("policy", policy, Policy, "a policy, such as UniformPolicy()")
        check_transformations(transformations)
        check_count("num", num, minimum=1)
        check_count("seed", seed)
        self.game, self.policy, self.num, self.seed = game, policy, num, seed
        self.transformations = tuple(transformations)

    @property
    def name(self) -> str:
        """The text that stands for the values among the settings of a search."""
        row = hash_transformations(self.transformations)[:8]
        return f"rollouts(num={self.num},seed={self.seed},transformations={row})"

    def continuation_values(self, histories: HistorySet, player: Player) -> FloatArray:
        """Return [K, n] the reward that a player expects after each history.

        In column 0, both players play the policy; in the others, the opponent plays a
        transformation of it.

        Raises
        ------
        UserFunctionError
            If the policy raises an exception.
        """
        policy, size = CachedPolicy(self.policy), len(self.transformations)
        totals = np.zeros((len(histories), size))
        starts = self._starts(histories)
        while batch := [*islice(starts, max(1, BATCH // size))]:
            # In the order of plays and continuations.
            plays = [start for _, start, _ in batch for _ in range(size)]
            generators = [np.random.default_rng(seed) for *_, seed in batch for _ in range(size)]
            running = [*range(len(plays))]
            while running := [number for number in running if not plays[number].is_terminal]:
                self._step(plays, running, generators, policy, 1 - player)
            earned = np.array([play.rewards_so_far[player] for play in plays])
            np.add.at(totals, [number for number, *_ in batch], earned.reshape(-1, size))
        return totals / self.num

    def _starts(self, histories: HistorySet) -> Iterator[tuple[int, History, int]]:
        """Yield the number of a history, the history and a seed, for each play."""
        worlds = zip(histories.worlds, histories.position.tolist(), strict=True)
        for number, (world, places) in enumerate(worlds):
            pairs = zip(histories.infostates, places, strict=True)
            infostates = tuple(own[place] for own, place in pairs)
            start = History(self.game, world, infostates, (0.0,) * len(infostates))
            for seed in self._seeds(infostates):
                yield number, start, seed

    def _seeds(self, infostates: Sequence[Infostate]) -> list[int]:
        """Return the seeds of the plays from a history."""
        draws = [
            infostate_generator(self.seed, own).integers(2**63, size=self.num) for own in infostates
        ]
        found: list[int] = np.bitwise_xor.reduce(draws).tolist()
        return found

    def _step(
        self,
        plays: list[History],
        running: Sequence[int],
        generators: Sequence[np.random.Generator],
        policy: CachedPolicy,
        opponent: Player,
    ) -> None:
        """Do one transition of each play, with one question to the policy for all of them."""
        legal = {
            plays[number].infostates[actor]: plays[number].legal_actions(actor)
            for number in running
            for actor in plays[number].actors
        }
        answers = policy.many_action_probabilities([*legal], [*legal.values()])
        blueprint = dict(zip(legal, answers, strict=True))
        known = {own: blueprint[own] for own in legal if own.player == opponent}
        others = [transformed(row, known, legal) for row in self.transformations]
        for number in running:
            check_deadline()
            play, rng = plays[number], generators[number]
            other = others[number % len(others)]
            actions = {}
            for actor in play.actors:
                own = play.infostates[actor]
                weights = (other if actor == opponent else blueprint)[own]
                actions[actor] = draw(legal[own], weights, rng)
            plays[number] = play.sample(play.joint(actions), rng)


def transformed(
    row: Transformation,
    known: Mapping[Infostate, FloatArray],
    legal: Mapping[Infostate, tuple[Action, ...]],
) -> Mapping[Infostate, FloatArray]:
    """Return a transformed policy at infostates where it is known."""
    if row.kind == "identity" or not known:
        return known
    table = ActionTable.of_lists([legal[own] for own in known])
    policy = np.zeros(table.legal.shape)
    policy[table.legal] = np.concatenate([*known.values()])
    changed = row.apply(policy, table)
    return {own: changed[place, : len(known[own])] for place, own in enumerate(known)}


def draw(actions: Sequence[Action], weights: FloatArray, rng: np.random.Generator) -> Action:
    """Return an action drawn with probabilities `weights`."""
    total = np.cumsum(weights)
    place = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
    return actions[min(place, len(actions) - 1)]
