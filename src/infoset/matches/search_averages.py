"""The average policy of a searcher, as a table or computed on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import SequenceForm, behavior_to_plan
from infoset.game import Infostate
from infoset.game.infostate import infostate_generator
from infoset.matches.repeated_search import Average, Repeats, SupportsSearch, check_searcher
from infoset.policy import TabularPolicy, uniform_policy
from infoset.runs import check_workers, parallel_map
from infoset.tree import GameTree
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_number, check_type
from infoset.utils.short_repr import ShortRepr

INFOSTATES_PER_TASK = 8

Searchers: TypeAlias = SupportsSearch | Sequence[SupportsSearch | None]
"""One searcher for all players, or one per player; None plays uniformly."""

InfostatePosition: TypeAlias = tuple[Player, int]
"""A player and the position of one of its acting infostates."""


@dataclass(frozen=True, eq=False, repr=False)
class AveragedSearch(ShortRepr):
    """The average policy of searchers, with standard errors."""

    policy: TabularPolicy
    """The average policy, which is uniform at infostates that were not searched."""
    repeats: tuple[LongArray, ...]
    """Per player [I] number of searches at each acting infostate; 0 at infostates with a single
    action and at infostates that were skipped."""
    standard_errors: tuple[FloatArray, ...]
    """Per player [I] largest standard error of the action probabilities; 0 if no search was run."""
    last_changes: tuple[FloatArray, ...]
    """Per player [I] largest change of the action probabilities between the last two checks; 0 if
    no search was run."""
    tolerance: float

    @property
    def num_unconverged(self) -> int:
        """Number of infostates whose standard error is above the tolerance."""
        return sum(int((errors > self.tolerance).sum()) for errors in self.standard_errors)

    @property
    def is_converged(self) -> bool:
        """Whether every standard error is within the tolerance."""
        return self.num_unconverged == 0


def average_search(
    game: GameTree | SequenceForm,
    searchers: Searchers,
    *,
    tolerance: float = 0.01,
    max_repeats: int = 3000,
    seed: int = 0,
    reached_only: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
) -> AveragedSearch:
    """Return the average policy of searchers as a table.

    At each infostate, independent searches are repeated until the standard error of every action
    probability is at most the tolerance. There are at least 1 / `tolerance` searches, so that a
    single result changes the average by at most the tolerance. An action that never occurs in n
    searches may still have a probability of about 1 / n.

    Parameters
    ----------
    searchers : searcher, or a sequence of one per player
        Each has a method `search(infostate, rng)`. None plays uniformly.
    tolerance
        Probability, above 0 and at most 1; the paper uses 1%.
    max_repeats
        Limit on the searches at one infostate, at least 2. For a tolerance of 1%, about 2600
        searches always suffice.
    reached_only
        Search only at infostates that the average of the player's own earlier searches reaches.
        The value of a best response does not depend on the other infostates.
    workers
        Number of processes; by default 1. The results do not depend on it.
    executor
        Where to run instead, as in `play_matches`. Cannot be combined with `workers`.

    Returns
    -------
    AveragedSearch

    Notes
    -----
    Source: Arjonilla, Cazenave and Saffidine (2024). They repeat searches until the average policy
    changes by less than 1%, but do not say how often it is checked. Here it is checked after 1 /
    `tolerance` searches, and then whenever the estimated standard error suggests that there are
    enough. The number of searches at most doubles between checks. From n / 2 to n searches the
    average changes by about its final error, so that the standard error gives the same rule with
    less noise. If a standard error equals the tolerance, the error of about one probability in
    three is larger than the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> class Coin:
    ...     def search(self, infostate, rng):
    ...         return np.eye(2)[rng.integers(2)]
    >>> average = average_search(
    ...     build_tree(load_game("kuhn_poker")), Coin(), tolerance=0.05
    ... )
    >>> average.is_converged, bool(abs(average.policy["[K]", 0]["bet"] - 0.5) < 0.2)
    (True, True)
    """
    check_type("game", game, (GameTree, SequenceForm), "a GameTree, or its form")
    form = game.sequence_form if isinstance(game, GameTree) else game
    repeats = Repeats(tolerance, max_repeats)
    check_count("seed", seed)
    check_workers(workers, executor)
    searches = _Searches(form, _searcher_of_each(searchers, form), repeats, seed)
    table = _AverageTable(form)
    with parallel_map(searches, workers or 1, executor=executor) as averages:
        for wave in table.waves(searches.searchers, reached_only):
            portions = [
                wave[start : start + INFOSTATES_PER_TASK]
                for start in range(0, len(wave), INFOSTATES_PER_TASK)
            ]
            for positions, found in zip(portions, averages(portions), strict=True):
                for position, average in zip(positions, found, strict=True):
                    table.put(position, average)
    return table.result(float(tolerance))


def _searcher_of_each(
    searchers: Searchers, form: SequenceForm
) -> tuple[SupportsSearch | None, ...]:
    """Return the searcher of each player."""
    given = searchers if isinstance(searchers, list | tuple) else [searchers] * form.num_players
    if len(given) != form.num_players:
        raise ParameterError(
            f"got {len(given)} searchers; {form.name} has {form.num_players} players; give one "
            f"searcher per player (None for uniform play), or one for all"
        )
    for searcher in given:
        if searcher is not None:
            check_searcher(searcher)
    return tuple(given)


@dataclass(frozen=True)
class _Searches:
    """Runs the searches at some infostates. Each process gets a copy."""

    form: SequenceForm
    searchers: tuple[SupportsSearch | None, ...]
    repeats: Repeats
    seed: int

    def __call__(self, positions: Sequence[InfostatePosition]) -> list[Average]:
        return [self._average(*position) for position in positions]

    def _average(self, player: Player, position: int) -> Average:
        """Return the average at one infostate, which has its own random stream."""
        searcher = self.searchers[player]
        assert searcher is not None
        tree = self.form.infostate_trees[player]
        number = int(tree.acting[position])
        infostate, legal_actions = tree.infostate_at(number), tree.legal_actions(number)
        source = np.random.SeedSequence(self.seed, spawn_key=(player, number))
        rng = np.random.default_rng(source)
        return self.repeats.average(searcher, rng, infostate, legal_actions)


class _AverageTable:
    """A table of averages that is filled during the searches."""

    def __init__(self, form: SequenceForm) -> None:
        self.form = form
        self._probabilities = [values.copy() for values in uniform_policy(form).probabilities]
        self._statistics = [np.zeros((3, plex.num_infostates)) for plex in form.treeplexes]

    def waves(
        self, searchers: tuple[SupportsSearch | None, ...], reached_only: bool
    ) -> Iterator[list[InfostatePosition]]:
        """Yield the infostates to search, one wave of independent infostates per own depth."""
        depths = [plex.own_depth for plex in self.form.treeplexes]
        for depth in range(1 + max(int(of_player.max(initial=-1)) for of_player in depths)):
            wave: list[InfostatePosition] = []
            for player, plex in enumerate(self.form.treeplexes):
                here = (depths[player] == depth) & (plex.num_actions > 1)
                if searchers[player] is None:
                    continue
                # Searches before this depth are finished, so the plan up to here is final.
                if reached_only:
                    here &= self._plan(player)[plex.parent_sequence] > 0
                wave += [(player, position) for position in np.flatnonzero(here).tolist()]
            yield wave

    def _plan(self, player: Player) -> FloatArray:
        """Return [Q] the realization plan of the averages so far."""
        plex = self.form.treeplexes[player]
        return behavior_to_plan(
            plex.parent_sequence, plex.first_sequence, plex.num_actions, self._probabilities[player]
        )

    def put(self, where: InfostatePosition, average: Average) -> None:
        """Store the average at an infostate."""
        player, position = where
        first = self.form.treeplexes[player].first_sequence[position]
        self._probabilities[player][first : first + len(average.policy)] = average.policy
        self._statistics[player][:, position] = (
            average.repeats,
            average.error,
            average.last_change,
        )

    def result(self, tolerance: float) -> AveragedSearch:
        """Return the averages as a result."""
        return AveragedSearch(
            policy=TabularPolicy.from_weights(self.form, self._probabilities),
            repeats=tuple(found[0].astype(np.int64) for found in self._statistics),
            standard_errors=tuple(found[1] for found in self._statistics),
            last_changes=tuple(found[2] for found in self._statistics),
            tolerance=tolerance,
        )


class AveragePolicy:
    """The average policy of a searcher, computed on demand at each infostate and cached.

    This class serves games that are not compiled. For a compiled game use `average_search`.

    Parameters
    ----------
    searcher
        An object with a method `search(infostate, rng)`.
    tolerance, max_repeats
        As in `average_search`.
    seed
        The random numbers of the searches depend on the seed and the infostate.
    min_probability
        Actions with a smaller average probability are dropped, and the remaining ones are
        normalized. Must be below 1 / 2.

    Examples
    --------
    >>> from infoset.matches import play_matches
    >>> from infoset.games import load_game
    >>> class Coin:
    ...     def search(self, infostate, rng):
    ...         return np.eye(2)[rng.integers(2)]
    >>> policy = AveragePolicy(Coin(), tolerance=0.1)
    >>> result = play_matches(load_game("kuhn_poker"), policy, None, num_deals=100)
    >>> policy.num_infostates
    12
    """

    def __init__(
        self,
        searcher: SupportsSearch,
        *,
        tolerance: float = 0.01,
        max_repeats: int = 3000,
        seed: int = 0,
        min_probability: float = 0.0,
    ) -> None:
        check_searcher(searcher)
        check_count("seed", seed)
        check_number("min_probability", min_probability)
        if min_probability >= 0.5:
            raise ParameterError(
                f"min_probability={min_probability} could drop all actions; give a number below 0.5"
            )
        self.searcher = searcher
        self.repeats = Repeats(tolerance, max_repeats)
        self.seed = seed
        self.min_probability = min_probability
        self._found: dict[Infostate, FloatArray] = {}
        self.num_unconverged = 0

    @property
    def num_infostates(self) -> int:
        """Number of infostates at which the policy was queried."""
        return len(self._found)

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the average probability of each legal action, in order."""
        if infostate not in self._found:
            self._found[infostate] = self._average(infostate, legal_actions)
        return self._found[infostate].copy()

    def _average(self, infostate: Infostate, legal_actions: Sequence[Action]) -> FloatArray:
        if len(legal_actions) == 1:
            return np.ones(1)
        rng = infostate_generator(self.seed, infostate)
        average = self.repeats.average(self.searcher, rng, infostate, legal_actions)
        self.num_unconverged += average.error > self.repeats.tolerance
        minimum = min(self.min_probability, float(average.policy.max()))
        kept = np.where(average.policy >= minimum, average.policy, 0.0)
        found: FloatArray = kept / kept.sum()
        return found
