"""The policy of a searcher: its answers at every infostate, averaged until they stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.tree_plays import own_depths
from infoset.matches.repeated_search import Average, Repeats, check_searcher
from infoset.matches.searching import SupportsSearch
from infoset.policy import TabularPolicy, behavior_to_plan, uniform_policy
from infoset.tree import GameTree, SequenceForm
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_type
from infoset.utils.workers import parallel_map

__all__ = ["AveragedSearch", "average_search"]

INFOSTATES_AT_ONCE = 8

Searchers: TypeAlias = SupportsSearch | Sequence[SupportsSearch | None]
"""One for all players, or one for each; None is not searched for, and uniform."""

Place: TypeAlias = tuple[Player, int]
"""A player, and the position of one of its acting infostates."""


@dataclass(frozen=True, eq=False)
class AveragedSearch:
    """The average of what searchers answered, and how sure it is.

    Attributes
    ----------
    policy : TabularPolicy
        Uniform where nobody was asked.
    repeats : tuple[LongArray, ...]
        Per player [I] how often it was asked at each acting infostate; 0 where there is one
        action, or where it was left out.
    errors : tuple[FloatArray, ...]
        Per player [I] the standard error of the average probability of an action, the largest; 0
        where nobody was asked.
    moved : tuple[FloatArray, ...]
        Per player [I] by how much the average probability of an action moved between the last
        two looks, at most; 0 where nobody was asked.
    tolerance : float
    """

    policy: TabularPolicy
    repeats: tuple[LongArray, ...]
    errors: tuple[FloatArray, ...]
    moved: tuple[FloatArray, ...]
    tolerance: float

    @property
    def num_unconverged(self) -> int:
        """Number of infostates whose standard error is still above the tolerance."""
        return sum(int((errors > self.tolerance).sum()) for errors in self.errors)

    @property
    def is_converged(self) -> bool:
        """Whether every average is within the tolerance."""
        return self.num_unconverged == 0


def average_search(
    game: GameTree | SequenceForm,
    searchers: Searchers,
    *,
    tolerance: float = 0.01,
    max_repeats: int = 3000,
    seed: int = 0,
    reached_only: bool = False,
    workers: int = 1,
) -> AveragedSearch:
    """Return the policy that searchers play on average, as a table.

    At each infostate the search is repeated, with numbers of its own, at least 1 / `tolerance`
    times, so that no single answer moves the average by more, and until no action's probability
    has a standard error above the tolerance. An action that is never found in n repeats may still
    have a probability of some 1 / n.

    Parameters
    ----------
    game : GameTree or SequenceForm
    searchers : searcher, or a sequence of one per player
        Each has a method `search(infostate, rng)`. None leaves a player out: it plays uniformly.
    tolerance : float
        Probability, above 0 and at most 1; the paper's is 1 %.
    max_repeats : int
        Most searches at one infostate, at least 2. For 1 %, about 2600 are enough whatever they
        find.
    seed : int
    reached_only : bool
        Search only where the averages of the player's own earlier searches lead. The value of a
        best response to it does not depend on the others.
    workers : int
        Number of processes; results do not depend on it, nor on the order of infostates.

    Returns
    -------
    AveragedSearch

    Raises
    ------
    ParameterError
        If what is given is no game in these forms, no searcher or out of range, or a search
        answers with no distribution.

    Notes
    -----
    Source: Arjonilla, Cazenave and Saffidine (2024), who repeat until the average policy moves by
    less than 1 %; they do not say how often it is looked at. Looks are at 1 / `tolerance`
    repeats, and from then on where there should be enough by the errors seen, at most twice as
    many. Between n / 2 and n repeats the average moves by as much as it is off in the end, up to
    chance, so that the standard error is the same rule without luck in it. Where it is just
    within the tolerance, one probability in three is off by more.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> class Coin:
    ...     def search(self, infostate, rng):
    ...         return np.eye(2)[rng.integers(2)]
    >>> average = average_search(build_tree(load_game("kuhn_poker")), Coin(), tolerance=0.05)
    >>> average.is_converged, bool(abs(average.policy["[K]", 0]["bet"] - 0.5) < 0.2)
    (True, True)
    """
    check_type("game", game, (GameTree, SequenceForm), "a GameTree, or its sequence_form")
    form = game.sequence_form if isinstance(game, GameTree) else game
    repeats = Repeats(tolerance, max_repeats)
    check_count("seed", seed)
    check_count("workers", workers, minimum=1)
    asked = _Asked(form, _seated(searchers, form), repeats, seed)
    average = _Table(form)
    with parallel_map(asked, workers) as answers:
        for wave in average.waves(asked.searchers, reached_only):
            portions = [
                wave[start : start + INFOSTATES_AT_ONCE]
                for start in range(0, len(wave), INFOSTATES_AT_ONCE)
            ]
            for places, found in zip(portions, answers(portions), strict=True):
                for place, answer in zip(places, found, strict=True):
                    average.put(place, answer)
    return average.result(float(tolerance))


def _seated(searchers: Searchers, form: SequenceForm) -> tuple[SupportsSearch | None, ...]:
    """Return the searcher of each player."""
    given = searchers if isinstance(searchers, list | tuple) else [searchers] * form.num_players
    if len(given) != form.num_players:
        raise ParameterError(
            f"got {len(given)} searchers; {form.name} has {form.num_players} players: give one "
            "for each, None to leave one out, or one for all"
        )
    for searcher in given:
        if searcher is not None:
            check_searcher(searcher)
    return tuple(given)


@dataclass(frozen=True)
class _Asked:
    """Searches at some infostates: what processes are sent."""

    form: SequenceForm
    searchers: tuple[SupportsSearch | None, ...]
    repeats: Repeats
    seed: int

    def __call__(self, places: Sequence[Place]) -> list[Average]:
        return [self._average(*place) for place in places]

    def _average(self, player: Player, position: int) -> Average:
        """Return the average at one infostate, from numbers that belong to it alone."""
        searcher = self.searchers[player]
        assert searcher is not None
        tree = self.form.infostate_trees[player]
        number = int(tree.acting[position])
        infostate, legal_actions = tree.infostate_at(number), tree.legal_actions(number)
        source = np.random.SeedSequence(self.seed, spawn_key=(player, number))
        rng = np.random.default_rng(source)
        return self.repeats.average(searcher, rng, infostate, legal_actions)


class _Table:
    """The table that answers are put in."""

    def __init__(self, form: SequenceForm) -> None:
        self.form = form
        self._probabilities = [values.copy() for values in uniform_policy(form).probabilities]
        self._answers = [np.zeros((3, plex.num_infostates)) for plex in form.treeplexes]

    def waves(
        self, searchers: tuple[SupportsSearch | None, ...], reached_only: bool
    ) -> Iterator[list[Place]]:
        """Yield where to search, those of a wave independent of each other."""
        depths = [own_depths(plex) for plex in self.form.treeplexes]
        for depth in range(1 + max(int(of_player.max(initial=-1)) for of_player in depths)):
            wave: list[Place] = []
            for player, plex in enumerate(self.form.treeplexes):
                here = (depths[player] == depth) & (plex.num_actions > 1)
                if searchers[player] is None:
                    continue
                if reached_only:
                    here &= self._plan(player)[plex.parent_sequence] > 0
                wave += [(player, position) for position in np.flatnonzero(here).tolist()]
            yield wave

    def _plan(self, player: Player) -> FloatArray:
        """Return [Q] the realization plan of what was put in so far."""
        plex = self.form.treeplexes[player]
        return behavior_to_plan(
            plex.parent_sequence, plex.first_sequence, plex.num_actions, self._probabilities[player]
        )

    def put(self, place: Place, answer: Average) -> None:
        """Put an answer in its place."""
        player, position = place
        first = self.form.treeplexes[player].first_sequence[position]
        self._probabilities[player][first : first + len(answer.policy)] = answer.policy
        self._answers[player][:, position] = answer.repeats, answer.error, answer.moved

    def result(self, tolerance: float) -> AveragedSearch:
        """Return the averages."""
        return AveragedSearch(
            policy=TabularPolicy.from_weights(self.form, self._probabilities),
            repeats=tuple(found[0].astype(np.int64) for found in self._answers),
            errors=tuple(found[1] for found in self._answers),
            moved=tuple(found[2] for found in self._answers),
            tolerance=tolerance,
        )
