"""Nash equilibria of two-player general-sum games, computed by Gambit."""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
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
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.forms import SequenceForm, Treeplex
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, Player
from infoset.utils.extras import import_extra

Algorithm: TypeAlias = Literal["lcp", "enummixed"]

CERTIFIED = 1e-9
"""Maximum gain from a deviation, relative to the payoff range, in an accepted equilibrium."""

MAX_DENOMINATOR = 10**6
RELATIVE_ERROR = 1e-13


def gambit_equilibria(
    form: SequenceForm, algorithm: Algorithm = "lcp"
) -> tuple[TabularPolicy, ...]:
    """Compute Nash equilibria of a two-player general-sum game with Gambit, and verify them.

    Gambit receives an extensive form with the same sequence form, in exact numbers. Only profiles
    in which no player's best response has a gain are returned.

    Parameters
    ----------
    form
        Sequence form of a small two-player game. Gambit takes seconds for a few dozen sequences,
        has no time limit, and cannot be interrupted with Ctrl-C.
    algorithm : str
        'lcp', the linear complementarity program of the sequence form, finds one equilibrium.
        'enummixed' enumerates all extreme equilibria; it suits matrix games.

    Returns
    -------
    tuple[TabularPolicy, ...]
        At least one equilibrium.

    Raises
    ------
    MissingExtraError
        If pygambit is not installed.
    UnsupportedGameError
        If the game does not have two players, or no profile that Gambit returns is an equilibrium.

    Notes
    -----
    Source: Koller, Megiddo and von Stengel (1996). The computation uses pygambit, an optional
    dependency that is licensed under the GPL.
    """
    if algorithm not in get_args(Algorithm):
        raise ParameterError(
            f"algorithm={algorithm!r} is unknown; use one of {', '.join(get_args(Algorithm))}"
        )
    if form.num_players != 2:
        raise UnsupportedGameError(
            f"{form.name} has {form.num_players} players; Gambit needs "
            "two: use solve_coarse_correlated, which works for any game"
        )
    gambit = import_extra("gambit", "finding equilibria with Gambit")
    answers = [
        TabularPolicy.from_weights(form, weights) for weights in _ask(gambit, form, algorithm)
    ]
    gains = [max(evaluate_policy(policy).gains) for policy in answers]
    allowed = CERTIFIED * form.payoff_width
    right = [policy for policy, gain in zip(answers, gains, strict=True) if gain <= allowed]
    if not right:
        others = [name for name in get_args(Algorithm) if name != algorithm]
        found = f"a player can still gain {min(gains):.3g}" if gains else "it found none"
        raise UnsupportedGameError(
            f"Gambit's {algorithm} returns no equilibrium of {form.name}: {found}; try "
            f"{' or '.join(others)}, or solve_coarse_correlated"
        )
    return tuple(right)


def _ask(gambit: Any, form: SequenceForm, algorithm: Algorithm) -> Iterator[list[FloatArray]]:
    """Yield Gambit's equilibria: per player, [Q] the weights of actions."""
    game = gambit.read_efg(io.StringIO(_efg_text(form)))
    if algorithm == "lcp":
        profiles = gambit.nash.lcp_solve(game, rational=True).equilibria
    else:
        found = gambit.nash.enummixed_solve(game, rational=True).equilibria
        profiles = [profile.as_behavior() for profile in found]
    for profile in profiles:
        yield [
            _weights(plex, player, profile)
            for plex, player in zip(form.treeplexes, game.players, strict=True)
        ]


def _weights(treeplex: Treeplex, player: Any, profile: Any) -> FloatArray:
    """Return [Q] a profile's action probabilities; numbers label the information sets."""
    weights = np.zeros(treeplex.num_sequences)
    for infoset in player.infosets:
        first = int(treeplex.first_sequence[int(infoset.label)])
        for position, action in enumerate(infoset.actions):
            weights[first + position] = max(float(profile[action] or 0), 0.0)
    return weights


def _efg_text(form: SequenceForm) -> str:
    """Return an extensive form with the same sequence form, as .efg text.

    Chance draws one of the M tuples of sequences uniformly. Then each player in turn passes
    through the infostates on the path to its sequence; any other action ends the game with
    payoffs of 0. At the end of both paths, the payoffs are M times those of the tuple.
    """
    share = Fraction(1, max(1, form.num_payoffs))
    plays = [
        (str(number), (share, _play(form, sequences, _exact(payoff / share))))
        for number, (sequences, payoff) in enumerate(
            zip(form.terminal_sequence.tolist(), form.payoff, strict=True)
        )
    ]
    nothing = ("nothing", (Fraction(1), terminal(0, 0)))
    return format_efg(extensive_form_from_nodes(chance(plays or [nothing]), players=2))


def _play(form: SequenceForm, sequences: list[int], payoffs: list[Fraction]) -> Node:
    """Return the first node of a play through the infostates on the path to each sequence."""
    node = terminal(outcome=Outcome(tuple(payoffs)))
    # From the end to the beginning: player 1's path comes after that of player 0.
    for player in (1, 0):
        plex, sequence = form.treeplexes[player], sequences[player]
        while sequence:
            infostate = int(plex.infostate_of_sequence[sequence])
            node = _step(plex, player, infostate, sequence, node)
            sequence = int(plex.parent_sequence[infostate])
    return node


def _step(treeplex: Treeplex, player: Player, infostate: int, sequence: int, after: Node) -> Node:
    """Return the node of an infostate at which one action continues and the others pay 0."""
    first, count = int(treeplex.first_sequence[infostate]), int(treeplex.num_actions[infostate])
    moves = [(str(a), after if first + a == sequence else terminal(0, 0)) for a in range(count)]
    return decision(player, str(infostate), moves)


def _exact(payoffs: FloatArray) -> list[Fraction]:
    """Return payoffs as fractions, with small denominators if these are exact up to rounding."""
    near = [Fraction(payoff).limit_denominator(MAX_DENOMINATOR) for payoff in payoffs.tolist()]
    return [
        simple
        if abs(simple - Fraction(payoff)) <= RELATIVE_ERROR * abs(payoff)
        else Fraction(payoff)
        for simple, payoff in zip(near, payoffs.tolist(), strict=True)
    ]
