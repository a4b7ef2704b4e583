"""From an extensive form to a game: the other half of Theorems 3.6 and 3.10."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from infoset.efg.contraction import distinct
from infoset.efg.conversions import augment
from infoset.efg.form import ExtensiveForm
from infoset.efg.information import (
    find_action_mismatch,
    find_public_mismatch,
    find_recall_violation,
    find_thick_public_set,
)
from infoset.efg.padding import pad_timing
from infoset.errors import UnsupportedGameError
from infoset.game import Game, Observation, Probability
from infoset.typing import CHANCE, Action, JointAction, Player

__all__ = ["as_game", "find_source_form"]


def as_game(form: ExtensiveForm) -> Game:
    """Return an extensive form as a factored-observation stochastic game.

    Histories become world states, nature's moves transitions, payoffs rewards, and information
    sets and public sets observations. A classical form is padded to be 1-timeable and augmented
    first, so that players know off turn only how much time has passed (see `augment`).

    Returns
    -------
    Game
        Its `build_extensive_form` is the augmented form it was made from (Theorem 3.6), and the
        classical form of that, the classical form (Theorem 3.10), but for moves of nature of
        probability zero, which lead nowhere, and for what is paid at the root, which is paid
        after the first move.

    Raises
    ------
    UnsupportedGameError
        If no game has this form: it lacks perfect recall, is not timeable, has thick public
        sets, or its partitions contradict each other. The message gives two histories.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.efg import build_extensive_form, forget_non_acting
    >>> kuhn = as_game(forget_non_acting(build_extensive_form(load_game("kuhn_poker"))))
    >>> build_extensive_form(kuhn).num_histories
    55
    """
    given, form = form, form if form.is_augmented else augment(pad_timing(form))
    rules = (find_action_mismatch, find_recall_violation, find_thick_public_set)
    for find in (*rules, find_public_mismatch):
        violation = find(form)
        if violation is not None:
            raise UnsupportedGameError(f"no game has the form {form.name}: {violation}")
    return _FormGame(form, given)


def find_source_form(game: Game) -> ExtensiveForm | None:
    """Return the form that `as_game` made a game of; None if the game is no such one."""
    return game.given if isinstance(game, _FormGame) else None


class _FormGame(Game):
    """The game that `as_game` returns; a world state is the number of a history of `form`.

    That is the form it was given, padded and augmented where it was not.
    """

    def __init__(self, form: ExtensiveForm, given: ExtensiveForm) -> None:
        self.form, self.given = form, given
        self.num_players = form.num_players
        names = [
            [form.infoset_name(player, number) for number in range(len(form.infoset_names[player]))]
            for player in range(form.num_players)
        ]
        self._infosets = [distinct(of_player) for of_player in names]
        public_names = distinct(
            [name or f"public set {number}" for number, name in enumerate(form.public_names)]
        )
        assert form.public_set is not None, "the form is augmented"
        self._public = [public_names[number] for number in form.public_set.tolist()]

    def initial_world(self) -> int:
        return 0

    def actors(self, world: int) -> Sequence[Player]:
        actor = int(self.form.actor[world])
        return (actor,) if actor >= 0 else ()

    def legal_actions(self, world: int, player: Player) -> Sequence[Action]:
        return distinct(self.form.legal_actions(world))

    def transitions(
        self, world: int, joint_action: JointAction
    ) -> Iterable[tuple[int, Probability]]:
        form = self.form
        first, end = int(form.first_child[world]), int(form.first_child[world + 1])
        if form.actor[world] == CHANCE:
            return [(child, form.probabilities[form.chance[child]]) for child in range(first, end)]
        if first == end:
            return []
        player = int(form.actor[world])
        return [(first + self.legal_actions(world, player).index(joint_action[player]), 1)]

    def rewards(self, world: int, joint_action: JointAction, next_world: int) -> Sequence[float]:
        """Return what is paid at the next history; what is paid at the root comes with it."""
        paid = self.form.payoff[next_world]
        return tuple((paid + self.form.payoff[0] if world == 0 else paid).tolist())

    def observe(self, world: int, joint_action: JointAction, next_world: int) -> Observation:
        known = self.form.infoset[next_world].tolist()
        return Observation(
            public=self._public[next_world],
            private=[names[number] for names, number in zip(self._infosets, known, strict=True)],
        )

    def __str__(self) -> str:
        return self.form.name
