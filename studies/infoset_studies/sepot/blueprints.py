"""Blueprints of the study: networks of R-NaD, and average policies of CFR."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike

from infoset.evaluation import nash_conv
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.studies import RunCells
from infoset.games import load_game
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import Interrupt
from infoset.solvers.regret_family import average_policy
from infoset.tree import GameTree
from infoset.utils.extras import has_extra
from infoset_studies.beliefs.average_policies import tree_of

if TYPE_CHECKING:
    from infoset.deep import TrainingResult

__all__ = [
    "LEDUC",
    "NETWORK",
    "SHARED_CRITIC",
    "Blueprint",
    "BlueprintCell",
    "Known",
    "alone",
    "goofspiel",
    "has_networks",
    "known_blueprints",
    "train_network",
    "usable",
    "without_networks",
]

LEDUC: Final = "leduc_poker"
NETWORK: Final = "rnad"
"""The method of blueprints that are networks: a preset of `infoset.deep.train`."""

MAX_HISTORIES: Final = 300_000
"""Histories up to which networks are trained on a tree, where each step evaluates the network at
all infostates; those of larger games are trained by the rules."""

one_at_a_time = Lock()
"""Held while JAX compiles and trains: early versions of Python 3.11 fail in the parser (`AST
constructor recursion depth mismatch`) if two threads do so simultaneously."""

SHARED_CRITIC: Final = "v-trace-shared"
"""A critic that learns from the episodes of the network, as in the paper."""

LABELS: Final[Mapping[str, str]] = {NETWORK: "R-NaD", "cfr": "CFR", "cfr+": "CFR+"}


@contextmanager
def alone(interrupt: Interrupt) -> Iterator[None]:
    """Hold `one_at_a_time`; raise `CellInterrupted` if the cell was interrupted while it waited."""
    with one_at_a_time:
        if interrupt.is_set():
            raise CellInterrupted
        yield


def train_network(game: str, tree: GameTree | None = None, **options: Any) -> TrainingResult:
    """Train a network: on a tree if it is given and small enough, and otherwise by the rules.

    options : as in `infoset.deep.train`.
    """
    from infoset.deep import train

    if tree is not None and tree.num_histories <= MAX_HISTORIES:
        return train(tree, NETWORK, **options)
    return train(load_game(game), NETWORK, build=False, response_steps=0, **options)


def goofspiel(num_cards: int, points_order: str = "descending") -> str:
    """Return the specification of goofspiel with win or loss as payoff."""
    return (
        f"goofspiel(num_cards={num_cards},imp_info=True,points_order={points_order},"
        "returns_type=win_loss)"
    )


@dataclass(frozen=True)
class Blueprint:
    """A policy of a whole game, by the way in which it is made.

    Attributes
    ----------
    game : str
    method : str
        `rnad` for a network, otherwise a scheme such as `cfr`, whose average policy is used.
    length : int
        Learner steps or iterations.
    seed : int
        Only networks depend on it.
    """

    game: str
    method: str
    length: int
    seed: int = 0

    @property
    def is_network(self) -> bool:
        """Whether it needs JAX."""
        return self.method == NETWORK

    @property
    def label(self) -> str:
        """Method and length, for tables."""
        return f"{LABELS[self.method]} {self.length:,}"

    def make(self) -> TabularPolicy:
        """Train the network, or run the solver, and return the policy as a table."""
        tree = tree_of(self.game)
        if not self.is_network:
            minimizer = RegretMinimizer(tree.sequence_form, SCHEMES[self.method])
            minimizer.run(self.length)
            return average_policy(minimizer)
        made = train_network(self.game, tree, steps=self.length, seed=self.seed)
        return made.policy.tabulate(tree.sequence_form)


@dataclass(frozen=True)
class BlueprintCell:
    """Makes a blueprint, which other cells then use."""

    blueprint: Blueprint

    @property
    def name(self) -> str:
        """File name prefix."""
        made = self.blueprint
        return run_slug(made.game, f"blueprint-{made.method}-{made.length}-{made.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the probabilities of both players, and NashConv."""
        with alone(interrupt):
            policy = self.blueprint.make()
        probabilities = [own.tolist() for own in policy.probabilities]
        return {"policy": probabilities, "nash_conv": nash_conv(policy)}


@dataclass(frozen=True, eq=False)
class Known:
    """A blueprint that has been made.

    Attributes
    ----------
    blueprint : Blueprint
    policy : TabularPolicy
    nash_conv : float
    """

    blueprint: Blueprint
    policy: TabularPolicy
    nash_conv: float

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the probabilities only: the tree is built where the cell runs."""
        return known_blueprint, (self.blueprint, self.policy.probabilities, self.nash_conv)


def known_blueprints(run: RunCells, blueprints: Sequence[Blueprint]) -> list[Known]:
    """Make blueprints, or read them if they have been made before."""
    results = run([BlueprintCell(blueprint) for blueprint in blueprints])
    return [
        known_blueprint(blueprint, result["policy"], float(result["nash_conv"]))
        for blueprint, result in zip(blueprints, results, strict=True)
    ]


def known_blueprint(
    blueprint: Blueprint, probabilities: Iterable[ArrayLike], nash_conv: float
) -> Known:
    """Return a blueprint that has been made, from the probabilities of both players."""
    form = tree_of(blueprint.game).sequence_form
    policy = TabularPolicy(form, tuple(np.array(own) for own in probabilities))
    return Known(blueprint, policy, nash_conv)


def has_networks() -> bool:
    """Return whether the packages that networks and critics need are installed."""
    return has_extra("deep")


def usable(blueprints: Sequence[Blueprint]) -> list[Blueprint]:
    """Return the blueprints that can be made; without JAX these are not networks."""
    return [found for found in blueprints if has_networks() or not found.is_network]


def without_networks() -> str:
    """Return a sentence for the titles of tables if networks are missing, otherwise nothing."""
    if has_networks():
        return ""
    return " Networks and critics are missing: they need JAX (pip install 'infoset[deep]')."
