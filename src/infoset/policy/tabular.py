"""Tabular policies: the probabilities of all players as arrays over the sequences of a form."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from operator import attrgetter
from typing import Generic, NamedTuple, overload

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import (
    AnyForm,
    Form,
    FormT,
    PlayerValues,
    Treeplex,
    as_public_form,
    behavior_to_plan,
    check_form,
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
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_player, check_type
from infoset.utils.short_repr import Facts, ShortRepr


class PolicyRow(NamedTuple):
    """A policy at one infostate."""

    player: Player
    infostate: str
    """The infostate as text, unique for the player."""
    own_reach: float
    """Probability that the player's own actions lead here."""
    own_depth: int
    """Number of the player's decisions before this one."""
    actions: tuple[Action, ...]
    probabilities: FloatArray
    """[number of actions]"""
    number: int
    """Number of the acting infostate."""


@dataclass(frozen=True, eq=False, repr=False)
class TabularPolicy(ShortRepr, Generic[FormT]):
    """A behavioral policy for every player of a game.

    Attributes
    ----------
    form : Form
        The game of the policy: a sequence form, a public form, or a transform of one.
    probabilities
        Per player, [Q] the probability of the last action of each sequence; 1 for the empty
        sequence. On a public form, `by_hand` returns them by public action and hand.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree, derive_public_form
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> policy = uniform_policy(kuhn.sequence_form)
    >>> policy["[K]", 0]
    {'pass': 0.5, 'bet': 0.5}
    >>> policy["[K] / bet"]  # an infostate of one player only
    {'pass': 0.5, 'bet': 0.5}
    >>> policy = uniform_policy(derive_public_form(kuhn))
    >>> policy["K", "pass / bet"]  # a hand and a line of a public form
    {'pass': 0.5, 'bet': 0.5}
    >>> policy.by_hand(0).shape  # two decisions with two actions, and three hands
    (4, 3)
    """

    form: FormT
    probabilities: tuple[FloatArray, ...]

    def _facts(self) -> Facts:
        values = {"infostates": tuple(plex.num_infostates for plex in self.form.treeplexes)}
        return Facts(self.form.name, values, "see .rows(), policy[label, player]")

    def __post_init__(self) -> None:
        form = self.form
        check_form(form)
        if len(self.probabilities) != form.num_players:
            raise ParameterError(
                f"got probabilities for {len(self.probabilities)} players; "
                f"{form.name} has {form.num_players}"
            )
        for player, values in enumerate(self.probabilities):
            label = partial(_label, form, player)
            check_behavior(player, form.treeplexes[player], values, label)
            values.flags.writeable = False

    @cached_property
    def digest(self) -> str:
        """SHA-256 digest of the game and the probabilities, to recognize the policy."""
        digest = hashlib.sha256(self.form.fingerprint.encode())
        for values in map(self.probabilities_of, range(self.form.num_players)):
            digest.update(np.ascontiguousarray(values).astype("<f8").tobytes())
        return digest.hexdigest()

    @classmethod
    def from_weights(cls, form: AnyForm, weights: Sequence[FloatArray]) -> TabularPolicy[AnyForm]:
        """Build a policy from weights of sequences by normalizing them at each infostate.

        Parameters
        ----------
        form : Form
        weights
            Per player, [Q] nonnegative weights, such as a realization plan. If all weights of an
            infostate are zero, as in a plan that does not reach it, the policy is uniform there.
        """
        check_form(form)
        check_weights(weights)
        return TabularPolicy(
            form,
            tuple(
                normalize_behavior(plex.first_sequence, plex.num_actions, values)
                for plex, values in zip(form.treeplexes, weights, strict=True)
            ),
        )

    def probabilities_of(self, player: Player) -> FloatArray:
        """Return [Q] `probabilities[player]`; results of runs compute it on demand."""
        return self.probabilities[player]

    def at_sequences(self, player: Player, sequences: LongArray) -> FloatArray:
        """Return probabilities at sequences [A, n]; each column has the actions of an infostate."""
        return self.probabilities[player][sequences]

    def player_values(self) -> tuple[PlayerValues, ...]:
        """Return each player's value under the policy, and with a best response to it."""
        return self.form.player_values(self.probabilities)

    def realization_plan(self, player: Player) -> FloatArray:
        """Return [Q] the probability of the player's own actions along each sequence."""
        plex = self.form.treeplexes[player]
        return behavior_to_plan(
            plex.parent_sequence,
            plex.first_sequence,
            plex.num_actions,
            self.probabilities_of(player),
        )

    def realization_plans(self) -> tuple[FloatArray, ...]:
        """Return the realization plan of every player."""
        return tuple(self.realization_plan(p) for p in range(self.form.num_players))

    def replace_player(self, player: Player, other: TabularPolicy) -> TabularPolicy[FormT]:
        """Return a copy of this policy in which one player plays as in `other`."""
        chosen = [*self.probabilities]
        chosen[player] = other.probabilities[player]
        return TabularPolicy(self.form, tuple(chosen))

    def by_hand(self, player: Player) -> FloatArray:
        """Return [public actions, hands] the probabilities of a player on a public form.

        The rows are the actions at the nodes `form.decisions[player]`, in order.

        Raises
        ------
        UnsupportedGameError
            If the policy is not on a public form.
        """
        form = as_public_form(self.form)
        check_player(player, 2, form.name)
        return form.by_hand(player, self.probabilities_of(player))

    def at_node(self, node: int) -> FloatArray:
        """Return [actions, hands] the probabilities at a public node, on a public form.

        Raises
        ------
        UnsupportedGameError
            If the policy is not on a public form.
        ParameterError
            If nobody acts there.
        """
        form = as_public_form(self.form)
        player, places = form.places_of_node(node)
        return self.at_sequences(player, places)

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate.

        On a public form, the hand is the private observation of the first transition, and the
        public observations of the others are the line.

        Raises
        ------
        UnknownNameError
            If no play of the game leads to the infostate, or an action is not legal there.
        """
        form, player = self.form, infostate.player
        number = form.find(infostate)
        known = form.actions_at(player, number)
        for action in legal_actions:
            if action not in known:
                raise UnknownNameError.of("action", str(action), map(str, known))
        chosen = [known.index(action) for action in legal_actions]
        return self._at(player, number, len(known))[chosen]

    def __getitem__(self, key: str | tuple[Hashable, Hashable]) -> dict[Action, float]:
        """Return the probabilities by action at an infostate.

        The key is the infostate as text and its player, which may be left out if only one has an
        infostate with that text. On a public form it may also be a hand, as its label or its text,
        and a line: the public observations, as `form.label` writes them.

        Raises
        ------
        UnknownNameError
            If the player, or no player, has an acting infostate of that name.
        ParameterError
            If the key is of another kind, or several players have such an infostate.
        """
        player, number = self.form.look_up(key)
        actions = self.form.actions_at(player, number)
        values = self._at(player, number, len(actions))
        return dict(zip(actions, values.tolist(), strict=True))

    def _at(self, player: Player, number: int, num_actions: int) -> FloatArray:
        """Return [A] the probabilities at an acting infostate."""
        sequences = self._first(player, number) + np.arange(num_actions)
        return self.at_sequences(player, sequences[:, None])[:, 0]

    def _first(self, player: Player, number: int) -> int:
        """Return the sequence of the first action at an acting infostate."""
        return int(self.form.treeplexes[player].first_sequence[number])

    def sorted_rows(self, max_depth: int | None = None) -> list[PolicyRow]:
        """Return the rows of all players in an order for readers; see `Form.reading_order`.

        With `max_depth`, only those with fewer decisions of the player before.
        """
        rows, found = self.rows(max_depth), list[PolicyRow]()
        for player, own in groupby(rows, key=attrgetter("player")):
            order = self.form.reading_order(player)
            if (order[1:] > order[:-1]).all():
                found += own
                continue
            rank = np.empty(len(order), np.int64)
            rank[order] = np.arange(len(order))
            found += sorted(own, key=lambda row: rank[row.number])
        return found

    def rows(self, max_depth: int | None = None) -> Iterator[PolicyRow]:
        """Yield one row per acting infostate, ordered by player and with parents first.

        On a public form, there is one row per public decision and hand that chance left there. With
        `max_depth`, only those with fewer decisions of the player before.
        """
        form = self.form
        for player, plex in enumerate(form.treeplexes):
            reach = self.realization_plan(player)[plex.parent_sequence]
            values, depth = self.probabilities_of(player), plex.own_depth
            for label, number in form.labeled_infostates(player, max_depth):
                actions, first = form.actions_at(player, number), self._first(player, number)
                yield PolicyRow(
                    player=player,
                    infostate=label,
                    own_reach=float(reach[number]),
                    own_depth=int(depth[number]),
                    actions=actions,
                    probabilities=values[first : first + len(actions)],
                    number=number,
                )


def _label(form: Form, player: Player, number: int) -> str:
    """Return the text of an acting infostate."""
    return form.infostate_labels(player)[number]


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
def uniform_policy(form: AnyForm) -> TabularPolicy[AnyForm]: ...
def uniform_policy(form: Form | None = None) -> Policy:
    """Return the uniform policy: for any game, or as a table for one game.

    Parameters
    ----------
    form
        The game of the table. Without it, the policy computes its probabilities when it is asked,
        so it needs no tree and suits every game.

    Examples
    --------
    >>> from infoset.game import Infostate
    >>> uniform_policy().action_probabilities(Infostate(0), ["pass", "bet"])
    array([0.5, 0.5])
    """
    if form is None:
        return UniformPolicy()
    check_form(form)
    return TabularPolicy(form, tuple(plex.uniform_policy() for plex in form.treeplexes))


def random_policy(form: AnyForm, rng: np.random.Generator) -> TabularPolicy[AnyForm]:
    """Draw a policy uniformly from the simplex at each infostate."""
    check_form(form)
    return TabularPolicy.from_weights(
        form,
        [rng.standard_exponential(plex.num_sequences) for plex in form.treeplexes],
    )


def tabulate(
    form: AnyForm,
    policies: Policy | PolicyFunction | str | Sequence[Policy | PolicyFunction | str | None],
) -> TabularPolicy[AnyForm]:
    """Evaluate the policies of all players at all infostates and return one table.

    Parameters
    ----------
    form : Form
        The game.
    policies : Policy, function, or Sequence of Policy, function or None
        One for all players, or one per player; None or "uniform" is the uniform policy. A function
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
    check_form(form)
    if isinstance(policies, str) or not isinstance(policies, Sequence):
        policies = [as_policy(policies)] * form.num_players
    if len(policies) != form.num_players:
        raise ParameterError(
            f"got {len(policies)} policies; {form.name} has {form.num_players} "
            "players: give one for each, None for the uniform policy"
        )
    asked = [UniformPolicy() if policy is None else as_policy(policy) for policy in policies]
    weights = [np.ones(plex.num_sequences) for plex in form.treeplexes]
    for player, policy in enumerate(asked):
        first_sequence = form.treeplexes[player].first_sequence.tolist()
        # Hands that chance has removed have no infostate: the policy is uniform there.
        for number in dict(form.labeled_infostates(player)).values():
            infostate, legal = form.infostate_at(player, number), form.actions_at(player, number)
            own = slice(first_sequence[number], first_sequence[number] + len(legal))
            weights[player][own] = checked_probabilities(policy, infostate, legal)
    return TabularPolicy.from_weights(form, weights)
