"""Verification of certificates from the rules of a game, in exact arithmetic.

This file is all that has to be read to trust a verified certificate. It calls the rules of the game
(`infoset.game.Game`), and computes with Python integers and `fractions.Fraction`. It shares no code
with the solvers, the trees and the evaluation of the library.

1. `_Rules` visits every history of the game. It derives the infostates of each player from its
   actions and observations, so that the player never forgets anything. It adds up what each
   pair of sequences pays: utility times the probability of chance.
2. The policies must give a distribution for every infostate, and for nothing else.
3. The best response to a policy is computed infostate by infostate, from the last to the first. It
   is what the opponent can achieve at most, so the policy guarantees the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Final, NamedTuple

from infoset.certificates.certificate import Certificate, Distribution, ExactPolicy
from infoset.errors import CertificateError, InfosetError, UnsupportedGameError, show
from infoset.game import Game, Observation, step_text
from infoset.games import is_registered, load_game
from infoset.utils.arguments import check_count, check_type

MAX_HISTORIES: Final = 2_000_000
"""Default limit on the number of histories that a verification visits."""

MAX_DEPTH: Final = 10_000
"""Limit on the number of transitions of a play."""

MAX_NAME: Final = 1000
"""Limit on the number of characters in the name of a game."""

START: Final = "(start)"
"""Text of the infostate in the initial history."""

PLAYERS: Final = (0, 1)


class GuaranteedBounds(NamedTuple):
    """What two policies guarantee, computed from the rules of a game."""

    lower: Fraction
    upper: Fraction
    """Bounds on the value of the game for player 0."""
    num_histories: int
    """Number of histories visited."""
    num_infostates: tuple[int, int]
    """Number of infostates at which each player acts."""


def verify_certificate(
    certificate: Certificate, *, game: Game | None = None, max_histories: int = MAX_HISTORIES
) -> GuaranteedBounds:
    """Check everything that a certificate claims against the rules of its game.

    Parameters
    ----------
    certificate
        Such as `read_certificate("kuhn_poker.certificate.json")`.
    game
        The game that the certificate names, if it is not registered. A certificate alone never
        selects the code that is executed.
    max_histories
        Limit on the number of histories of the game.

    Raises
    ------
    CertificateError
        If a claim is wrong; the message names the place.
    UnsupportedGameError
        If the game is not two-player constant-sum with exact probabilities, or has more than
        `max_histories` histories.

    Examples
    --------
    >>> sides = {side: Fraction(1, 2) for side in ("Heads", "Tails")}
    >>> policies = {"(start)": sides}, {"(start)": sides}
    >>> pennies = Certificate("matrix_mp", Fraction(0), Fraction(0), policies, 5)
    >>> verify_certificate(pennies).num_infostates
    (1, 1)
    """
    check_type("certificate", certificate, Certificate, "one from read_certificate(path)")
    rules = _named_game(certificate.game) if game is None else _given_game(game, certificate)
    found = guaranteed_bounds(rules, certificate.policies, max_histories=max_histories)
    claims = {
        "lower": (certificate.lower, found.lower, "the policy of player 0 guarantees"),
        "upper": (certificate.upper, found.upper, "against the policy of player 1 it is at most"),
        "num_histories": (certificate.num_histories, found.num_histories, "the rules give"),
    }
    for place, (claimed, true, source) in claims.items():
        if claimed != true:
            raise CertificateError(
                f"{place} of the certificate is {claimed}, but {source} {true} in "
                f"{certificate.game}; do not rely on this certificate, and prove the value again"
            )
    return found


def _named_game(name: str) -> Game:
    """Return a registered game; names that would run code of a file are not in the registry."""
    try:
        if len(name) > MAX_NAME:
            raise CertificateError(f"its name has more than {MAX_NAME:,} characters")
        game = load_game(name)
    except InfosetError as error:
        reason = f" ({error})" if is_registered(name) else ""
        raise CertificateError(
            f"game of the certificate is {show(name)}, which is not the name of a registered game"
            f"{reason}; if it is your own game, name its code: infoset verify FILE --game "
            "path/to/file.py:Class, or game= in Python"
        ) from error
    if str(game) != name:
        raise CertificateError(
            f"game of the certificate is {show(name)}, but its rules name it {str(game)!r}"
        )
    return game


def _given_game(game: Game, certificate: Certificate) -> Game:
    """Return the given game; raise unless the certificate names it."""
    check_type("game", game, Game, 'a game, such as infoset.load("own.py:Own")')
    if str(game) != certificate.game:
        raise CertificateError(
            f"game of the certificate is {show(certificate.game)}, but the given game is "
            f"{show(str(game))}; give the game with the parameters that the certificate names"
        )
    return game


def guaranteed_bounds(
    game: Game, policies: Sequence[ExactPolicy], *, max_histories: int = MAX_HISTORIES
) -> GuaranteedBounds:
    """Return the bounds on the value of a game that two policies guarantee.

    Parameters
    ----------
    game
        A two-player constant-sum game with exact chance probabilities.
    policies
        One per player.
    max_histories
        Limit on the number of histories of the game.

    Raises
    ------
    CertificateError
        If the policies are not complete policies of this game.
    UnsupportedGameError
        As raised by `verify_certificate`.
    """
    check_type("game", game, Game, 'a game, such as infoset.load("kuhn_poker")')
    check_type("policies", policies, (list, tuple), "two policies")
    check_count("max_histories", max_histories, minimum=1)
    if len(policies) != len(PLAYERS):
        raise CertificateError(f"there are {len(policies)} policies; give one for each player")
    rules = _Rules(game, max_histories)
    plans = [_plan(game, player, rules.infostates[player], policies[player]) for player in PLAYERS]
    # Player 1 receives the constant sum minus the utility of player 0, which it minimizes.
    lower = -_best_response(rules, player=1, opponent_plan=plans[0])
    upper = _best_response(rules, player=0, opponent_plan=plans[1])
    first, second = (len(rules.infostates[player]) for player in PLAYERS)
    return GuaranteedBounds(lower, upper, rules.num_histories, (first, second))


@dataclass(frozen=True)
class _ActingInfostate:
    """An infostate at which a player acts.

    Sequences are numbered in order of discovery: 0 is the empty one, and the actions of an
    infostate have the numbers from `first_sequence` on. `parent_sequence` is the player's last
    sequence before the infostate, so its number is smaller.
    """

    text: str
    actions: tuple[Any, ...]
    parent_sequence: int
    first_sequence: int


class _Position(NamedTuple):
    """A history: its world, and the facts that depend on the path to it."""

    world: Any
    chance: Fraction
    utilities: tuple[Fraction, ...]
    known: tuple[int, ...]
    sequences: tuple[int, ...]
    depth: int


@dataclass
class _Knowledge:
    """The infostates of one player, numbered in order of discovery.

    An infostate is the one before, the player's own action, and its observation.
    """

    numbers: dict[tuple[int, Any, Any, Any], int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=lambda: [""])

    def after(self, before: int, action: Any, private: Any, public: Any) -> int:
        """Return the infostate after an action of the player and an observation."""
        key = before, action, private, public
        if key not in self.numbers:
            self.numbers[key] = len(self.texts)
            parts = (self.texts[before], step_text(action, private, public))
            self.texts.append(" / ".join(parts) if before else parts[1])
        return self.numbers[key]


class _Rules:
    """What the rules say of a game, found by visiting all of its histories.

    Attributes
    ----------
    infostates : tuple of lists of _ActingInfostate
        Per player, parents before children.
    num_sequences : list[int]
        Number of sequences of each player.
    payoffs : dict
        Maps the last sequences of both players at the end of a play to the utility of player 0
        times the probability of chance, added up over these plays.
    num_histories : int
    """

    def __init__(self, game: Game, max_histories: int) -> None:
        if game.num_players != len(PLAYERS):
            raise UnsupportedGameError(
                f"{game} has {game.num_players} players; a certificate is for two players"
            )
        self.infostates: tuple[list[_ActingInfostate], ...] = ([], [])
        self.num_sequences = [1, 1]
        self.payoffs: dict[tuple[int, ...], Fraction] = {}
        self.num_histories = 0
        self._game, self._max_histories = game, max_histories
        self._acting: tuple[dict[int, _ActingInfostate], ...] = ({}, {})
        self._knowledge = _Knowledge(), _Knowledge()
        self._constant: Fraction | None = None
        zero = Fraction()
        waiting = [_Position(game.initial_world(), Fraction(1), (zero, zero), (0, 0), (0, 0), 0)]
        # A history comes after the one before it, so infostates are found parents first.
        while waiting:
            waiting += self._visit(waiting.pop())

    def _visit(self, at: _Position) -> list[_Position]:
        """Return the positions after one of them; at the end of a play, add up what it pays."""
        self.num_histories += 1
        if self.num_histories > self._max_histories or at.depth > MAX_DEPTH:
            raise UnsupportedGameError(
                f"{self._game} has more than {self._max_histories:,} histories, or plays of more "
                f"than {MAX_DEPTH:,} transitions; raise max_histories (on the command line "
                "--max-histories), or certify a smaller game"
            )
        actors = tuple(self._game.actors(at.world))
        own = {player: self._infostate(player, at) for player in actors}
        after: list[_Position] = []
        for choice in product(*(range(len(own[player].actions)) for player in actors)):
            index = dict(zip(actors, choice, strict=True))
            joint = tuple(own[p].actions[index[p]] if p in own else None for p in PLAYERS)
            sequences = tuple(
                own[p].first_sequence + index[p] if p in own else at.sequences[p] for p in PLAYERS
            )
            for world, probability in self._outcomes(at.world, joint, bool(actors)):
                after.append(self._moved(at, joint, world, probability, sequences))
        if not after:
            self._pay(at)
        return after

    def _infostate(self, player: int, at: _Position) -> _ActingInfostate:
        """Return the infostate of an actor; it must be the same wherever the player knows it."""
        actions = tuple(self._game.legal_actions(at.world, player))
        known = self._acting[player].get(at.known[player])
        if known is None:
            text = self._knowledge[player].texts[at.known[player]] or START
            first = self.num_sequences[player]
            known = _ActingInfostate(text, actions, at.sequences[player], first)
            self.num_sequences[player] += len(actions)
            self._acting[player][at.known[player]] = known
            self.infostates[player].append(known)
        if not actions or known.actions != actions or known.parent_sequence != at.sequences[player]:
            raise UnsupportedGameError(
                f"{self._game} breaks its own rules: the actions of player {player} at "
                f"{known.text!r} differ between histories"
            )
        return known

    def _outcomes(
        self, world: Any, joint: tuple[Any, ...], has_actors: bool
    ) -> Iterator[tuple[Any, Fraction]]:
        """Yield the next worlds of positive probability; the probabilities must sum to 1."""
        total = Fraction()
        for after, probability in self._game.transitions(world, joint):
            if not isinstance(probability, int | Fraction) or probability < 0:
                raise UnsupportedGameError(
                    f"{self._game} has the probability {show(probability)}; a certificate needs "
                    "exact ones, such as Fraction(1, 3)"
                )
            total += probability
            if probability:
                yield after, Fraction(probability)
        if total != 1 and (has_actors or total):
            raise UnsupportedGameError(f"{self._game} has probabilities that sum to {total}, not 1")

    def _moved(
        self,
        at: _Position,
        joint: tuple[Any, ...],
        world: Any,
        probability: Fraction,
        sequences: tuple[int, ...],
    ) -> _Position:
        rewards = self._game.rewards(at.world, joint, world)
        seen: Observation = self._game.observe(at.world, joint, world)
        known = tuple(
            self._knowledge[p].after(at.known[p], joint[p], seen.seen_by(p), seen.public)
            for p in PLAYERS
        )
        # Rewards may be floating-point numbers, which are fractions too.
        utilities = tuple(at.utilities[p] + Fraction(rewards[p]) for p in PLAYERS)
        chance = at.chance * probability
        return _Position(world, chance, utilities, known, sequences, at.depth + 1)

    def _pay(self, at: _Position) -> None:
        total = sum(at.utilities, start=Fraction())
        if self._constant is None:
            self._constant = total
        if total != self._constant:
            raise UnsupportedGameError(
                f"{self._game} is not constant-sum: the utilities of a play sum to {total}, and "
                f"those of another to {self._constant}"
            )
        paid = at.chance * at.utilities[0]
        self.payoffs[at.sequences] = self.payoffs.get(at.sequences, Fraction()) + paid


def _plan(
    game: Game, player: int, infostates: Sequence[_ActingInfostate], policy: ExactPolicy
) -> list[Fraction]:
    """Return [Q] the probability of each sequence: that of its parent times that of the action."""
    plan = [Fraction(1)]
    texts = {infostate.text for infostate in infostates}
    if len(texts) < len(infostates):
        raise UnsupportedGameError(
            f"different infostates of player {player} in {game} have the same text"
        )
    for infostate in infostates:
        place = f"{infostate.text!r} of player {player}"
        distribution = policy.get(infostate.text)
        if distribution is None:
            raise CertificateError(f"the certificate has no probabilities at {place} in {game}")
        before = plan[infostate.parent_sequence]
        plan += [before * value for value in _probabilities(infostate, distribution, place)]
    for text in policy:
        if text not in texts:
            raise CertificateError(
                f"the certificate has probabilities at {show(text)} of player {player}, which is "
                f"not an infostate in {game} at which the player acts"
            )
    return plan


def _probabilities(
    infostate: _ActingInfostate, distribution: Distribution, place: str
) -> list[Fraction]:
    """Return the probabilities of the actions at an infostate, in order."""
    names = [str(action) for action in infostate.actions]
    if set(names) != set(distribution) or len(names) != len(distribution):
        raise CertificateError(
            f"the certificate has the actions {show([*distribution])} at {place}; the legal "
            f"actions are {show(names)}"
        )
    values = [distribution[name] for name in names]
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, Fraction) or value < 0:
            raise CertificateError(
                f"the probability of {name!r} at {place} is {show(value)}; it must be a "
                "nonnegative fraction"
            )
    if sum(values) != 1:
        raise CertificateError(
            f"the probabilities at {place} are {', '.join(map(str, values))}; they sum to "
            f"{sum(values)}, not 1"
        )
    return values


def _best_response(rules: _Rules, *, player: int, opponent_plan: Sequence[Fraction]) -> Fraction:
    """Return what a player achieves at most against a plan of its opponent.

    The utility is that of player 0, and its negative for player 1.
    """
    sign = 1 if player == 0 else -1
    # values[q]: what the plays that end with sequence q of the player pay, given the opponent.
    values = [Fraction()] * rules.num_sequences[player]
    for sequences, paid in rules.payoffs.items():
        values[sequences[player]] += sign * paid * opponent_plan[sequences[1 - player]]
    # The best action at an infostate adds to the sequence that leads there. Children come after
    # their parents in the list, so their values are complete when it is read backwards.
    for infostate in reversed(rules.infostates[player]):
        first = infostate.first_sequence
        best = max(values[first : first + len(infostate.actions)])
        values[infostate.parent_sequence] += best
    return values[0]
