"""Matches of search by rules against networks, in games without a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.game import Game
from infoset.games import load_game
from infoset.matches import play_matches
from infoset.resolving import ContinualResolving
from infoset.runs import Interrupt
from infoset.search import RulesModel
from infoset_studies.beliefs.published import Measured
from infoset_studies.sepot.blueprints import (
    SHARED_CRITIC,
    alone,
    goofspiel,
    has_networks,
    train_network,
    without_networks,
)

__all__ = [
    "HEAD_TO_HEAD",
    "TABLE_1",
    "TABLE_1_LARGE",
    "Match",
    "MatchCell",
    "RulesSearch",
    "Training",
]

NORMAL: Final = 1.96
"""Half width of the 95% interval of a normal distribution, in standard errors."""

MIN_NETWORKS: Final = 3
"""Number of matches from which intervals are over networks, which differ more than deals."""

METHODS: Final[Mapping[str, str]] = {
    "complete": "searched",
    "sample": "sampled",
    "earlier": "earlier search",
    "blueprint": "network",
}
"""Columns by the method of a decision, see `infoset.resolving.ResolvingRecord`."""


def battleship(side: int, ship_sizes: tuple[int, ...]) -> str:
    """Return the specification of battleship as in the paper: the first to sink all ships wins."""
    sizes = ";".join(map(str, ship_sizes))
    values = ";".join("1" for _ in ship_sizes)
    return (
        f"battleship(board_width={side},board_height={side},ship_sizes=[{sizes}],"
        f"ship_values=[{values}],num_shots=-1,allow_repeated_shots=False,payoff=win_loss)"
    )


BOARDS: Final = (battleship(3, (2, 2)), battleship(5, (3, 2, 2)))
CARDS, MORE_CARDS = (
    tuple(goofspiel(number, order) for order in ("descending", "random")) for number in (8, 13)
)

TITLES: Final[Mapping[str, str]] = {
    BOARDS[0]: "battleship 3x3, ships of 2 and 2",
    BOARDS[1]: "battleship 5x5, ships of 3, 2 and 2",
    CARDS[0]: "goofspiel 8, descending",
    CARDS[1]: "goofspiel 8, random",
    MORE_CARDS[0]: "goofspiel 13, descending",
    MORE_CARDS[1]: "goofspiel 13, random",
}


@dataclass(frozen=True)
class RulesSearch:
    """The settings of a search in a match, in a game without a tree.

    Attributes
    ----------
    limit : int or None
        As in the paper, a public state is searched only if its part has at most this many terminals
        and leaves. None for the limits of the library, with samples of histories.
    opponent : str
        The opponent's values at the root of a search.
    """

    limit: int | None = None
    opponent: str = "previous"

    def searcher(self, game: Game, made: Made, seed: int) -> ContinualResolving:
        """Return the search with a network and its critic."""
        return ContinualResolving(
            RulesModel(game),
            made.policy,
            made.critic,
            opponent=self.opponent,
            max_ends=self.limit,
            max_histories=self.limit,
            num_samples=None if self.limit is None else 0,
            seed=seed,
        )


class Made(NamedTuple):
    """A network and its critic."""

    policy: Any
    critic: Any


@dataclass(frozen=True)
class Training:
    """How a network and its critic are made.

    Attributes
    ----------
    steps, critic_steps : int
        Learner steps of the network, and of the critic afterwards; 0 for a critic that learns from
        the episodes of the network, as in the paper.
    """

    steps: int
    critic_steps: int = 0

    def make(self, name: str, seed: int) -> Made:
        """Train the network and the critic, or return those that this process already trained."""
        return _made(self, name, seed)


@lru_cache(maxsize=2)
def _made(training: Training, game: str, seed: int) -> Made:
    from infoset.deep import train_critic

    if not training.critic_steps:
        found = train_network(game, steps=training.steps, seed=seed, critic=SHARED_CRITIC)
        return Made(found.policy, found.critic)
    found = train_network(game, steps=training.steps, seed=seed)
    critic = train_critic(load_game(game), found.policy, steps=training.critic_steps, seed=seed)
    return Made(found.policy, critic)


@dataclass(frozen=True)
class MatchCell:
    """Some deals of a match of search with a network against a network.

    Attributes
    ----------
    game : str
    training : Training
    search : RulesSearch
    seeds : tuple[int, int]
        Of the network and critic of the search, and of the network against which it plays.
    deals, block : int
        Number of deals, each played in both positions, and the seed of the deals.
    """

    game: str
    training: Training
    search: RulesSearch
    seeds: tuple[int, int]
    deals: int
    block: int

    @property
    def name(self) -> str:
        """File name prefix."""
        numbers = (self.training.steps, self.search.limit or "sample", *self.seeds, self.block)
        return run_slug(TITLES[self.game], f"match-{'-'.join(map(str, numbers))}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the mean utility of the search, its standard error, and its kinds of decisions."""
        game = load_game(self.game)
        with alone(interrupt):
            own, other = (self.training.make(self.game, seed) for seed in self.seeds)
        search = self.search.searcher(game, own, self.seeds[0])
        result = play_matches(
            game,
            search,
            other.policy,
            num_deals=self.deals,
            seed=self.block,
            callback=lambda _: interrupt.is_set(),
        )
        if interrupt.is_set():
            raise CellInterrupted
        return {
            "utility": result.utility.mean,
            "standard_error": result.utility.standard_error,
            "methods": dict(search.methods),
        }


class Match(NamedTuple):
    """A row of a table: matches of searches with several networks.

    Attributes
    ----------
    game : str
    training : Training
    search : RulesSearch
    pairings : tuple[tuple[int, int], ...]
        Seeds as in `MatchCell`.
    deals : int
        Number of deals of each cell.
    blocks : int
        Maximum number of cells of each pairing.
    half_width : float
        Play stops once half of the 95% confidence interval is at most this.
    """

    game: str
    training: Training
    search: RulesSearch
    pairings: tuple[tuple[int, int], ...]
    deals: int
    blocks: int = 1
    half_width: float = 0.0

    def play(self, run: RunCells) -> Played:
        """Play until the interval is narrow enough."""
        results: list[list[CellResult]] = [[] for _ in self.pairings]
        for block in range(self.blocks):
            cells = [
                MatchCell(self.game, self.training, self.search, pair, self.deals, block)
                for pair in self.pairings
            ]
            for own, result in zip(results, run(cells), strict=True):
                own.append(result)
            played = Played.of(self.deals, results)
            if played.half_width <= self.half_width:
                break
        return played


class Played(NamedTuple):
    """The outcome of the plays of several pairings."""

    deals: int
    mean: float
    half_width: float
    methods: Counter[str]

    @classmethod
    def of(cls, deals: int, results: Sequence[Sequence[CellResult]]) -> Played:
        """Combine the cells of each pairing, which have the same number of deals."""
        methods: Counter[str] = Counter()
        means, variances = [], []
        for cells in results:
            own = np.array([cell["utility"] for cell in cells])
            errors = np.array([cell["standard_error"] for cell in cells])
            number = deals * len(cells)
            # Squares within the cells, and between them.
            squares = (errors**2 * deals * (deals - 1)).sum() + deals * (
                (own - own.mean()) ** 2
            ).sum()
            means.append(own.mean())
            variances.append(squares / (number - 1) / number)
            for cell in cells:
                methods.update(cell["methods"])
        mean = float(np.mean(means))
        if len(means) >= MIN_NETWORKS:
            half_width = Measured.of_runs(means).half_width
            assert half_width is not None
        else:
            half_width = NORMAL * float(np.sqrt(np.sum(variances))) / len(means)
        played = sum(deals * len(cells) for cells in results)
        return cls(played, mean, half_width, methods)


def match_report(name: str, run: RunCells, setting: tuple[Match, ...]) -> Report:
    """Play search by rules against networks, and return a table with a row for each match."""
    rows: list[tuple[str | float | int | None, ...]] = []
    for match in setting if has_networks() else ():
        played = match.play(run)
        shares = [played.methods[kind] / played.methods.total() for kind in METHODS]
        about = (TITLES[match.game], match.training.steps, match.search.limit or "samples")
        outcome = (len(match.pairings), played.deals, played.mean, played.half_width)
        rows.append((*about, *outcome, *shares))
    title = (
        "Search by rules to depth 1 against networks: mean utility of the search, from -1 to 1; "
        "half of the 95% confidence interval, over deals, or over networks if there are at least "
        f"{MIN_NETWORKS}; and the fractions of decisions by source.{without_networks()}"
    )
    columns = ("game", "learner steps", "limit", "networks", "deals", "mean", "±")
    return Report((Table(name, title, (*columns, *METHODS.values()), tuple(rows)),))


OWN_NETWORK: Final = tuple((seed, seed) for seed in range(5))

HEAD_TO_HEAD: Final = Experiment(
    "matches",
    "Matches of search by rules against its network",
    partial(match_report, "matches"),
    quick=(Match(BOARDS[0], Training(500, 500), RulesSearch(), OWN_NETWORK[:1], 30),),
    full=(
        Match(BOARDS[0], Training(5_000, 5_000), RulesSearch(), OWN_NETWORK, 30),
        Match(BOARDS[1], Training(1_000, 1_000), RulesSearch(), OWN_NETWORK, 8),
    ),
    quick_time="a minute",
    full_time="an hour for the small board, two for the large one",
)


def _table_1(
    steps: Mapping[str, int], limits: tuple[int | None, ...], deals: int, blocks: int
) -> tuple[Match, ...]:
    """Return the rows of the paper's Table 1, given the learner steps of each game.

    Searches with a limit have the paper's values at their roots; those with samples have the
    default ones, which require searches at earlier decisions.
    """
    return tuple(
        Match(
            game,
            Training(number),
            RulesSearch(limit, "profile") if limit else RulesSearch(),
            pairings=((0, 1), (1, 0)),
            deals=deals,
            blocks=blocks,
            half_width=0.08,
        )
        for limit, (game, number) in product(limits, steps.items())
    )


PAPER_LIMITS: Final = (25_000, 100_000)

TABLE_1: Final = Experiment(
    "table-1",
    "The paper's matches: search only where all histories are listed",
    partial(match_report, "table-1"),
    quick=_table_1({CARDS[0]: 200}, (2_000,), 10, 1),
    full=_table_1(
        {CARDS[0]: 5_000, CARDS[1]: 5_000, BOARDS[0]: 5_000}, (*PAPER_LIMITS, None), 10, 10
    ),
    quick_time="a minute",
    full_time="six hours",
)

TABLE_1_LARGE: Final = Experiment(
    "table-1-large",
    "The paper's matches in its largest games, whose networks need a GPU",
    partial(match_report, "table-1-large"),
    quick=_table_1({MORE_CARDS[0]: 20}, (2_000,), 2, 1),
    full=_table_1(
        {MORE_CARDS[0]: 400_000, MORE_CARDS[1]: 400_000, BOARDS[1]: 30_000}, PAPER_LIMITS, 10, 10
    ),
    quick_time="a minute",
    full_time="days without a GPU",
)
