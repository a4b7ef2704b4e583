"""Leaks: NashConv as a sum of nonnegative terms, one for each decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.decisions import policy_sweep
from infoset.forms import Form, as_public_form, best_response_sweep
from infoset.game.infostate import label_text, value_text
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_choice, check_count, check_player
from infoset.utils.short_repr import Facts, ShortRepr

LEAK_GROUPS: Final = ("line", "hand", "action")
"""How `LeakReport.grouped` adds leaks up. Lines and hands exist on public forms only."""


class Leak(NamedTuple):
    """An infostate where a player loses utility against a best response."""

    player: Player
    number: int
    """The acting infostate in the form."""
    infostate: str
    cost: float
    """The part of NashConv: `probability` times the loss of a decision there."""
    probability: float
    """Probability that play leads to the infostate."""
    actions: tuple[Action, ...]
    played: tuple[float, ...]
    """How often the policy plays each action."""
    values: tuple[float, ...]
    """Expected utility after each action, given the infostate, if the player responds best from
    there on; NaN if the other players never lead there."""

    @property
    def best(self) -> Action:
        """The action with the largest value; ties go to the first one."""
        return self.actions[int(np.argmax(np.nan_to_num(self.values, nan=-np.inf)))]

    @property
    def loss(self) -> float:
        """How much a decision at the infostate loses on average; 0 if play never leads there."""
        return self.cost / self.probability if self.probability > 0 else 0.0


class LeakGroup(NamedTuple):
    """The leaks of a player on a line, with a hand or by an action, added up."""

    player: Player
    text: str
    """The line, the hand or the action."""
    cost: float
    """The sum of the costs of the leaks."""
    num_infostates: int
    """Number of infostates with leaks."""


@dataclass(frozen=True, repr=False)
class LeakReport(ShortRepr):
    """Where a policy loses; see `leak_report`."""

    policy: TabularPolicy[Form]
    plans: tuple[FloatArray, ...]
    """Per player, [Q] its realization plan."""
    values: tuple[FloatArray, ...]
    """Per player, [Q] the counterfactual value of each sequence if the player responds best after
    it."""

    @property
    def form(self) -> Form:
        """The form of the policy."""
        return self.policy.form

    @cached_property
    def costs(self) -> tuple[FloatArray, ...]:
        """Per player, [I] the cost of each acting infostate."""
        return tuple(map(self._costs, range(self.form.num_players)))

    def _costs(self, player: Player) -> FloatArray:
        plex = self.form.treeplexes[player]
        if not plex.num_infostates:
            return np.zeros(0)
        costs: FloatArray = np.add.reduceat(self.action_costs(player), plex.first_sequence)
        return costs

    def action_costs(self, player: Player) -> FloatArray:
        """Return [Q] what each action costs a player; they sum to its gain of a best response.

        Raises
        ------
        ParameterError
            If the game has no such player.
        """
        check_player(player, self.form.num_players, self.form.name)
        plex, values = self.form.treeplexes[player], self.values[player]
        costs = np.zeros(plex.num_sequences)
        if plex.num_infostates:
            # The sequences of an infostate are a block; the empty sequence comes first.
            best = np.maximum.reduceat(values, plex.first_sequence)
            costs[1:] = self.plans[player][1:] * (np.repeat(best, plex.num_actions) - values[1:])
        return costs

    @property
    def gains(self) -> tuple[float, ...]:
        """The gain of each player from a best response: the sum of its costs."""
        return tuple(float(own.sum()) for own in self.costs)

    @property
    def nash_conv(self) -> float:
        """The sum of all costs."""
        return sum(self.gains)

    def leaks(self, top: int | None = None) -> list[Leak]:
        """Return the infostates with a cost, largest cost first.

        Parameters
        ----------
        top
            Number of decisions; by default all.
        """
        if top is not None:
            check_count("top", top, minimum=1)
        found = [
            (cost, player, number)
            for player, costs in enumerate(self.costs)
            for cost, number in _largest(costs, top)
        ]
        found.sort(key=lambda one: (-one[0], one[1:]))
        reach = [self.form.counterfactual_reach(self.plans, p) for p in range(len(self.costs))]
        return [self._leak(player, number, reach[player]) for _, player, number in found[:top]]

    def _leak(self, player: Player, number: int, reach: FloatArray) -> Leak:
        form, plex = self.form, self.form.treeplexes[player]
        first, count = int(plex.first_sequence[number]), int(plex.num_actions[number])
        sequences = np.arange(first, first + count)
        before, own = float(self.plans[player][plex.parent_sequence[number]]), float(reach[number])
        played = self.policy.at_sequences(player, sequences[:, None])[:, 0]
        values = self.values[player][sequences] / (own or np.nan)
        return Leak(
            player,
            number,
            form.infostate_label(player, number),
            float(self.costs[player][number]),
            before * own,
            form.actions_at(player, number),
            tuple(played.tolist()),
            tuple(values.tolist()),
        )

    @property
    def num_leaks(self) -> int:
        """Number of leaks: infostates whose cost exceeds the rounding error of values."""
        return sum(int((own > self.form.rounding).sum()) for own in self.costs)

    def grouped(self, by: str, rename: Callable[[str], str] | None = None) -> list[LeakGroup]:
        """Return costs by line, hand or action, largest cost first.

        Hands that a public form merges count as the first hand of their class.

        Parameters
        ----------
        by
            "line", "hand" or "action".
        rename
            Changes the texts of groups before they are added up, for example to classes of hands.

        Raises
        ------
        UnknownNameError
            If `by` is not in `LEAK_GROUPS`.
        UnsupportedGameError
            If lines or hands are asked for, and the policy is not on a public form.
        """
        check_choice("by", by, LEAK_GROUPS)
        if by != "action":
            as_public_form(self.form)
        found: dict[tuple[Player, str], tuple[float, int]] = {}
        for player in range(len(self.costs)):
            for name, cost, count in self._groups(player, by):
                key = player, name if rename is None else rename(name)
                before, number = found.get(key, (0.0, 0))
                found[key] = before + cost, number + count
        groups = [LeakGroup(*key, *sums) for key, sums in found.items()]
        return sorted(groups, key=lambda one: (-one.cost, one.player, one.text))

    def _groups(self, player: Player, by: str) -> Iterator[tuple[str, float, int]]:
        """Yield the text, the cost and the number of infostates of a player's groups."""
        form: Any = self.form
        if by == "action":
            plex, costs = form.treeplexes[player], self.action_costs(player)
            for sequence in np.flatnonzero(costs).tolist():
                number = int(plex.infostate_of_sequence[sequence])
                place = sequence - int(plex.first_sequence[number])
                yield label_text(form.actions_at(player, number)[place]), float(costs[sequence]), 1
            return
        for key, cost, count in self.sums(player, form.infostates[player][LEAK_GROUPS.index(by)]):
            name = form.label(key) if by == "line" else value_text(form.hands[player][key])
            yield name, cost, count

    def sums(self, player: Player, keys: IntArray | LongArray) -> list[tuple[int, float, int]]:
        """Return each key that has leaks, the sum of its costs, and its number of leaks.

        Parameters
        ----------
        keys
            [I] a whole number for each acting infostate, such as its public state.
        """
        costs = self.costs[player]
        counts = np.bincount(keys[costs > self.form.rounding])
        sums = np.bincount(keys, costs)
        return [
            (key, float(sums[key]), int(counts[key])) for key in np.flatnonzero(counts).tolist()
        ]

    def _facts(self) -> Facts:
        values: dict[str, object] = {"NashConv": self.nash_conv, "leaks": self.num_leaks}
        return Facts("", values, "see .leaks(top=10)")


def leak_report(policy: TabularPolicy[Form]) -> LeakReport:
    """Return where a policy loses: what each decision contributes to NashConv.

    Let q(I, a) be the counterfactual value of an action if the player responds best after it, and
    x(I) the probability with which the player itself plays to the infostate. The gain of a player
    from a best response is the sum over its infostates of

        x(I) Σ_a π(a | I) (max_b q(I, b) − q(I, a)),

    whose terms are not negative. A term is the loss at one infostate if play after it is a best
    response.

    Notes
    -----
    This is the performance difference of two policies (Kakade and Langford, ICML 2002), one of
    which is a best response.

    Raises
    ------
    ParameterError
        If `policy` is not a `TabularPolicy`.

    Examples
    --------
    The largest mistake of uniform play in Kuhn poker is to fold the king to a bet:

    >>> import infoset
    >>> form = infoset.build_public_form("kuhn_poker")
    >>> found = leak_report(infoset.policy.uniform_policy(form))
    >>> worst = found.leaks(top=1)[0]
    >>> worst.infostate, worst.best, round(worst.cost, 6), round(found.nash_conv, 6)
    ('[K] / bet', 'bet', 0.25, 0.916667)
    """
    check_policy(policy)
    form, plans = policy.form, policy.realization_plans()
    values = []
    for player, plex in enumerate(form.treeplexes):
        gradient = form.gradient(plans, player)
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        values.append(gradient)
    return LeakReport(policy, tuple(plans), tuple(values))


def policy_differences(
    policy: TabularPolicy[Form], other: TabularPolicy[Form], player: Player
) -> FloatArray:
    """Return where a player earns more or less by one policy than by another.

    All other players follow `other`. With q the counterfactual values if the player follows `other`
    after an action, and x the probability with which it plays to an infostate by `policy`, terms
    are

        x(I) Σ_a (π(a | I) − π_other(a | I)) q(I, a).

    They have signs, and sum to the utility of `policy` less that of `other` (Kakade and Langford,
    2002).

    Returns
    -------
    FloatArray
        [I] by acting infostate, in the game's units.

    Raises
    ------
    ParameterError
        If an argument is not a `TabularPolicy`, the policies have different forms, or the game has
        no such player.
    """
    check_policy(policy)
    check_policy(other)
    form = policy.form
    if other.form is not form and other.form.fingerprint != form.fingerprint:
        raise ParameterError(
            f"the policies are on different forms, of {form.name} and {other.form.name}; transfer "
            "one by infoset.policy.transfer_policy(other, policy.form)"
        )
    check_player(player, form.num_players, form.name)
    plex, plans = form.treeplexes[player], other.realization_plans()
    own, probabilities = policy.realization_plans()[player], other.probabilities[player]
    values = form.gradient(plans, player)
    policy_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, probabilities, values)
    if not plex.num_infostates:
        return np.zeros(0)
    before = np.repeat(own[plex.parent_sequence], plex.num_actions)
    terms = (own[1:] - before * probabilities[1:]) * values[1:]
    differences: FloatArray = np.add.reduceat(np.append(0.0, terms), plex.first_sequence)
    return differences


def _largest(costs: FloatArray, top: int | None) -> Iterator[tuple[float, int]]:
    """Yield the positive costs [I] that may be among the largest `top`, and their infostates."""
    numbers: LongArray = np.flatnonzero(costs)
    if top is not None and top < len(numbers):
        threshold = np.partition(costs[numbers], len(numbers) - top)[len(numbers) - top]
        numbers = numbers[costs[numbers] >= threshold]
    yield from zip(costs[numbers].tolist(), numbers.tolist(), strict=True)
