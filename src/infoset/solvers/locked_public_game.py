"""Node locking on public forms: fix the policy at some public nodes, and solve the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import Evaluation
from infoset.forms import PublicForm, Treeplex, behavior_to_plan
from infoset.policy import TabularPolicy, check_policy, uniform_policy
from infoset.regret import RegretScheme
from infoset.runs import Budget, SolveResult
from infoset.solvers._locked_sequences import LockedSequences, locked_sequences
from infoset.solvers.gradient_regret import evaluate_gradients, solve_by_gradients
from infoset.solvers.methods import MethodSpec
from infoset.typing import Action, BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_number, check_type

__all__ = ["LockedPublicGame", "PublicBehavior", "lock_public_policy"]

PublicBehavior: TypeAlias = Mapping[str | tuple[Hashable, str], Mapping[Action, float] | FloatArray]
"""Probabilities to lock: by line, for all hands, or by hand and line. The values are probabilities
by action, or for a line an array [actions, hands], as `PublicPolicy.at_node` returns them."""


@dataclass(frozen=True, eq=False)
class LockedPublicGame:
    """A public form with locked probabilities; see `lock_public_policy`.

    Attributes
    ----------
    whole : PublicForm
    policy : TabularPolicy[PublicForm]
        The locked probabilities, and uniform elsewhere.
    locked : tuple[BoolArray, BoolArray]
        Per player, [I] whether each infostate of the treeplex of `whole` is locked.
    """

    whole: PublicForm
    policy: TabularPolicy[PublicForm]
    locked: tuple[BoolArray, BoolArray]

    def solve(self, method: str | RegretScheme | MethodSpec, budget: Budget) -> SolveResult:
        """Solve the rest of the game with any member of the CFR family.

        Parameters
        ----------
        method : str, RegretScheme or MethodSpec
            A method as in `infoset.solve`.
        budget : Budget

        Returns
        -------
        SolveResult
            The result, with policies for the whole game. Gains, NashConv and exploitability are
            those of players who follow the locked probabilities.

        Raises
        ------
        InfosetError
            If the method is unknown or is not a member of the CFR family.
        """
        return solve_by_gradients(self, method, budget)

    def evaluate(self, policy: TabularPolicy[PublicForm]) -> Evaluation:
        """Measure a policy for players who follow the locked probabilities.

        Where the policy differs from them, the locked probabilities count.

        Raises
        ------
        PolicyMismatchError
            If the policy belongs to another form.
        """
        check_policy(policy)
        if policy.form is not self.whole and (policy.form.fingerprint != self.whole.fingerprint):
            raise PolicyMismatchError(
                f"the policy is for {policy.form.name}, not for {self.whole.name}; give a "
                f"policy for {self.whole.name}"
            )
        first, second = (
            behavior_to_plan(
                plex.parent_sequence,
                plex.first_sequence,
                plex.num_actions,
                policy.probabilities[player][self._sequences[player].kept],
            )
            for player, plex in enumerate(self.treeplexes)
        )
        return evaluate_gradients(self, (first, second))

    @property
    def name(self) -> str:
        """The name in results."""
        return f"locked({self.whole.name})"

    @property
    def public_form(self) -> PublicForm:
        """The whole game, to which the policies of results belong."""
        return self.whole

    @property
    def is_exact(self) -> bool:
        """Whether gradients are those of a game: True."""
        return True

    @cached_property
    def digest(self) -> str:
        """SHA-256 digest of the locked infostates and of their probabilities."""
        digest = hashlib.sha256(self.policy.digest.encode())
        for own in self.locked:
            digest.update(own.tobytes())
        return digest.hexdigest()

    @cached_property
    def _sequences(self) -> tuple[LockedSequences, LockedSequences]:
        first, second = (
            locked_sequences(plex, self.policy.probabilities[player], self.locked[player])
            for player, plex in enumerate(self.whole.treeplexes)
        )
        return first, second

    @cached_property
    def treeplexes(self) -> tuple[Treeplex, Treeplex]:
        """The treeplexes of the choices that are not locked."""
        return self._treeplex(0), self._treeplex(1)

    def _treeplex(self, player: Player) -> Treeplex:
        plex, own = self.whole.treeplexes[player], self._sequences[player]
        left = ~self.locked[player]
        return Treeplex(
            parent_sequence=own.last[plex.parent_sequence[left]].astype(np.int32),
            first_sequence=own.last[plex.first_sequence[left]].astype(np.int32),
            num_actions=plex.num_actions[left],
            num_sequences=len(own.kept),
        )

    def gradient(self, plans: tuple[FloatArray, FloatArray], player: Player) -> FloatArray:
        """Return [Q'] the gradient of a player's utility, given plans [Q'] on `treeplexes`.

        A plan of the rest, times the locked probabilities, is a plan of the whole game.
        """
        own, other = self._sequences[player], self._sequences[1 - player]
        plan = plans[1 - player][other.last] * other.weight
        whole = self.whole.gradient((plan, plan), player)
        return np.bincount(own.last, own.weight * whole, len(own.kept)).astype(np.float64)

    def to_policy(self, weights: tuple[FloatArray, FloatArray]) -> TabularPolicy[PublicForm]:
        """Return the policy of the whole game, given weights [Q'] of the sequences that are left.

        It plays the locked probabilities where they are locked.
        """
        filled = [own.copy() for own in self.policy.probabilities]
        for values, own, rest in zip(filled, self._sequences, weights, strict=True):
            values[own.kept] = rest
        return TabularPolicy.from_weights(self.whole, filled)


def lock_public_policy(form: PublicForm, behavior: PublicBehavior) -> LockedPublicGame:
    """Return the public form in which chance plays given probabilities at some public nodes.

    `lock_policy` does the same, for public forms and for sequence forms.

    Parameters
    ----------
    form : PublicForm
    behavior : Mapping
        The probabilities, by line for all hands or by hand and line. Given by action, actions that
        are left out have probability 0. Later entries replace earlier ones.

    Raises
    ------
    UnknownNameError
        If a hand, a line or an action is unknown, or nobody acts there.
    ParameterError
        If probabilities are negative or do not sum to 1, or an array has the wrong shape.

    Examples
    --------
    Player 0 of Kuhn poker always bets with a jack, which costs 4/18:

    >>> from infoset.games import load_game
    >>> from infoset.runs import Budget
    >>> from infoset.tree import build_tree, derive_public_form
    >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
    >>> locked = lock_public_policy(form, {("J", "(start)"): {"bet": 1.0}})
    >>> result = locked.solve("cfr+", Budget(iterations=2000))
    >>> round(result.values[0] * 18, 2), result.policy["J", "(start)"]
    (-5.0, {'pass': 0.0, 'bet': 1.0})
    """
    check_type("behavior", behavior, Mapping, "probabilities by line, or by hand and line")
    filled = [own.copy() for own in uniform_policy(form).probabilities]
    locked = tuple(np.zeros(plex.num_infostates, bool) for plex in form.treeplexes)
    for key, given in behavior.items():
        hand, line = key if isinstance(key, tuple) and len(key) == 2 else (None, key)
        check_type("a line", line, str, "the public observations, as public_form.label gives them")
        node, permutation = form.find_line(str(line))
        player = int(form.player[node])
        size = form.num_hands[player]
        hands = np.arange(size) if hand is None else _hand(form, player, hand)
        values = _checked(form, node, key, given, len(hands))
        # The line may be represented by one with other cards, and the hands with it.
        held = np.array([form.hand_at(player, own, permutation) for own in hands.tolist()])
        first = int(form.sequences[player].first[node])
        places = form.places(player, slice(first, first + int(form.num_actions[node])))[:, held]
        filled[player][places] = values
        if not np.array_equal(filled[player][places], values):
            raise ParameterError(
                f"the probabilities to lock at {key!r} distinguish hands that {form.name} merges: "
                "build the form by build_public_form(game, merge_symmetric=False)"
            )
        locked[player][form.treeplexes[player].infostate_of_sequence[places[0]]] = True
    return LockedPublicGame(
        form, TabularPolicy(form, (filled[0], filled[1])), (locked[0], locked[1])
    )


def _hand(form: PublicForm, player: Player, hand: Hashable) -> LongArray:
    """Return [1] the place of a hand, given by its label or its text."""
    labels = form.hands[player]
    names = [*map(str, labels)]
    if hand in labels:
        return np.array([labels.index(hand)])
    if str(hand) not in names:
        raise UnknownNameError.of(f"hand of player {player}", str(hand), names)
    return np.array([names.index(str(hand))])


def _checked(
    form: PublicForm,
    node: int,
    key: object,
    given: Mapping[Action, float] | FloatArray,
    num_hands: int,
) -> FloatArray:
    """Return [actions, hands] the probabilities to lock."""
    legal = form.legal_actions(node)
    if isinstance(given, Mapping):
        for action, number in given.items():
            check_number(str(action), number, minimum=-inf)
            if action not in legal:
                raise UnknownNameError.of(f"action at {key!r}", str(action), map(str, legal))
        column = np.array([float(given.get(action, 0.0)) for action in legal])
        values = np.repeat(column[:, None], num_hands, axis=1)
    else:
        values = np.asarray(given, np.float64)
    if values.shape != (len(legal), num_hands):
        raise ParameterError(
            f"the probabilities to lock at {key!r} have shape {values.shape}; give an array of "
            f"shape {(len(legal), num_hands)}, [actions, hands], or probabilities by action"
        )
    if not (values >= 0).all() or (np.abs(values.sum(axis=0) - 1) > SUM_TOLERANCE).any():
        worst = int(np.argmax(np.abs(values.sum(axis=0) - 1) + (values < 0).any(axis=0)))
        raise ParameterError(
            f"the probabilities to lock at {key!r} are {values[:, worst].tolist()}; give numbers "
            "that are not negative and sum to 1"
        )
    return values
