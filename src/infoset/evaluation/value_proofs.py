"""Bounds on the value of a game, proved with exact rational arithmetic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from infoset.efg import ExtensiveForm, check_tree
from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.forms import SequenceForm, Treeplex
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray
from infoset.utils.arguments import check_type

Plan: TypeAlias = list[Fraction]
Payoffs: TypeAlias = dict[tuple[int, int], Fraction]

DENOMINATORS = (10, 100, 1_000, 10_000, 1_000_000, 10**9)
"""Denominators to which probabilities are rounded, tried in this order."""


@dataclass(frozen=True, init=False)
class ValueProof:
    """Bounds on the value of a game for player 0, each certified by a policy.

    The bounds are computed from the policies, by exact best responses.

    Parameters
    ----------
    game
        A two-player constant-sum game with exact chance probabilities.
    probabilities
        The two policies.

    Raises
    ------
    ParameterError
        If the probabilities are not policies of the game.
    UnsupportedGameError
        As raised by `prove_value`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> always_first, half = (Fraction(1), Fraction(1), Fraction(0)), Fraction(1, 2)
    >>> proof = ValueProof(
    ...     build_tree(load_game("matrix_mp")), [always_first, (1, half, half)]
    ... )
    >>> proof.lower, proof.upper
    (Fraction(-1, 1), Fraction(0, 1))
    """

    lower: Fraction
    upper: Fraction
    """Security level of player 0's policy, and the upper bound that player 1's policy enforces.
    Both are exact, in the game's units."""
    probabilities: tuple[tuple[Fraction, ...], ...]
    """The two policies, with rational probabilities: per player, the probability of the last action
    of each sequence, as in `TabularPolicy.probabilities`."""

    def __init__(
        self, game: GameTree | ExtensiveForm, probabilities: Sequence[Sequence[Fraction]]
    ) -> None:
        form = provable_form(game)
        found = prove_bounds(form.treeplexes, exact_payoffs(game), probabilities)
        self.__dict__.update(found.__dict__)

    @property
    def value(self) -> Fraction | None:
        """The value of the game if the bounds are equal, otherwise None."""
        return self.lower if self.lower == self.upper else None

    def verify(self, game: GameTree | ExtensiveForm) -> None:
        """Check the proof against a game, using only its policies and exact arithmetic.

        The probabilities must be distributions, and exact best responses to them must give the two
        bounds. How the policies were found does not matter.

        Raises
        ------
        ParameterError
            If the probabilities are not policies of the game, or do not certify the bounds.
        UnsupportedGameError
            As raised by `prove_value`.

        Examples
        --------
        >>> from infoset.games import load_game
        >>> from infoset.solvers import solve_exactly
        >>> from infoset.tree import build_tree
        >>> tree = build_tree(load_game("kuhn_poker"))
        >>> solve_exactly(tree).verify(tree)
        """
        found = ValueProof(game, self.probabilities)
        if (found.lower, found.upper) != (self.lower, self.upper):
            name = game.sequence_form.name
            raise ParameterError(
                f"the proof is not valid for {name}: its policies certify the bounds "
                f"{found.lower} and {found.upper}, not {self.lower} and {self.upper}; prove the "
                "value again"
            )


def prove_value(game: GameTree | ExtensiveForm, policy: TabularPolicy) -> ValueProof:
    """Prove bounds on the value of a two-player constant-sum game, in exact arithmetic.

    The probabilities of a policy, such as the result of a solver, are rounded to fractions with
    small denominators. Best responses to the rounded policies are computed with fractions. If the
    rounded policies are an equilibrium, the bounds are equal and the value is proved. The proof
    uses no floating-point arithmetic. The cost of Python fractions limits the method to small
    games.

    Parameters
    ----------
    game
        The game. All chance probabilities must be exact (`Fraction` or `int`).
    policy
        A policy for the game.

    Returns
    -------
    ValueProof
        The tightest bounds over the denominators tried.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum, or its probabilities are not exact.
    PolicyMismatchError
        If the policy is for another game.

    Notes
    -----
    Rewards are stored as floating-point numbers, which are rational numbers and are used exactly.
    Player 1 is assumed to receive the constant sum minus the reward of player 0.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> pennies = build_tree(load_game("matrix_mp"))
    >>> prove_value(pennies, uniform_policy(pennies.sequence_form)).value
    Fraction(0, 1)
    """
    form = provable_form(game)
    check_type(
        "policy", policy, TabularPolicy, "a TabularPolicy, such as infoset.solve(game).policy"
    )
    if policy.form.fingerprint != form.fingerprint:
        raise PolicyMismatchError(
            f"the policy is for {policy.form.name}, not {form.name}; give a policy for {form.name}"
        )
    payoffs = exact_payoffs(game)
    best: ValueProof | None = None
    for denominator in DENOMINATORS:
        behaviors = [
            _rounded(plex, values, denominator)
            for plex, values in zip(form.treeplexes, policy.probabilities, strict=True)
        ]
        proof = prove_bounds(form.treeplexes, payoffs, behaviors)
        if best is None or proof.upper - proof.lower < best.upper - best.lower:
            best = proof
        if best.value is not None:
            break
    assert best is not None, "there are denominators to try"
    return best


def provable_form(game: GameTree | ExtensiveForm) -> SequenceForm:
    """Return the sequence form of a two-player constant-sum game.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """
    check_tree(game)
    form = game.sequence_form
    if not form.is_two_player_constant_sum:
        raise UnsupportedGameError(
            f"{form.name} is not a two-player constant-sum game, so it has no value to prove; "
            "give a two-player constant-sum game"
        )
    return form


def prove_bounds(
    treeplexes: Sequence[Treeplex], payoffs: Payoffs, behaviors: Sequence[Sequence[Fraction]]
) -> ValueProof:
    """Return the bounds certified by two policies, from exact best responses.

    Parameters
    ----------
    treeplexes
        The treeplexes of both players.
    payoffs
        As `exact_payoffs` returns them.
    behaviors
        Per player [Q] exact probabilities.

    Raises
    ------
    ParameterError
        If the probabilities are not exact, or not a distribution at every infostate.
    """
    if len(behaviors) != len(treeplexes):
        raise ParameterError(
            f"there are probabilities for {len(behaviors)} players; give them for both players"
        )
    for player, (plex, own) in enumerate(zip(treeplexes, behaviors, strict=True)):
        _check_distributions(player, plex, own)
    plans = [_plan(plex, own) for plex, own in zip(treeplexes, behaviors, strict=True)]
    upper = _best_value(treeplexes[0], _gradient(payoffs, plans[1], 0, treeplexes[0]))
    lower = -_best_value(treeplexes[1], _gradient(payoffs, plans[0], 1, treeplexes[1]))
    proof = object.__new__(ValueProof)
    facts = {"lower": lower, "upper": upper, "probabilities": tuple(map(tuple, behaviors))}
    proof.__dict__.update(facts)
    return proof


def _check_distributions(player: int, treeplex: Treeplex, own: Sequence[Fraction]) -> None:
    if len(own) != treeplex.num_sequences or own[0] != 1:
        raise ParameterError(
            f"player {player} has {len(own)} probabilities; give one for each of the "
            f"{treeplex.num_sequences} sequences, of which the first, the empty one, has 1"
        )
    if not all(isinstance(value, (Fraction, int)) and value >= 0 for value in own):
        raise ParameterError(
            f"the probabilities of player {player} must be nonnegative fractions; give exact ones, "
            "such as Fraction(1, 3)"
        )
    for infostate, (first, count) in enumerate(
        zip(treeplex.first_sequence.tolist(), treeplex.num_actions.tolist(), strict=True)
    ):
        total = sum(own[first : first + count], start=Fraction())
        if total != 1:
            raise ParameterError(
                f"the probabilities of player {player} at decision {infostate} sum to {total}; "
                "give probabilities that sum to 1 exactly"
            )


def exact_payoffs(game: GameTree | ExtensiveForm) -> Payoffs:
    """Return player 0's payoffs times chance reach, keyed by the sequences of both players.

    Raises
    ------
    UnsupportedGameError
        If the chance probabilities are not exact.
    """
    factors = _exact_factors(game)
    reach = [Fraction(1)] * len(factors)
    for history, before in enumerate(game.parent.tolist()):
        if history:
            reach[history] = reach[before] * factors[history]
    paid = game.rewards_so_far if isinstance(game, GameTree) else game.utility
    sequence = game.sequence
    payoffs: Payoffs = defaultdict(Fraction)
    for history in game.terminals.tolist():
        first, second = sequence[history].tolist()
        payoffs[first, second] += reach[history] * Fraction(float(paid[history, 0]))
    return payoffs


def _exact_factors(game: GameTree | ExtensiveForm) -> list[Fraction]:
    """Return [H] the chance probability of the last transition to each history."""
    if isinstance(game, GameTree):
        table: Sequence[Fraction | float] | None = game.graph.exact_probability
        index: IntArray = game.edge
    else:
        # Index -1, of a transition without chance, reads the last entry.
        table, index = (*game.probabilities, Fraction(1)), game.chance
    if table is None or not all(isinstance(value, (Fraction, int)) for value in table):
        raise UnsupportedGameError(
            f"{game} has floating-point chance probabilities, but a proof requires exact ones; "
            f"give them as fractions, such as Fraction(1, 3)"
        )
    exact = [Fraction(value) for value in table]
    return [exact[number] for number in index.tolist()]


def _rounded(treeplex: Treeplex, values: FloatArray, denominator: int) -> Plan:
    """Return [Q] probabilities as fractions that sum to one at every infostate.

    The limit on denominators is at least the number of actions. The largest probability is
    therefore never rounded to zero, and the sum is positive.
    """
    rounded = [Fraction(1)] * treeplex.num_sequences
    for first, count in zip(
        treeplex.first_sequence.tolist(), treeplex.num_actions.tolist(), strict=True
    ):
        largest = max(denominator, count)
        own = [
            Fraction(v).limit_denominator(largest) for v in values[first : first + count].tolist()
        ]
        total = sum(own, start=Fraction())
        rounded[first : first + count] = [value / total for value in own]
    return rounded


def _plan(treeplex: Treeplex, behavior: Sequence[Fraction]) -> Plan:
    plan = [Fraction(1)] * treeplex.num_sequences
    for infostate, before in enumerate(treeplex.parent_sequence.tolist()):
        first = int(treeplex.first_sequence[infostate])
        for sequence in range(first, first + int(treeplex.num_actions[infostate])):
            plan[sequence] = plan[before] * behavior[sequence]
    return plan


def _gradient(payoffs: Payoffs, plan: Plan, player: int, treeplex: Treeplex) -> Plan:
    """Return [Q] the gradient of player 0's utility for one player's plan, negated for player 1."""
    gradient = [Fraction()] * treeplex.num_sequences
    for sequences, payoff in payoffs.items():
        reach = plan[sequences[1 - player]]
        if reach:
            gradient[sequences[player]] += -payoff * reach if player else payoff * reach
    return gradient


def _best_value(treeplex: Treeplex, gradient: Plan) -> Fraction:
    """Return the value of a best response to a gradient; the gradient is overwritten."""
    # Infostates after an action have larger numbers, so each own value is complete.
    for infostate in reversed(range(treeplex.num_infostates)):
        first = int(treeplex.first_sequence[infostate])
        own = gradient[first : first + int(treeplex.num_actions[infostate])]
        gradient[int(treeplex.parent_sequence[infostate])] += max(own)
    return gradient[0]
