"""Endgames in files of poker programs: TexasSolver, PioSOLVER, JSON, and hand histories."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple, NoReturn, cast

from infoset.errors import (
    AssumedRangesWarning,
    GameFileError,
    ParameterError,
    RoundedSizesWarning,
    nearest_names,
    show,
)
from infoset.games.bet_sizes import NO_SIZES, POSITIONS, STREETS
from infoset.games.hand_histories import HAND_BEGINNING, endgame_of_hand
from infoset.games.holdem_hands import HOLE_CARDS, PLACE, normal_cards, parse_cards
from infoset.games.nolimit_endgame import EndgameRules, NoLimitEndgame
from infoset.games.nolimit_parameters import MAX_AMOUNT
from infoset.games.parameters import plain_number, unknown_parameter

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
    RoundedSizesWarning
        If the text is not a hand history, `chip` is not given, and rounding to chips changes the
        size of a first bet by more than 5%.

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
            raise unknown_parameter(NoLimitEndgame, NoLimitEndgame.name, own, known)
    try:
        game = NoLimitEndgame(**{**parse(Spot(text, name), **options), **given})
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None
    if not is_history:
        _check_bets(game, name)
    elif "ranges" not in given:
        warnings.warn(
            f"{name} is a hand history without ranges, so both players may have any hand; "
            "give ranges, as in ranges=['TT+,AK';'22+,AQs+'], or ranges=any",
            AssumedRangesWarning,
            stacklevel=2,
        )
    return game


def _check_bets(game: NoLimitEndgame, name: str) -> None:
    """Raise if the minimum bet exceeds the stacks, so that every bet is all-in; warn of rounding.

    Hand histories are not checked, because short stacks may be below the big blind.
    """
    largest = max(game.min_bets)
    if largest > game.effective_stack:
        raise ParameterError(
            f"{name}: the minimum bet, {largest:g}, exceeds the stack of "
            f"{game.effective_stack:g}; give it in chips, usually the big blind"
        )
    rules = cast(EndgameRules, game.public_rules())
    rounded = [] if game.chip else rules.betting.rounded_bets()
    if rounded:
        chip = float(game.smallest_chip)
        warnings.warn(
            f"{name}: bet sizes are rounded to multiples of {chip:g}: {', '.join(rounded)}; set "
            f"chip={chip / 100:g} for finer sizes, or chip={chip:g} to keep these without this "
            "warning",
            RoundedSizesWarning,
            stacklevel=3,
        )


class Spot(NamedTuple):
    """The text of a spot, with the name of its file."""

    text: str
    name: str

    def fail(self, problem: str, line: int | None = None) -> NoReturn:
        """Raise the error for a spot that cannot be read."""
        where = self.name if line is None else f"{self.name}, line {line}"
        raise GameFileError(f"{where}: {problem}", line=line)

    def number(
        self, text: object, what: str, line: int | None = None, *, example: str = "60"
    ) -> Fraction:
        """Parse a number of at most `MAX_AMOUNT`; `what` names it in the error."""
        digits = str(text).strip()
        if digits.endswith("%"):
            rule = f"is {show(text)}, but percentages are not allowed; write it as in {example}"
            self.fail(f"{what} {rule}", line)
        try:
            # Exponents are checked first: the fraction 1e999999999 would not fit in memory.
            exponent = 0 if "/" in digits else abs(Decimal(digits).adjusted())
            is_long = exponent > len(str(MAX_AMOUNT))
            found = Fraction(MAX_AMOUNT + 1) if is_long else Fraction(digits)
        except (ValueError, ArithmeticError):
            self.fail(f"{what} is {show(text)}, which is not a number", line)
        if abs(found) > MAX_AMOUNT:
            rule = "is out of range; write a number of at most 15 digits"
            self.fail(f"{what} is {show(text)}, which {rule}, such as {example}", line)
        return found

    def percentage(self, text: object, what: str, line: int | None = None) -> Fraction:
        """Parse a percentage, with or without a percent sign."""
        return self.number(str(text).strip().removesuffix("%"), what, line)

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
    """Read the commands of TexasSolver's console, one per line, and comments after a #."""
    given: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for line, text in spot.numbered_lines():
        command, _, rest = text.partition(" ")
        name = command.removeprefix("set_")
        value: str | list[str] = rest.strip()
        fix = "keep one"
        if text.startswith("#"):
            if SETTING.fullmatch(text):
                problem = "is a setting of PioSOLVER among commands of TexasSolver"
                spot.fail(f"{show(text)} {problem}; begin comments with # and a space", line)
            continue
        if name == "bet_sizes":
            where, value = _bet_sizes(spot, line, rest)
            name, fix = f"bet_sizes {where}", "list all its sizes in one command"
        elif name not in (*REQUIRED, *OPTIONAL):
            if IGNORED.match(text):
                continue
            known = (f"set_{own}" for own in (*REQUIRED, "bet_sizes", *OPTIONAL))
            hint = nearest_names(command, known)
            spot.fail(f"{show(command)} is not a supported command; {hint}", line)
        if name in given:
            spot.fail(f"set_{name} is given twice, first on line {lines[name]}; {fix}", line)
        given[name], lines[name] = value, line
    for name in REQUIRED:
        if not given.get(name):
            spot.fail(f"the command set_{name} is missing")
    board = "".join(parse_cards(given["board"]))

    def of_player(street: str, position: str) -> Sizes:
        place = f"bet_sizes {position},{street}"
        bets, donks, raises = (given.get(f"{place},{kind}", []) for kind in KINDS[:3])
        if f"{place},allin" in given:
            # All-in is added to donk bets only if they have sizes.
            bets, raises = [*bets, "a"], [*raises, "a"]
            donks = [*donks, "a"] if donks else []
        return Sizes(bets, donks, raises)

    pot, stack = (
        spot.number(given[name], f"set_{name}", lines[name]) for name in ("pot", "effective_stack")
    )
    threshold = _texassolver_threshold(
        spot, given.get("allin_threshold", "0.67"), lines.get("allin_threshold")
    )
    limit, line_of_limit = given.get("raise_limit", NO_LIMIT), lines.get("raise_limit")
    max_raises = spot.number(limit, "set_raise_limit", line_of_limit, example="3")
    if max_raises < 0 or max_raises.denominator != 1:
        rule = f"is {limit}, but it counts raises; write a whole number of at least 0, such as 3"
        spot.fail(f"set_raise_limit {rule}", line_of_limit)
    return dict(
        board=board,
        pot=plain_number(pot),
        stack=plain_number(stack),
        ranges=(given["range_oop"], given["range_ip"]),
        max_raises=int(max_raises),
        all_in=1.0,
        # In TexasSolver, a player's contribution includes half of the initial pot.
        all_in_above=plain_number(max(threshold * stack - pot / 2, Fraction(0))),
        **_texts(board, of_player),
    )


def _texassolver_threshold(spot: Spot, text: str, line: int | None) -> Fraction:
    """Return TexasSolver's all-in threshold, which is a share of the stack."""
    found = spot.percentage(text, "set_allin_threshold", line)
    if "%" in text or not 0 <= found <= 1:
        is_percentage = 1 < found <= 100 or ("%" in text and 0 <= found <= 100)
        meant = f"{float(found / 100):g} for {float(found):g}%" if is_percentage else "0.67"
        rule = f"is {text}, but it is a share of the stack from 0 to 1; write {meant}"
        spot.fail(f"set_allin_threshold {rule}", line)
    return found


def _bet_sizes(spot: Spot, line: int, rest: str) -> tuple[str, list[str]]:
    """Return position, street and kind of sizes as text, and the sizes in percent of the pot."""
    parts = [part.strip().lower() for part in rest.split(",")]
    position, street, kind, *numbers = *parts, *[""] * (3 - len(parts))
    for part, known in ((position, POSITIONS), (street, STREETS), (kind, KINDS)):
        if part not in known:
            spot.fail(f"{show(part)} in set_bet_sizes is not one of {', '.join(known)}", line)
    sizes = [plain_number(spot.percentage(one, "a size", line)) for one in numbers if one]
    return f"{position},{street},{kind}", [f"{size}%" for size in sizes]


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


VARIANTS: Final = ("nolimit", "nlhe")
"""Values of `Type` in lower case that mean no-limit hold'em."""
SIZE_SETTINGS: Final = ("BetSize", "DonkBetSize", "RaiseSize", "AddAllin", "Dont3bet")
TREE_SETTINGS: Final = (
    *("Range0", "Range1", "Board", "Pot", "EffectiveStacks", "AllinThreshold", "MinimumBetsize"),
    *("AddAllinOnlyIfLessThanThisTimesThePot", "MergeSimilarBets", "MergeSimilarBetsThreshold"),
    *("UnifiedBetAfterRaise", "UnifiedRaiseAfterRaise", *UNSUPPORTED),
    *(
        f"{street.capitalize()}Config{position}.{setting}"
        for street in STREETS
        for position in ("", "IP")
        for setting in SIZE_SETTINGS
    ),
)
"""Settings of the tree: they are read, or refused if their values change its rules."""
TREE_WORD: Final = re.compile(r"Config|Bet|Raise|Donk", re.IGNORECASE)
"""Words in the names of settings that change the tree."""


def _parse_settings(spot: Spot) -> dict[str, Any]:
    """Read a tree as PioSOLVER's viewer copies it: lines such as `#Pot#100`."""
    given: dict[str, str] = {}
    for line, text in spot.numbered_lines():
        match = SETTING.fullmatch(text)
        if match is None:
            spot.fail(f"{show(text)} is not of the form #Name#value", line)
        name, value = match[1], match[2].strip()
        if name in given:
            spot.fail(f"#{name}# is given twice; keep one of the two lines", line)
        # An unknown setting that is empty or False changes nothing.
        if name not in TREE_SETTINGS and TREE_WORD.search(name) and value not in ("", "False"):
            hint = nearest_names(name, TREE_SETTINGS)
            spot.fail(f"#{name}# is not a known setting of a tree; {hint}", line)
        given[name] = value
    for name in ("Range0", "Range1", "Board", "Pot", "EffectiveStacks"):
        if not given.get(name):
            spot.fail(f"the setting #{name}# is missing")
    if given.get("Type", "NLHE").lower() not in VARIANTS:
        spot.fail(
            f"#Type#{given['Type']} is not no-limit hold'em, the only supported game; its trees "
            "have #Type#NoLimit"
        )
    if given.get("MergeSimilarBets", "False") != "False":
        spot.fail(
            "#MergeSimilarBets#True is not supported, as PioSOLVER does not document its rule; "
            "write #MergeSimilarBets#False and set merge, as in spot.txt(merge=0.1)"
        )
    for name, usual in UNSUPPORTED.items():
        if given.get(name, usual) != usual:
            rule = "is a rule that nolimit_endgame does not support; a tree without it has"
            spot.fail(f"#{name}#{given[name]} {rule} #{name}#{usual}")
    board = "".join(parse_cards(given["Board"]))
    pot, stack = (spot.number(given[name], f"#{name}#") for name in ("Pot", "EffectiveStacks"))
    name = "AddAllinOnlyIfLessThanThisTimesThePot"
    limit = spot.percentage(given.get(name) or 0, f"#{name}#") / 100
    above = _piosolver_threshold(spot, given.get("AllinThreshold") or "100") * stack
    min_bet = spot.number(given.get("MinimumBetsize") or 0, "#MinimumBetsize#")
    rake: dict[str, Any] = {}
    if given.get("Rake.Enabled") == "True":
        fraction = spot.number(given.get("Rake.Fraction", 0), "#Rake.Fraction#", example="0.05")
        cap = spot.number(given.get("Rake.Cap", 0), "#Rake.Cap#")
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
        min_bet=plain_number(min_bet) or 1,
        all_in=1.0,
        all_in_above=plain_number(above),
        **rake,
        **_texts(board, of_player),
    )


def _piosolver_threshold(spot: Spot, text: str) -> Fraction:
    """Return PioSOLVER's all-in threshold, which is in percent of the stack, as a share."""
    name = "#AllinThreshold#"
    found = spot.percentage(text, name)
    if 0 < found < 1 and "%" not in text:
        meant = f"{float(found * 100):g}"
        spot.fail(f"{name}{text} is in percent of the stack; write {meant} for {meant}%")
    if not 0 <= found <= 100:
        rule = "is out of range; write a percentage from 0 to 100, as in"
        spot.fail(f"{name}{text} {rule} {name}67")
    return found / 100


def _pio_sizes(text: str) -> list[str]:
    """Return sizes as `parse_sizes` reads them: numbers without a unit are percentages."""
    parts = text.replace(",", " ").split()
    return [part if part[-1].isalpha() or part[-1] == "%" else f"{part}%" for part in parts]


# --- JSON --------------------------------------------------------------------------------------

RIVER_KEYS: Final = {
    *("board", "pot", "stack", "bet_sizes", "include_all_in", "max_raises", "players"),
}
MAX_SHARE: Final = 10
"""Maximum bet size as a share of the pot; larger numbers are taken for percentages."""


def _parse_json(spot: Spot) -> dict[str, Any]:
    """Read a JSON object with the parameters of the game, or with each player's hands."""
    try:
        given = json.loads(spot.text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        spot.fail(f"the text is not valid JSON: {error}")
    if not isinstance(given, dict):
        spot.fail("the text is valid JSON, but not an object")
    if "players" in given:
        given = _river(spot, given)
    for key in given:
        if key not in PARAMETERS:
            hint = NoLimitEndgame.advice.get(key) or nearest_names(key, PARAMETERS)
            spot.fail(f"{show(key)} is not a parameter of nolimit_endgame; {hint}")
    if "board" not in given:
        spot.fail("the board is missing")
    cards = given["board"]
    if isinstance(cards, list) and all(isinstance(card, str) for card in cards):
        cards = "".join(cards)
    if not isinstance(cards, str):
        spot.fail(f'the board is {show(cards)}, which is not text; write it as in "Ks9d8h4s2c"')
    return {**given, "board": cards}


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object from its names and values; refuse repeated names."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"{show(twice)} is given twice")
    return found


def _river(spot: Spot, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a river spot that lists each player's hands and weights."""
    for key in given:
        if key not in RIVER_KEYS:
            spot.fail(f"{show(key)} is not one of {', '.join(sorted(RIVER_KEYS))}")
    players, with_all_in = given["players"], given.get("include_all_in", True)
    if not isinstance(players, list) or len(players) != len(POSITIONS):
        what = f"has length {len(players)}" if isinstance(players, list) else "is not a list"
        spot.fail(f"players {what}; list two, first the one out of position, each with hands")
    if not isinstance(with_all_in, bool):
        spot.fail(f"include_all_in is {show(with_all_in)}; write true or false")
    all_in = ["a"] if with_all_in else []
    sizes = _listed([f"{share}%" for share in _percentages(spot, given)] + all_in)
    names = ("board", "pot", "stack", "max_raises")
    found: dict[str, Any] = {name: given[name] for name in names if name in given}
    ranges = [_weights(spot, player) for player in players]
    return {**found, "ranges": ranges, "bets": sizes, "raises": sizes, "all_in": 1.0}


def _percentages(spot: Spot, given: dict[str, Any]) -> list[float]:
    """Return the bet sizes of a river spot in percent; the file has shares of the pot."""
    shares = given.get("bet_sizes", [])
    if not isinstance(shares, list) or not all(map(_is_number, shares)):
        spot.fail(f"bet_sizes is {show(shares)}; write numbers, as in [0.5, 1.0]")
    for share in shares:
        if not 0 < share <= MAX_SHARE:
            meant = f"{share / 100:g} for {share:g}%" if share > 0 else "0.5 for 50%"
            spot.fail(
                f"bet_sizes has {show(share)}, but it lists shares of the pot, above 0 and at most "
                f"{MAX_SHARE}; write {meant}"
            )
    return [plain_number(Fraction(repr(share)) * 100) for share in shares]


def _weights(spot: Spot, player: object) -> list[float]:
    """Return the weights of all hands, given those of a player; cards may be in any order."""
    hands = player.get("hands") if isinstance(player, dict) else None
    if not isinstance(player, dict) or not isinstance(hands, list) or not hands:
        rule = 'does not list hands; write {"hands": ["AhKd"], "weights": [1.0]}'
        spot.fail(f"a player is {show(player)}, which {rule}")
    weights = player.get("weights")
    weights = [1.0] * len(hands) if weights is None else weights
    if not isinstance(weights, list) or len(weights) != len(hands):
        spot.fail(f"weights must be a list with one number for each hand ({len(hands)} in total)")
    found = [0.0] * len(HOLE_CARDS)
    for hand, weight in zip(hands, weights, strict=True):
        place = PLACE.get(normal_cards(hand)) if isinstance(hand, str) else None
        if place is None:
            spot.fail(f"{show(hand)} is not a hand of two different cards; write it as in AhKd")
        if not _is_number(weight) or weight < 0:
            spot.fail(f"the weight of {hand} is {show(weight)}; write a number of at least 0")
        found[place] = float(weight)
    if not any(found):
        spot.fail("a player has no hand with a weight above 0; give at least one hand a weight")
    return found


def _is_number(value: Any) -> bool:
    """Return whether a value of JSON is a number that is not too large."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return bool(is_number and -MAX_AMOUNT <= value <= MAX_AMOUNT)


# --- Hand histories ----------------------------------------------------------------------------

HISTORY_OPTIONS: Final = ("street", "hand")
"""Parameters that choose the endgame of a hand history."""


def _parse_history(spot: Spot, **options: Any) -> dict[str, Any]:
    """Read a hand history in the PHH format."""
    return endgame_of_hand(spot.text, spot.name, **options)


# Python before 3.11.5 matches possessive groups wrongly, so only single characters are possessive.
# There is one way to match each line, so that groups do not backtrack for long.
FORMATS: Final[tuple[tuple[bytes, Callable[..., dict[str, Any]]], ...]] = (
    (rb"(?:#(?![\w.]+#)[^\n]*\n\s*+)*set_\w+ ", _parse_commands),
    (rb"#[\w.]+#", _parse_settings),
    (rb"\{", _parse_json),
    (HAND_BEGINNING, _parse_history),
)
"""For each program, a regular expression for the beginning of its spots, and their parser."""

SPOT_BEGINNING: Final = rb"(?:" + rb"|".join(beginning for beginning, _ in FORMATS) + rb")"
