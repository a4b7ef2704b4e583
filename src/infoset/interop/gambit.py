"""Equilibria of two-player games with any payoffs, by Gambit."""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from infoset.efg import (
    Node,
    Outcome,
    chance,
    decision,
    extensive_form_from_nodes,
    format_efg,
    terminal,
)
from infoset.errors import MissingExtraError, ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.policy import TabularPolicy
from infoset.tree import SequenceForm, Treeplex
from infoset.typing import FloatArray, Player

__all__ = ["gambit_equilibria"]

Algorithm: TypeAlias = Literal["lcp", "enummixed"]

CERTIFIED = 1e-9
"""Gain, relative to the payoff range, above which an answer is no equilibrium."""

LARGEST_DENOMINATOR = 10**6
RELATIVE_ERROR = 1e-13


def gambit_equilibria(
    sequence_form: SequenceForm, algorithm: Algorithm = "lcp"
) -> tuple[TabularPolicy, ...]:
    """Find Nash equilibria of a two-player game with any payoffs, by Gambit, and check them.

    Gambit is asked about a game of its own kind with the same sequence form, in exact numbers.
    None of its answers is trusted: only those are returned from which no player can gain by our
    best response.

    Parameters
    ----------
    sequence_form : SequenceForm
        Of two players. Small: Gambit takes seconds for some dozens of sequences, cannot be given
        a limit, and Ctrl-C waits for it.
    algorithm : str
        'lcp', the linear complementarity program of the sequence form, finds one equilibrium.
        'enummixed' finds all extreme ones by enumeration, in matrix games and the like.

    Returns
    -------
    tuple[TabularPolicy, ...]
        At least one.

    Raises
    ------
    MissingExtraError
        If pygambit is not installed.
    ParameterError
        If there is no such algorithm.
    UnsupportedGameError
        If the game has not two players, or no answer of Gambit's is an equilibrium.

    Notes
    -----
    Source: Koller, Megiddo and von Stengel (1996); pygambit, which is under the GPL and is called,
    not included.
    """
    if algorithm not in get_args(Algorithm):
        raise ParameterError(f"algorithm={algorithm!r} is none of {', '.join(get_args(Algorithm))}")
    if sequence_form.num_players != 2:
        raise UnsupportedGameError(
            f"{sequence_form.name} has {sequence_form.num_players} players, and this is for two: "
            "solve_coarse_correlated finds a coarse correlated equilibrium of any game"
        )
    answers = [
        TabularPolicy.from_weights(sequence_form, weights)
        for weights in _ask(_import_gambit(), sequence_form, algorithm)
    ]
    low, high = sequence_form.payoff_range
    gains = [max(evaluate_policy(policy).gains) for policy in answers]
    allowed = CERTIFIED * (high - low)
    right = [policy for policy, gain in zip(answers, gains, strict=True) if gain <= allowed]
    if not right:
        found = f"gains of at least {min(gains):.3g} are left" if gains else "it found none"
        raise UnsupportedGameError(
            f"Gambit's {algorithm} gives no equilibrium of {sequence_form.name}: {found}; try the "
            f"other of {', '.join(get_args(Algorithm))}, or solve_coarse_correlated"
        )
    return tuple(right)


def _import_gambit() -> Any:
    try:
        return import_module("pygambit")
    except ImportError as error:
        raise MissingExtraError("gambit", "finding equilibria by Gambit") from error


def _ask(
    gambit: Any, sequence_form: SequenceForm, algorithm: Algorithm
) -> Iterator[list[FloatArray]]:
    """Yield Gambit's answers: per player [Q], weights of actions."""
    game = gambit.read_efg(io.StringIO(_efg_text(sequence_form)))
    if algorithm == "lcp":
        profiles = gambit.nash.lcp_solve(game, rational=True).equilibria
    else:
        found = gambit.nash.enummixed_solve(game, rational=True).equilibria
        profiles = [profile.as_behavior() for profile in found]
    for profile in profiles:
        yield [
            _weights(plex, player, profile)
            for plex, player in zip(sequence_form.treeplexes, game.players, strict=True)
        ]


def _weights(treeplex: Treeplex, player: Any, profile: Any) -> FloatArray:
    """Return [Q] what a profile gives to the actions of a player; infosets have their numbers."""
    weights = np.zeros(treeplex.num_sequences)
    for infoset in player.infosets:
        first = int(treeplex.first_sequence[int(infoset.label)])
        for position, action in enumerate(infoset.actions):
            weights[first + position] = max(float(profile[action] or 0), 0.0)
    return weights


def _efg_text(sequence_form: SequenceForm) -> str:
    """Return a game with the same sequence form, as text.

    Nature draws one of the M tuples of sequences, all alike. Then each player in turn meets the
    infostates on the way to its sequence; who leaves the way ends the game at 0. Who does not is
    paid M times what the tuple is worth.
    """
    share = Fraction(1, max(1, sequence_form.num_payoffs))
    plays = [
        (str(number), (share, _play(sequence_form, sequences, _exact(payoff / share))))
        for number, (sequences, payoff) in enumerate(
            zip(sequence_form.terminal_sequence.tolist(), sequence_form.payoff, strict=True)
        )
    ]
    nothing = ("nothing", (Fraction(1), terminal(0, 0)))
    return format_efg(extensive_form_from_nodes(chance(plays or [nothing]), players=2))


def _play(sequence_form: SequenceForm, sequences: list[int], payoffs: list[Fraction]) -> Node:
    """Return the history that goes on through the infostates on the way to each sequence."""
    node = terminal(outcome=Outcome(tuple(payoffs)))
    for player in (1, 0):
        plex, sequence = sequence_form.treeplexes[player], sequences[player]
        while sequence:
            infostate = int(plex.infostate_of_sequence[sequence])
            node = _step(plex, player, infostate, sequence, node)
            sequence = int(plex.parent_sequence[infostate])
    return node


def _step(treeplex: Treeplex, player: Player, infostate: int, sequence: int, after: Node) -> Node:
    """Return the history at an infostate, where one action leads on and all others to 0."""
    first, count = int(treeplex.first_sequence[infostate]), int(treeplex.num_actions[infostate])
    moves = [(str(a), after if first + a == sequence else terminal(0, 0)) for a in range(count)]
    return decision(player, str(infostate), moves)


def _exact(payoffs: FloatArray) -> list[Fraction]:
    """Return payoffs as fractions of small denominators where that is what they are."""
    near = [Fraction(payoff).limit_denominator(LARGEST_DENOMINATOR) for payoff in payoffs.tolist()]
    return [
        simple
        if abs(simple - Fraction(payoff)) <= RELATIVE_ERROR * abs(payoff)
        else Fraction(payoff)
        for simple, payoff in zip(near, payoffs.tolist(), strict=True)
    ]
