"""Tabular policies: the probabilities of all players as arrays over the sequence form."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple, overload

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import (
    InfostateTree,
    SequenceForm,
    Treeplex,
    behavior_to_plan,
    check_sequence_form,
    first_invalid,
    normalize_behavior,
)
from infoset.game import Infostate
from infoset.policy.protocol import (
    Policy,
    PolicyFunction,
    UniformPolicy,
    as_policy,
    checked_probabilities,
)
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_player, check_type
from infoset.utils.short_repr import Facts, ShortRepr

__all__ = [
    "PolicyRow",
    "TabularPolicy",
    "check_policy",
    "random_policy",
    "tabulate",
    "uniform_policy",
]


class PolicyRow(NamedTuple):
    """A policy at one infostate.

    Attributes
    ----------
    player : Player
    infostate : str
        The infostate as text, unique for the player.
    own_reach : float
        Probability that the player's own actions lead here.
    actions : tuple[Action, ...]
    probabilities : FloatArray
        [number of actions]
    """

    player: Player
    infostate: str
    own_reach: float
    actions: tuple[Action, ...]
    probabilities: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class TabularPolicy(ShortRepr):
    """A behavioral policy for every player of a game.

    Attributes
    ----------
    form : SequenceForm
        The game of the policy.
    probabilities : tuple[FloatArray, ...]
        Per player, [Q] the probability of the last action of each sequence; 1 for the empty
        sequence.

    Raises
    ------
    ParameterError
        If an array has the wrong length, a probability is negative or not finite, or the
        probabilities at an infostate do not sum to 1.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> policy = uniform_policy(build_tree(load_game("kuhn_poker")).sequence_form)
    >>> policy["[K]", 0]
    {'pass': 0.5, 'bet': 0.5}
    >>> policy["[K] / bet"]  # an infostate of one player only
    {'pass': 0.5, 'bet': 0.5}
    """

    form: SequenceForm
    probabilities: tuple[FloatArray, ...]

    def _facts(self) -> Facts:
        form = self.form
        values = {"infostates": tuple(treeplex.num_infostates for treeplex in form.treeplexes)}
        return Facts(form.name, values, "see .rows(), policy[label, player]")

    def __post_init__(self) -> None:
        if len(self.probabilities) != self.form.num_players:
            raise ParameterError(
                f"got probabilities for {len(self.probabilities)} players; "
                f"{self.form.name} has {self.form.num_players}"
            )
        form = self.form
        for player, values in enumerate(self.probabilities):
            label = partial(_acting_label, form, player)
            check_behavior(player, form.treeplexes[player], values, label)
            values.flags.writeable = False

    @cached_property
    def digest(self) -> str:
        """SHA-256 digest of the game and the probabilities, to recognize the policy."""
        digest = hashlib.sha256(self.form.fingerprint.encode())
        for values in self.probabilities:
            digest.update(np.ascontiguousarray(values).astype("<f8").tobytes())
        return digest.hexdigest()

    @classmethod
    def from_weights(cls, form: SequenceForm, weights: Sequence[FloatArray]) -> TabularPolicy:
        """Build a policy from weights of sequences by normalizing them at each infostate.

        Parameters
        ----------
        form : SequenceForm
        weights : Sequence[FloatArray]
            Per player, [Q] nonnegative weights, such as a realization plan. If all weights of an
            infostate are zero, as in a plan that does not reach it, the policy is uniform there.

        Raises
        ------
        ParameterError
            If a weight is negative or not finite.
        """
        check_weights(weights)
        return cls(
            form,
            tuple(
                normalize_behavior(plex.first_sequence, plex.num_actions, values)
                for plex, values in zip(form.treeplexes, weights, strict=True)
            ),
        )

    def realization_plan(self, player: Player) -> FloatArray:
        """Return [Q] the probability of the player's own actions along each sequence."""
        plex = self.form.treeplexes[player]
        return behavior_to_plan(
            plex.parent_sequence, plex.first_sequence, plex.num_actions, self.probabilities[player]
        )

    def realization_plans(self) -> tuple[FloatArray, ...]:
        """Return the realization plan of every player."""
        return tuple(self.realization_plan(p) for p in range(self.form.num_players))

    def replace_player(self, player: Player, other: TabularPolicy) -> TabularPolicy:
        """Return a copy of this policy in which one player plays as in `other`."""
        chosen = [*self.probabilities]
        chosen[player] = other.probabilities[player]
        return TabularPolicy(self.form, tuple(chosen))

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate.

        Raises
        ------
        UnknownNameError
            If no play of the game leads to the infostate, or an action is not legal there.
        """
        tree = self.form.infostate_trees[infostate.player]
        number = tree.index_of(infostate)
        known = tree.legal_actions(number)
        first = tree.first_sequence[number]
        for action in legal_actions:
            if action not in known:
                raise UnknownNameError.of("action", str(action), map(str, known))
        chosen = [first + known.index(action) for action in legal_actions]
        return self.probabilities[infostate.player][chosen]

    def __getitem__(self, key: str | tuple[str, Player]) -> dict[Action, float]:
        """Return the probabilities by action at `infostate, player`, with the infostate as text.

        The player may be left out if only one has an infostate with that text.

        Raises
        ------
        UnknownNameError
            If the player, or no player, has an acting infostate with that text.
        ParameterError
            If the player is left out and several have one, or there is no such player.
        """
        label, player = self._acting_infostate(key)
        tree = self.form.infostate_trees[player]
        number = int(tree.acting[tree.acting_labels.index(label)])
        first = int(tree.first_sequence[number])
        actions = tree.legal_actions(number)
        values = self.probabilities[player][first : first + len(actions)]
        return dict(zip(actions, values.tolist(), strict=True))

    def _acting_infostate(self, key: str | tuple[str, Player]) -> tuple[str, Player]:
        """Return an acting infostate as text, and its player."""
        trees = self.form.infostate_trees
        parts = key if isinstance(key, tuple) else (key,)
        if not 1 <= len(parts) <= 2 or not isinstance(parts[0], str):
            raise ParameterError(
                f"{key!r} is not an infostate; give its text and player, as in "
                f"policy[{trees[0].acting_labels[0]!r}, 0]"
            )
        label, *players = parts
        for player in players:
            check_player(player, len(trees), self.form.name)
        possible = players or range(len(trees))
        found = [player for player in possible if label in trees[player].acting_labels]
        if not found:
            known = [text for player in possible for text in trees[player].acting_labels]
            of = f" of player {players[0]}" if players else ""
            raise UnknownNameError.of(f"infostate{of}", label, known)
        if len(found) > 1:
            raise ParameterError(
                f"players {', '.join(map(str, found))} have an infostate {label!r}; add one of "
                f"them, as in policy[{label!r}, {found[0]}]"
            )
        return label, found[0]

    def sorted_rows(self) -> list[PolicyRow]:
        """Return the rows of all players in an order for readers; see `reading_order` of trees."""
        rows, found = self.rows(), list[PolicyRow]()
        for tree in self.form.infostate_trees:
            own = [*islice(rows, tree.num_acting)]
            found += [own[place] for place in tree.reading_order().tolist()]
        return found

    def rows(self) -> Iterator[PolicyRow]:
        """Yield one row per acting infostate, ordered by player and with parents first."""
        for player, tree in enumerate(self.form.infostate_trees):
            plan = self.realization_plan(player)
            values = self.probabilities[player]
            for number, label in zip(tree.acting.tolist(), tree.acting_labels, strict=True):
                actions = tree.legal_actions(number)
                first = int(tree.first_sequence[number])
                yield PolicyRow(
                    player=player,
                    infostate=label,
                    own_reach=float(plan[tree.last_sequence[number]]),
                    actions=actions,
                    probabilities=values[first : first + len(actions)],
                )


def _acting_label(form: SequenceForm, player: Player, number: int) -> str:
    """Return the label of an acting infostate."""
    return form.infostate_trees[player].acting_labels[number]


def check_weights(weights: Sequence[FloatArray]) -> None:
    """Raise unless the weights of all players are finite and nonnegative."""
    for player, values in enumerate(weights):
        wrong = values[~((values >= 0) & (values < np.inf))]
        if len(wrong):
            raise ParameterError(
                f"player {player} has the weight {wrong[0]}; weights must be finite and nonnegative"
            )


def check_behavior(
    player: Player, treeplex: Treeplex, values: FloatArray, label: Callable[[int], str]
) -> None:
    """Raise unless values are a player's [Q] probabilities; `label` names an acting infostate."""
    if values.shape != (treeplex.num_sequences,):
        raise ParameterError(
            f"probabilities of player {player} have shape {values.shape}; the player has "
            f"{treeplex.num_sequences} sequences, including the empty one"
        )
    first = treeplex.first_sequence
    wrong = first_invalid(first, treeplex.num_actions, values, SUM_TOLERANCE)
    if wrong < 0 and values[0] >= 0:
        return
    chosen = values[first[wrong] :][: treeplex.num_actions[wrong]] if wrong >= 0 else values[:1]
    if not (chosen >= 0).all():
        raise ParameterError(f"player {player} has a probability that is negative or NaN")
    raise ParameterError(
        f"probabilities of player {player} at {label(wrong)!r} sum to {float(chosen.sum())}, not 1"
    )


def check_policy(policy: object) -> None:
    """Raise unless a value is a tabular policy.

    Raises
    ------
    ParameterError
        If the value is something else, such as a name or a game. The message shows how to make a
        policy.
    """
    check_type(
        "policy",
        policy,
        TabularPolicy,
        'a TabularPolicy, such as infoset.solve("kuhn_poker").policy; infoset.policy.tabulate '
        "converts other policies; infoset.evaluate also accepts other policies, files and games by "
        "name",
    )


@overload
def uniform_policy(form: None = None) -> UniformPolicy: ...
@overload
def uniform_policy(form: SequenceForm) -> TabularPolicy: ...
def uniform_policy(form: SequenceForm | None = None) -> Policy:
    """Return the uniform policy: for any game, or as a table for one game.

    Parameters
    ----------
    form : SequenceForm, optional
        The game of the table. Without it, the policy computes its probabilities when it is asked,
        so it needs no tree and suits every game.

    Raises
    ------
    ParameterError
        If `form` is not a `SequenceForm`.

    Examples
    --------
    >>> from infoset.game import Infostate
    >>> uniform_policy().action_probabilities(Infostate(0), ["pass", "bet"])
    array([0.5, 0.5])
    """
    if form is None:
        return UniformPolicy()
    check_sequence_form(form)
    return TabularPolicy.from_weights(
        form, [np.ones(plex.num_sequences) for plex in form.treeplexes]
    )


def random_policy(form: SequenceForm, rng: np.random.Generator) -> TabularPolicy:
    """Draw a policy uniformly from the simplex at each infostate.

    Raises
    ------
    ParameterError
        If `form` is not a `SequenceForm`.
    """
    check_sequence_form(form)
    return TabularPolicy.from_weights(
        form,
        [rng.standard_exponential(plex.num_sequences) for plex in form.treeplexes],
    )


def tabulate(
    form: SequenceForm,
    policies: Policy | PolicyFunction | Sequence[Policy | PolicyFunction | None],
) -> TabularPolicy:
    """Evaluate the policies of all players at all infostates and return one table.

    Parameters
    ----------
    form : SequenceForm
        The game.
    policies : Policy, function, or Sequence of Policy, function or None
        One for all players, or one per player; None stands for the uniform policy. A function
        receives an infostate and its legal actions, and returns their probabilities, in order or as
        a mapping.

    Raises
    ------
    ParameterError
        If there is not one policy per player, or a policy does not return a distribution.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> tabulate(kuhn, [None, uniform_policy()])["[K]", 0]
    {'pass': 0.5, 'bet': 0.5}
    >>> always_bet = tabulate(kuhn, lambda infostate, legal_actions: {"bet": 1})
    >>> always_bet["[J]", 0]
    {'pass': 0.0, 'bet': 1.0}
    """
    check_sequence_form(form)
    if not isinstance(policies, Sequence):
        policies = [as_policy(policies)] * form.num_players
    if len(policies) != form.num_players:
        raise ParameterError(
            f"got {len(policies)} policies; {form.name} has {form.num_players} "
            "players: give one for each, None for the uniform policy"
        )
    pairs = zip(form.infostate_trees, policies, strict=True)
    return TabularPolicy.from_weights(
        form,
        [
            _evaluated(tree, UniformPolicy() if policy is None else as_policy(policy))
            for tree, policy in pairs
        ],
    )


def _evaluated(tree: InfostateTree, policy: Policy) -> FloatArray:
    """Return [Q] the probabilities of a policy; 1 for the empty sequence."""
    answers = [np.ones(1)]
    for number in tree.acting.tolist():
        legal_actions = tree.legal_actions(number)
        answers.append(checked_probabilities(policy, tree.infostate_at(number), legal_actions))
    return np.concatenate(answers)
