"""Endgames in files of poker programs: TexasSolver, PioSOLVER, JSON, and hand histories."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, Final, NamedTuple, NoReturn

from infoset.errors import (
    AssumedRangesWarning,
    GameFileError,
    ParameterError,
    UnknownNameError,
    nearest_names,
    show,
)
from infoset.games.bet_sizes import NO_SIZES, POSITIONS, STREETS
from infoset.games.hand_histories import HAND_BEGINNING, endgame_of_hand
from infoset.games.holdem_hands import HOLE_CARDS, PLACE, normal_cards, parse_cards
from infoset.games.nolimit_endgame import NoLimitEndgame
from infoset.games.parameters import plain_number

NO_LIMIT: Final = 100
"""More raises than any street can have."""
PARAMETERS: Final = tuple(field.name for field in fields(NoLimitEndgame) if field.init)


def parse_spot(
    text: str, *, name: str = "the spot", parameters: Mapping[str, Any] | None = None
) -> NoLimitEndgame:
    """Read an endgame from the text of a file of a poker program.

    `infoset.load` reads such files.

    Parameters
    ----------
    name
        Name of the file, for error messages.
    parameters
        Parameters of `NoLimitEndgame` that replace those in the text. Hand histories also take
        `street`, by default the last one on which two players can bet, and, in a file with several
        hands, `hand`, the name of one.

    Raises
    ------
    GameFileError
        If the text is not a spot, or has a rule that `NoLimitEndgame` does not support.
    ParameterError
        If the spot is not a valid endgame, for example because a card occurs twice.
    MissingExtraError
        If the text is a hand history, and pokerkit is not installed.

    Warns
    -----
    AssumedRangesWarning
        If the text is a hand history and `ranges` is not given; then all hands are possible.

    Examples
    --------
    >>> spot = '''set_pot 100
    ... set_effective_stack 200
    ... set_board Ks,9d,8h,4s,2c
    ... set_range_oop AA,QQ
    ... set_range_ip KK
    ... set_bet_sizes oop,river,bet,50,100
    ... set_bet_sizes oop,river,allin'''
    >>> parse_spot(spot).bets
    'river oop: 50%, 100%, a; river ip: none'
    >>> parse_spot(spot, parameters={"stack": 50}).stack
    50
    """
    parse = next((own for start, own in FORMATS if re.match(rb"\s*" + start, text.encode())), None)
    if parse is None:
        raise GameFileError(
            f"{name} is not a spot in a supported format: TexasSolver commands, PioSOLVER "
            "settings, JSON, or a hand history in PHH with its variant"
        )
    is_history = parse is _parse_history
    given = dict(parameters or {})
    options = {own: given.pop(own) for own in HISTORY_OPTIONS if is_history and own in given}
    for own in given:
        if own not in PARAMETERS:
            known = (*PARAMETERS, *(HISTORY_OPTIONS if is_history else ()))
            raise UnknownNameError.of("parameter of nolimit_endgame", own, known)
    try:
        game = NoLimitEndgame(**{**parse(Spot(text, name), **options), **given})
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
    if is_history and "ranges" not in given:
        warnings.warn(
            f"{name} is a hand history without ranges, so both players may have any hand; "
            "give ranges, as in ranges=['TT+,AK';'22+,AQs+'], or ranges=any",
            AssumedRangesWarning,
            stacklevel=2,
        )
    return game


class Spot(NamedTuple):
    """The text of a spot, with the name of its file."""

    text: str
    name: str

    def fail(self, problem: str, line: int | None = None) -> NoReturn:
        """Raise the error for a spot that cannot be read."""
        where = self.name if line is None else f"{self.name}, line {line}"
        raise GameFileError(f"{where}: {problem}", line=line)

    def number(self, text: object, what: str, line: int | None = None) -> Fraction:
        """Parse a number; `what` names it in the error."""
        try:
            return Fraction(str(text).strip().rstrip("%"))
        except (ValueError, ZeroDivisionError):
            self.fail(f"{what} is {show(text)}, which is not a number", line)

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not empty, with their numbers."""
        for number, line in enumerate(self.text.splitlines(), 1):
            if line.strip():
                yield number, line.strip()


class Sizes(NamedTuple):
    """A player's sizes on a street, as text; empty lists mean that the action is not legal."""

    bets: list[str]
    donks: list[str]
    raises: list[str]
    reraises: list[str] | None = None
    """None means the same as `raises`."""


def _texts(board: str, sizes: Callable[[str, str], Sizes]) -> dict[str, Any]:
    """Return `bets` and `raises` of a game, given the sizes by street and position."""
    bets, raises = [], []
    for street in STREETS[len(board) // 2 - 3 :]:
        for position in POSITIONS:
            own = sizes(street, position)
            bets.append(f"{street} {position}: {_listed(own.bets)}")
            raises.append(f"{street} {position}: {_listed(own.raises)}")
            # The first street has no donk bets, because nobody bet on a previous street.
            if position == "oop" and len(bets) > 1:
                bets.append(f"{street} oop donk: {_listed(own.donks)}")
            if own.reraises is not None:
                raises.append(f"{street} {position} reraise: {_listed(own.reraises)}")
    return {"bets": "; ".join(bets), "raises": "; ".join(raises)}


def _listed(sizes: list[str]) -> str:
    return ", ".join(dict.fromkeys(sizes)) or NO_SIZES


# --- TexasSolver -------------------------------------------------------------------------------

REQUIRED: Final = ("pot", "effective_stack", "board", "range_oop", "range_ip")
OPTIONAL: Final = ("allin_threshold", "raise_limit")
IGNORED: Final = re.compile(
    r"(build_tree|start_solve|dump_result|set_(thread_num|accuracy|max_iteration|print_interval|"
    r"use_isomorphism|dump_rounds|use_halffloats))\b"
)
"""Commands that do not change the game."""
KINDS: Final = ("bet", "donk", "raise", "allin")


def _parse_commands(spot: Spot) -> dict[str, Any]:
    """Read the commands of TexasSolver's console, one per line."""
    given: dict[str, str] = {}
    sizes: dict[tuple[str, ...], list[str]] = {}
    for line, text in spot.numbered_lines():
        command, _, rest = text.partition(" ")
        name = command.removeprefix("set_")
        if name == "bet_sizes":
            *where, numbers = _bet_sizes(spot, line, rest)
            sizes[tuple(where)] = numbers
        elif name in (*REQUIRED, *OPTIONAL):
            given[name] = rest.strip()
        elif not IGNORED.match(text):
            known = (f"set_{own}" for own in (*REQUIRED, "bet_sizes", *OPTIONAL))
            hint = nearest_names(command, known)
            spot.fail(f"{show(command)} is not a supported command; {hint}", line)
    for name in REQUIRED:
        if not given.get(name):
            spot.fail(f"the command set_{name} is missing")
    board = "".join(parse_cards(given["board"]))

    def of_player(street: str, position: str) -> Sizes:
        bets, donks, raises = (sizes.get((position, street, kind), []) for kind in KINDS[:3])
        if (position, street, "allin") in sizes:
            # All-in is added to donk bets only if they have sizes.
            bets, raises = [*bets, "a"], [*raises, "a"]
            donks = [*donks, "a"] if donks else []
        return Sizes(bets, donks, raises)

    pot, stack = (spot.number(given[name], name) for name in ("pot", "effective_stack"))
    threshold = spot.number(given.get("allin_threshold", "0.67"), "allin_threshold")
    return dict(
        board=board,
        pot=plain_number(pot),
        stack=plain_number(stack),
        ranges=(given["range_oop"], given["range_ip"]),
        max_raises=int(spot.number(given.get("raise_limit", NO_LIMIT), "raise_limit")),
        all_in=1.0,
        # In TexasSolver, a player's contribution includes half of the initial pot.
        all_in_above=plain_number(max(threshold * stack - pot / 2, Fraction(0))),
        **_texts(board, of_player),
    )


def _bet_sizes(spot: Spot, line: int, rest: str) -> tuple[str, str, str, list[str]]:
    """Return position, street and kind of sizes, and the sizes in percent of the pot."""
    parts = [part.strip().lower() for part in rest.split(",")]
    position, street, kind, *numbers = *parts, *[""] * (3 - len(parts))
    for part, known in ((position, POSITIONS), (street, STREETS), (kind, KINDS)):
        if part not in known:
            spot.fail(f"{show(part)} in set_bet_sizes is not one of {', '.join(known)}", line)
    shares = [plain_number(spot.number(one, "a size", line)) for one in numbers if one]
    return position, street, kind, [f"{share}%" for share in shares]


# --- PioSOLVER ---------------------------------------------------------------------------------

SETTING: Final = re.compile(r"#([\w.]+)#(.*)")
UNSUPPORTED: Final[Mapping[str, str]] = {
    "ForceIPBet": "False",
    "ForceOOPBet": "False",
    "CapEnabled": "False",
    "UseUnifiedBetAfterRaise": "False",
    "UseUnifiedRaiseAfterRaise": "False",
    "RemovedLines": "",
    "ExtraLines": "",
    "ICM.Enabled": "False",
}
"""Settings with their only supported values; other values change the rules of the tree."""


def _parse_settings(spot: Spot) -> dict[str, Any]:
    """Read a tree as PioSOLVER's viewer copies it: lines such as `#Pot#100`."""
    given: dict[str, str] = {}
    for line, text in spot.numbered_lines():
        match = SETTING.fullmatch(text)
        if match is None:
            spot.fail(f"{show(text)} is not of the form #Name#value", line)
        given[match[1]] = match[2].strip()
    for name in ("Range0", "Range1", "Board", "Pot", "EffectiveStacks"):
        if not given.get(name):
            spot.fail(f"the setting #{name}# is missing")
    for name, usual in UNSUPPORTED.items():
        if given.get(name, usual) != usual:
            spot.fail(f"#{name}#{given[name]} is a rule that nolimit_endgame does not support")
    board = "".join(parse_cards(given["Board"]))
    pot, stack = (spot.number(given[name], name) for name in ("Pot", "EffectiveStacks"))
    limit = spot.number(given.get("AddAllinOnlyIfLessThanThisTimesThePot") or 0, "AddAllin") / 100
    above = spot.number(given.get("AllinThreshold") or 100, "AllinThreshold") / 100 * stack
    rake: dict[str, Any] = {}
    if given.get("Rake.Enabled") == "True":
        fraction, cap = (spot.number(given.get(f"Rake.{n}", 0), n) for n in ("Fraction", "Cap"))
        rake = {"rake": float(fraction), "rake_cap": plain_number(cap)}

    def of_player(street: str, position: str) -> Sizes:
        name = f"{street.capitalize()}Config{'IP' if position == 'ip' else ''}"
        kinds = ("BetSize", "DonkBetSize", "RaiseSize")
        found = [_pio_sizes(given.get(f"{name}.{kind}", "")) for kind in kinds]
        if given.get(f"{name}.AddAllin") == "True":
            if stack > limit * pot:
                spot.fail(
                    f"#{name}.AddAllin# depends on the pot here, because the stacks are more than "
                    f"{plain_number(limit)} times the pot; write all-in as the size a, or use the "
                    "parameter add_all_in of nolimit_endgame"
                )
            found = [[*sizes, "a"] if sizes else [] for sizes in found]
        bets, donks, raises = found
        reraises: list[str] | None = [] if given.get(f"{name}.Dont3bet") == "True" else None
        return Sizes(bets, donks, raises, reraises)

    return dict(
        board=board,
        pot=plain_number(pot),
        stack=plain_number(stack),
        ranges=(given["Range0"], given["Range1"]),
        max_raises=NO_LIMIT,
        min_bet=plain_number(spot.number(given.get("MinimumBetsize") or 0, "MinimumBetsize")) or 1,
        all_in=1.0,
        all_in_above=plain_number(above),
        **rake,
        **_texts(board, of_player),
    )


def _pio_sizes(text: str) -> list[str]:
    """Return sizes as `parse_sizes` reads them: numbers without a unit are percentages."""
    parts = text.replace(",", " ").split()
    return [part if part[-1].isalpha() or part[-1] == "%" else f"{part}%" for part in parts]


# --- JSON --------------------------------------------------------------------------------------

RIVER_KEYS: Final = {
    *("board", "pot", "stack", "bet_sizes", "include_all_in", "max_raises", "players"),
}


def _parse_json(spot: Spot) -> dict[str, Any]:
    """Read a JSON object with the parameters of the game, or with each player's hands."""
    try:
        given = json.loads(spot.text)
    except (ValueError, RecursionError) as error:
        spot.fail(f"the text is not valid JSON: {error}")
    if not isinstance(given, dict):
        spot.fail("the text is valid JSON, but not an object")
    if "players" in given:
        given = _river(spot, given)
    for key in given:
        if key not in PARAMETERS:
            hint = nearest_names(key, PARAMETERS)
            spot.fail(f"{show(key)} is not a parameter of nolimit_endgame; {hint}")
    if "board" not in given:
        spot.fail("the board is missing")
    cards = given["board"]
    return {**given, "board": cards if isinstance(cards, str) else "".join(cards)}


def _river(spot: Spot, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a river spot that lists each player's hands and weights."""
    for key in given:
        if key not in RIVER_KEYS:
            spot.fail(f"{show(key)} is not one of {', '.join(sorted(RIVER_KEYS))}")
    try:
        shares = [float(share) for share in given.get("bet_sizes", [])]
        ranges = [_weights(player["hands"], player.get("weights")) for player in given["players"]]
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        spot.fail(f"bet_sizes, hands or weights cannot be read: {error!r}")
    all_in = ["a"] if given.get("include_all_in", True) else []
    sizes = _listed([f"{plain_number(Fraction(repr(share)) * 100)}%" for share in shares] + all_in)
    names = ("board", "pot", "stack", "max_raises")
    found: dict[str, Any] = {name: given[name] for name in names if name in given}
    return {**found, "ranges": ranges, "bets": sizes, "raises": sizes, "all_in": 1.0}


def _weights(hands: list[str], weights: list[float] | None) -> list[float]:
    """Return the weights of all hands, given those of some hands; cards may be in any order."""
    found = [0.0] * len(HOLE_CARDS)
    for hand, weight in zip(hands, weights or [1.0] * len(hands), strict=True):
        found[PLACE[normal_cards(hand)]] = float(weight)
    return found


# --- Hand histories ----------------------------------------------------------------------------

HISTORY_OPTIONS: Final = ("street", "hand")
"""Parameters that choose the endgame of a hand history."""


def _parse_history(spot: Spot, **options: Any) -> dict[str, Any]:
    """Read a hand history in the PHH format."""
    return endgame_of_hand(spot.text, spot.name, **options)


FORMATS: Final[tuple[tuple[bytes, Callable[..., dict[str, Any]]], ...]] = (
    (rb"set_\w+ ", _parse_commands),
    (rb"#[\w.]+#", _parse_settings),
    (rb"\{", _parse_json),
    (HAND_BEGINNING, _parse_history),
)
"""For each program, a regular expression for the beginning of its spots, and their parser."""

SPOT_BEGINNING: Final = rb"(?:" + rb"|".join(beginning for beginning, _ in FORMATS) + rb")"
