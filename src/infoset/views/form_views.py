"""Extensive forms as plain values: histories and infostate trees, without public states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.efg import TERMINAL, ExtensiveForm
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import Evaluation, decision_values, evaluate_policy
from infoset.forms import as_sequence_form
from infoset.policy import TabularPolicy
from infoset.typing import CHANCE, FloatArray, Player
from infoset.utils.arguments import check_count, check_player
from infoset.utils.text import distinct_labels
from infoset.views.labels import shorten
from infoset.views.state_views import MAX_CHILDREN, MAX_INFOSTATES, ActionView, known, page

MAX_LABEL = 60


@dataclass(frozen=True)
class FormHistoryView:
    """A history of an extensive form."""

    history: int
    label: str
    """The move that leads here."""
    actor: Player | None
    """The player who acts; None for chance and at the end."""
    is_chance: bool
    is_end: bool
    infoset: str
    """Name of the actor's information set; empty if nobody acts."""
    probability: float
    """Probability of the move under the policy."""
    reach: float
    """Probability of the history."""
    values: tuple[float, ...]
    """[N] expected utilities if everybody follows the policy from here on."""
    num_children: int


@dataclass(frozen=True)
class FormHistoriesView:
    """A history with its path from the root, or some of its children."""

    history: int
    start: int
    total: int
    """Position of the first child in this answer, and the number of all."""
    histories: tuple[FormHistoryView, ...]


@dataclass(frozen=True)
class FormInfostateView:
    """An acting infostate of a player."""

    infostate: int
    parent: int
    """The acting infostate before it; -1 if it is the player's first."""
    label: str
    """Name of the information set."""
    action: str
    """The player's action that leads here from `parent`; empty for a first one."""
    own_reach: float
    """Probability that the player's own actions lead here."""
    actions: tuple[ActionView, ...]
    """Values without regrets."""


@dataclass(frozen=True)
class FormInfostatesView:
    """Some of a player's acting infostates, parents first."""

    player: Player
    start: int
    total: int
    infostates: tuple[FormInfostateView, ...]


@dataclass(frozen=True, eq=False)
class FormValues:
    """A policy in an extensive form with perfect recall, with the arrays that its views share.

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another game.
    UnsupportedGameError
        If the form lacks perfect recall.
    """

    form: ExtensiveForm
    policy: TabularPolicy

    def __post_init__(self) -> None:
        own, given = self.form.sequence_form, self.policy.form
        if own is not given and own.fingerprint != given.fingerprint:
            raise PolicyMismatchError(
                f"the policy is for {given.name}, not for {own.name}; give a policy for this form"
            )

    @property
    def name(self) -> str:
        """The game."""
        return str(self.form)

    @property
    def num_places(self) -> int:
        """Number of histories."""
        return self.form.num_histories

    @property
    def sizes(self) -> dict[str, int]:
        """Counts that describe the game."""
        return {"histories": self.form.num_histories}

    @cached_property
    def evaluation(self) -> Evaluation:
        """Values, NashConv and, where it is defined, exploitability."""
        return evaluate_policy(self.policy)

    @cached_property
    def move_probability(self) -> FloatArray:
        """[H] probability of the move that leads to each history; 1 at the root."""
        form = self.form
        found = form.chance_probability.copy()
        for player in range(form.num_players):
            moved = np.flatnonzero(form.actor[form.parent] == player)
            moved = moved[moved > 0]  # the root has parent -1, which indexes the last history
            found[moved] = self.policy.probabilities[player][form.sequence[moved, player]]
        return found

    @cached_property
    def reach(self) -> FloatArray:
        """[H] probability of each history."""
        return np.asarray(self.form.reach(self.move_probability), np.float64)

    @cached_property
    def history_values(self) -> FloatArray:
        """[H, N] expected utilities if everybody follows the policy from a history on."""
        form = self.form
        values = np.where((form.actor == TERMINAL)[:, None], form.utility, 0.0)
        for history in range(form.num_histories - 1, 0, -1):
            # Children have larger numbers than their parents, so that theirs are complete.
            values[form.parent[history]] += self.move_probability[history] * values[history]
        return values

    @cached_property
    def action_values(self) -> tuple[FloatArray, ...]:
        """Per player [Q] what each action is worth."""
        return tuple(
            decision_values(self.policy, player) for player in range(self.form.num_players)
        )


def view_form_history(values: FormValues, history: int) -> FormHistoriesView:
    """Return the histories from the root to one."""
    _check_history(values.form, history)
    path, at = [], history
    while at >= 0:
        path.append(_history(values, at))
        at = int(values.form.parent[at])
    return FormHistoriesView(history, 0, len(path), tuple(reversed(path)))


def view_form_children(values: FormValues, history: int, start: int = 0) -> FormHistoriesView:
    """Return up to 200 of the children of a history."""
    form = values.form
    _check_history(form, history)
    children = range(*form.first_child[history : history + 2].tolist())
    shown = children[page(start, len(children), MAX_CHILDREN)]
    links = tuple(_history(values, child) for child in shown)
    return FormHistoriesView(history, start, len(children), links)


def view_form_infostates(values: FormValues, player: Player, start: int = 0) -> FormInfostatesView:
    """Return up to 500 of a player's acting infostates, parents first.

    Raises
    ------
    ParameterError
        If the player does not exist, or `start` is not a position.
    """
    form = values.form
    check_player(player, form.num_players, form.name)
    own = as_sequence_form(values.policy.form).infostate_trees[player]
    acting = own.acting.tolist()
    plan = values.policy.realization_plan(player)
    rows = []
    for number in acting[page(start, len(acting), MAX_INFOSTATES)]:
        first, count = int(own.first_sequence[number]), int(own.num_actions[number])
        parent, taken = int(own.parent[number]), int(own.action[number])
        actions = own.legal_actions(parent) if parent > 0 else ()
        rows.append(
            FormInfostateView(
                infostate=number,
                parent=parent if parent > 0 else -1,
                label=shorten(own.label(number), MAX_LABEL),
                action=str(actions[taken]) if actions else "",
                own_reach=float(plan[own.last_sequence[number]]),
                actions=tuple(
                    ActionView(str(action), float(share), known(value), None)
                    for action, share, value in zip(
                        own.legal_actions(number),
                        values.policy.probabilities[player][first : first + count],
                        values.action_values[player][first : first + count],
                        strict=True,
                    )
                ),
            )
        )
    return FormInfostatesView(player, start, len(acting), tuple(rows))


def _check_history(form: ExtensiveForm, history: int) -> None:
    check_count("history", history)
    if history >= form.num_histories:
        raise ParameterError(
            f"history={history}: {form.name} has histories 0 to {form.num_histories - 1}"
        )


def _history(values: FormValues, history: int) -> FormHistoryView:
    form = values.form
    actor, parent = int(form.actor[history]), int(form.parent[history])
    label = ""
    if parent >= 0:
        place = history - int(form.first_child[parent])
        label = shorten(str(distinct_labels(form.legal_actions(parent))[place]), MAX_LABEL)
    infoset = ""
    if actor >= 0:
        number = int(form.acting_infoset[history, actor])
        infoset = shorten(form.infoset_name(actor, number), MAX_LABEL)
    first = form.first_child
    return FormHistoryView(
        history=history,
        label=label,
        actor=actor if actor >= 0 else None,
        is_chance=actor == CHANCE,
        is_end=actor == TERMINAL,
        infoset=infoset,
        probability=float(values.move_probability[history]),
        reach=float(values.reach[history]),
        values=tuple(values.history_values[history].tolist()),
        num_children=int(first[history + 1] - first[history]),
    )
