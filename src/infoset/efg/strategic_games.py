"""Games in strategic form: every player chooses one strategy, simultaneously."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import ClassVar, Final, TypeAlias

import numpy as np

from infoset.efg.exact_numbers import near_fraction
from infoset.efg.extensive_form import ExtensiveForm
from infoset.errors import GameTooLargeError, ParameterError
from infoset.forms import InfostateTree, SequenceForm, Treeplex
from infoset.game import Game, Observation, Probability
from infoset.game.infostate import value_text
from infoset.game.player_names import shown_names
from infoset.tree import GameTree, build_tree
from infoset.typing import JointAction, Player
from infoset.utils.text import distinct_labels

CHOOSING, OVER = "choosing", "over"
MAX_NUMBERS: Final = 1_000_000
"""Maximum number of payoffs in the table of a strategic form that is computed from a tree."""

Plan: TypeAlias = tuple[int, ...]
"""The sequences of a reduced pure strategy, without the empty one."""


@dataclass(frozen=True)
class StrategicGame(Game):
    """A game in strategic form, such as that of a Gambit .nfg file.

    Parameters
    ----------
    strategies
        Per player, the names of the strategies.
    payoffs
        The payoffs of all players for each tuple of strategies; the strategy of the last player
        changes first.
    """

    name: ClassVar[str] = "strategic_game"

    title: str
    player_names: tuple[str, ...] = field()
    strategies: tuple[tuple[str, ...], ...]
    payoffs: tuple[tuple[Fraction, ...], ...]

    def __post_init__(self) -> None:
        sizes = [len(names) for names in self.strategies]
        if len(sizes) != len(self.player_names) or not sizes or not all(sizes):
            raise ParameterError(
                f"{len(self.player_names)} players have {sizes} strategies; a game needs at least "
                "one player, and every player at least one strategy"
            )
        if len(self.payoffs) != prod(sizes):
            raise ParameterError(
                f"there are payoffs for {len(self.payoffs):,} tuples of strategies; {sizes} "
                f"strategies have {prod(sizes):,} tuples"
            )

    @property
    def num_players(self) -> int:  # type: ignore[override]
        """The number of players."""
        return len(self.player_names)

    @cached_property
    def payoff_of(self) -> Mapping[JointAction, tuple[float, ...]]:
        """The payoffs of all players, by their strategies."""
        rows = (tuple(map(float, row)) for row in self.payoffs)
        return dict(zip(product(*self.strategies), rows, strict=True))

    def initial_world(self) -> str:
        """Return the world in which the players choose."""
        return CHOOSING

    def actors(self, world: str) -> Sequence[Player]:
        """Return all players until they have chosen."""
        return range(self.num_players) if world == CHOOSING else ()

    def legal_actions(self, world: str, player: Player) -> Sequence[str]:
        """Return the player's strategies."""
        return self.strategies[player]

    def transitions(
        self, world: str, joint_action: JointAction
    ) -> Iterable[tuple[str, Probability]]:
        """Return the world state at the end of the game."""
        return [(OVER, 1)] if world == CHOOSING else []

    def rewards(self, world: str, joint_action: JointAction, next_world: str) -> Sequence[float]:
        """Return the payoffs of the chosen strategies."""
        return self.payoff_of[joint_action]

    def observe(self, world: str, joint_action: JointAction, next_world: str) -> Observation:
        """Show all choices to all players."""
        return Observation(public=joint_action)

    def __str__(self) -> str:
        """Return the title."""
        return self.title


def strategic_form(game: Game | GameTree | ExtensiveForm) -> StrategicGame:
    """Return the reduced strategic form of a game.

    A strategy has an action for each infostate that it can itself reach, so strategies that differ
    only elsewhere are one strategy. Chance is replaced by expected payoffs. The number of
    strategies is exponential in the number of infostates.

    Raises
    ------
    GameTooLargeError
        If the table of payoffs would have more than a million numbers.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> form = strategic_form(load_game("kuhn_poker"))
    >>> [len(names) for names in form.strategies]
    [27, 64]
    >>> form.strategies[0][0].split("; ")[:4]
    ['[J]: pass', '[Q]: pass', '[K]: pass', '[J] / pass / bet: pass']
    """
    rules = game.game if isinstance(game, GameTree) else game
    if isinstance(rules, StrategicGame):
        return rules
    compiled = build_tree(game) if isinstance(game, Game) else game
    form = compiled.sequence_form
    _check_size(form)
    plans = [_plans(treeplex) for treeplex in form.treeplexes]
    names = [
        tuple(map(str, distinct_labels([_text(tree, plan) for plan in of_player])))
        for tree, of_player in zip(form.infostate_trees, plans, strict=True)
    ]
    players = (
        compiled.player_names if isinstance(compiled, ExtensiveForm) else shown_names(compiled)
    )
    return StrategicGame(form.name, players, tuple(names), _expected_payoffs(form, plans))


def _check_size(form: SequenceForm) -> None:
    """Raise if the table of payoffs would be too large."""
    counts = [_num_plans(treeplex) for treeplex in form.treeplexes]
    if prod(counts) * form.num_players > MAX_NUMBERS:
        texts = (f"{count:,}" if count < 10**9 else "more than 10⁹" for count in counts)
        raise GameTooLargeError(
            f"the strategic form of {form.name} has {' times '.join(texts)} "
            f"tuples of strategies; its table may have at most {MAX_NUMBERS:,} payoffs. Save the "
            "tree instead, with save_efg or in a file that ends in .efg",
            {},
        )


def _num_plans(treeplex: Treeplex) -> int:
    """Return the number of reduced pure plans, from the last infostates to the first."""
    after = [1] * treeplex.num_sequences
    for infostate in reversed(range(treeplex.num_infostates)):
        parent = int(treeplex.parent_sequence[infostate])
        # Infostates after one sequence multiply, and the actions of an infostate add up.
        after[parent] = after[parent] * sum(after[q] for q in _sequences(treeplex, infostate))
        after[parent] = min(after[parent], 10**18)  # too many anyway; the digits would explode
    return after[0]


def _plans(treeplex: Treeplex) -> list[Plan]:
    """Return the reduced pure plans."""
    after: list[list[Plan]] = [[()] for _ in range(treeplex.num_sequences)]
    for infostate in reversed(range(treeplex.num_infostates)):
        choices = [(q, *rest) for q in _sequences(treeplex, infostate) for rest in after[q]]
        parent = int(treeplex.parent_sequence[infostate])
        after[parent] = [choice + rest for choice in choices for rest in after[parent]]
    return after[0]


def _sequences(treeplex: Treeplex, infostate: int) -> range:
    first = int(treeplex.first_sequence[infostate])
    return range(first, first + int(treeplex.num_actions[infostate]))


def _text(tree: InfostateTree, plan: Plan) -> str:
    """Return a plan as text: the action, or each infostate with its action."""
    # A sequence is of the last infostate that begins at or before it.
    firsts = tree.first_sequence[tree.acting]
    parts = []
    for sequence in sorted(plan):
        place = int(np.searchsorted(firsts, sequence, side="right")) - 1
        infostate = int(tree.acting[place])
        action = value_text(tree.legal_actions(infostate)[sequence - int(firsts[place])])
        parts.append((tree.acting_labels[place], action))
    if tree.num_acting == 1:
        return parts[0][1]
    return "; ".join(f"{label}: {action}" for label, action in parts)


def _expected_payoffs(
    form: SequenceForm, plans: Sequence[Sequence[Plan]]
) -> tuple[tuple[Fraction, ...], ...]:
    """Return the payoffs for each tuple of plans: the sum over the tuples of their sequences."""
    holders = [_holders(of_player) for of_player in plans]
    table = np.zeros((*map(len, plans), form.num_players))
    rows = zip(form.terminal_sequence.tolist(), form.payoff, strict=True)
    for sequences, payoff in rows:
        held = [of_player[q] for of_player, q in zip(holders, sequences, strict=True)]
        table[np.ix_(*held)] += payoff  # in all tuples of plans that have these sequences
    scale = float(np.abs(form.payoff).sum(initial=0.0))
    return tuple(
        tuple(near_fraction(value, scale) for value in row)
        for row in table.reshape(-1, form.num_players).tolist()
    )


def _holders(plans: Sequence[Plan]) -> dict[int, list[int]]:
    """Return the numbers of the plans that contain each sequence; all contain sequence 0."""
    holders: dict[int, list[int]] = {0: list(range(len(plans)))}
    for number, plan in enumerate(plans):
        for sequence in plan:
            holders.setdefault(sequence, []).append(number)
    return holders
