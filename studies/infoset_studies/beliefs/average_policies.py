"""Average policies of searchers, as tables that can be evaluated exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.evaluation import best_response
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.game import Infostate, Step
from infoset.games import LiarsDice, load_game
from infoset.matches import average_search
from infoset.policy import TabularPolicy
from infoset.runs import Interrupt
from infoset.search import ISMCTS, PIMC, Searcher, search_model
from infoset.tree import GameTree, build_tree
from infoset.typing import FloatArray
from infoset_studies.liars_dice_policies import BidTable, pimc_table
from infoset_studies.liars_dice_values import bid_response

__all__ = [
    "BidAnswers",
    "Effort",
    "PolicyCell",
    "Searched",
    "bid_answers",
    "is_dice",
    "mean_table",
    "policy_numbers",
    "responses",
    "searched",
    "searcher_of",
    "tree_of",
]

Searched: TypeAlias = BidTable | TabularPolicy

BidAnswers: TypeAlias = Mapping[tuple[int, int], FloatArray]
"""[R, A] the answers of R searches in liar's dice, by hand and last bid (0 for none)."""

WORLDS: Final = 1000
SIMULATIONS: Final = 1000
"""Worlds of PIMC and simulations of IS-MCTS, as in the paper."""


class Effort(NamedTuple):
    """How often searches are repeated to estimate the average policy.

    Attributes
    ----------
    tolerance : float
        On a tree: repeat until each probability has this standard error.
    repeats : int
        In liar's dice without a tree: number of searches for each decision.
    """

    tolerance: float
    repeats: int


building = Lock()


@cache
def _built(game: str) -> GameTree:
    return build_tree(load_game(game))


def tree_of(game: str) -> GameTree:
    """Return the tree of a game, which is built once."""
    with building:
        return _built(game)


@dataclass(frozen=True)
class PolicyCell:
    """The average policy of a searcher at all infostates, for one weight of the public belief.

    Attributes
    ----------
    algorithm : str
        `pimc` or `ismcts`.
    game : str
    public_weight : float
    effort : Effort
    seed : int
    changes : tuple[tuple[str, Any], ...]
        Further settings of the searcher.
    """

    algorithm: str
    game: str
    public_weight: float
    effort: Effort
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"{self.algorithm}-{self.public_weight:g}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        simulations = dict(self.changes).get("num_simulations", SIMULATIONS)
        return {"worlds": WORLDS, "simulations": simulations, **asdict(self)}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Search; return the average policy and the values of best responses to it."""
        policy = self._table(interrupt) if is_dice(self.game) else self._on_tree(interrupt)
        return {"policy": policy_numbers(policy), "responses": responses(policy)}

    def _on_tree(self, interrupt: Interrupt) -> TabularPolicy:
        tree = tree_of(self.game)
        searcher = Interruptible(
            searcher_of(self.algorithm, tree, self.public_weight, **dict(self.changes)), interrupt
        )
        tolerance = self.effort.tolerance
        return average_search(tree, searcher, tolerance=tolerance, seed=self.seed).policy

    def _table(self, interrupt: Interrupt) -> BidTable:
        game = load_game(self.game)
        assert isinstance(game, LiarsDice)
        repeats = self.effort.repeats
        if self.algorithm == "pimc":
            return pimc_table(
                game, self.public_weight, num_worlds=WORLDS, num_repeats=repeats, seed=self.seed
            )
        searcher = searcher_of(self.algorithm, game, self.public_weight, **dict(self.changes))
        answers = bid_answers(game, Interruptible(searcher, interrupt), repeats, self.seed)
        return mean_table(game, answers)


def searched(cell: PolicyCell, result: CellResult) -> Searched:
    """Return the policy in the result of a cell."""
    numbers = [np.array(part) for part in result["policy"]]
    if not is_dice(cell.game):
        return TabularPolicy(tree_of(cell.game).sequence_form, tuple(numbers))
    game = load_game(cell.game)
    assert isinstance(game, LiarsDice)
    return BidTable(game, np.array(numbers))


def responses(policy: Searched) -> tuple[float, float]:
    """Return the best-response values against the policy in the first and second position."""
    if isinstance(policy, BidTable):
        return bid_response(policy, 1).value, bid_response(policy, 0).value
    return best_response(policy, 1).value, best_response(policy, 0).value


def searcher_of(
    algorithm: str,
    game: GameTree | LiarsDice | Any,
    public_weight: float | Sequence[float],
    **changes: Any,
) -> Searcher:
    """Return a searcher with the parameters of the paper.

    PIMC assumes paranoid opponents: in the card games, where a tie counts as a win for both
    players, alpha-beta search minimizes the payoff of the searcher.
    """
    model, belief = search_model(game), PublicPrivateBelief(public_weight)
    if algorithm == "pimc":
        return PIMC(model, belief=belief, num_worlds=WORLDS, opponents="paranoid", **changes)
    settings = {"reward_scale": 1.0, "num_simulations": SIMULATIONS, **changes}
    return ISMCTS(model, belief=belief, **settings)


@dataclass(frozen=True)
class Interruptible:
    """A searcher that raises an exception once an event is set."""

    searcher: Searcher
    interrupt: Interrupt

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return the action probabilities of one search.

        Raises
        ------
        CellInterrupted
            Once the event is set.
        """
        answer: FloatArray = self.search_many(infostate, rng, 1)[0]
        return answer

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, number: int
    ) -> FloatArray:
        """Return [R, A] the action probabilities of `number` searches.

        Raises
        ------
        CellInterrupted
            Once the event is set.
        """
        if self.interrupt.is_set():
            raise CellInterrupted
        return self.searcher.search_many(infostate, rng, number)


def is_dice(game: str) -> bool:
    """Return whether policies are tables by hand and last bid, because the tree is too large."""
    rules = load_game(game)
    return isinstance(rules, LiarsDice) and rules.numdice > 1


def bid_answers(game: LiarsDice, searcher: Interruptible, repeats: int, seed: int) -> BidAnswers:
    """Return the answers of repeated searches for each hand and last bid.

    The searcher infers nothing from bids, so that its answer depends on the last bid only. Each
    infostate therefore has that single bid as its history.
    """
    answers = {}
    for hand, last in np.ndindex(len(game.rolls), len(game.bids) + 1):
        rng = np.random.default_rng((seed, hand, last))
        answers[hand, last] = searcher.search_many(_after_bid(game, hand, last), rng, repeats)
    return answers


def mean_table(game: LiarsDice, answers: BidAnswers) -> BidTable:
    """Return the average answer for each hand and last bid."""
    hands, bids = len(game.rolls), len(game.bids)
    probability = np.zeros((1, hands, bids + 1, bids + 1))
    for (hand, last), found in answers.items():
        probability[0, hand, last, last : last + found.shape[1]] = found.mean(axis=0)
    return BidTable(game, probability)


def _after_bid(game: LiarsDice, hand: int, last: int) -> Infostate:
    """Return the infostate with a hand after a single bid, or before any bid if `last` is 0."""
    rolled = Step(None, game.rolls[hand][0], None)
    if last == 0:
        return Infostate(0, (rolled,))
    return Infostate(1, (rolled, Step(None, None, game.calls[last - 1])))


def policy_numbers(policy: Searched) -> list[Any]:
    """Return the probabilities of a policy as lists."""
    held = policy.probability if isinstance(policy, BidTable) else policy.probabilities
    return [part.tolist() for part in held]
