"""Endgames from hand histories in the PHH format, which pokerkit replays."""

from __future__ import annotations

import re
import tomllib
import warnings
from decimal import Decimal
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from infoset.errors import GameFileError, describe_exception, show
from infoset.games.bet_sizes import STREETS
from infoset.games.parameters import plain_number
from infoset.utils.arguments import check_choice
from infoset.utils.extras import import_extra

Fields: TypeAlias = dict[str, Any]
"""The fields of a hand by name; decimal numbers are exact."""

LISTS: Final = ("antes", "blinds_or_straddles", "starting_stacks")
"""Fields with one number for each player."""
REQUIRED: Final = ("variant", *LISTS, "min_bet", "actions")
LARGEST: Final = 10**12
"""Largest amount: up to it, sums of decimal numbers are exact."""
UNLIMITED: Final = 10**15
"""Chips of a player whose stack is unknown: more than any bet."""
FINEST_CHIP: Final = -2
"""Exponent of the smallest chip if some amounts of a hand are not whole numbers."""

HAND_BEGINNING: Final = (
    rb"(?:(?!variant\b)(?:[#\[\]\"'\d+-]|[a-zA-Z_.][\w.-]*[ \t]*=)[^\n]*\n\s*+)*variant[ \t]*="
)
"""How hand histories begin: lines of TOML up to the variant."""


def endgame_of_hand(
    text: str, name: str, *, street: str | None = None, hand: int | str | None = None
) -> dict[str, Any]:
    """Return the parameters of `NoLimitEndgame` for a street of a hand history.

    Source: J. Kim, "Recording and Describing Poker Hands" (2024), and https://phh.readthedocs.io.

    Parameters
    ----------
    name
        Name of the file, for error messages.
    street
        "flop", "turn" or "river"; None means the last one on which two players can bet.
    hand
        In a file with several hands, the name of the hand, which is the name of its TOML table.

    Raises
    ------
    GameFileError
        If the text is not a hand of no-limit Texas hold'em in PHH, or the street does not begin an
        endgame of two players.
    MissingExtraError
        If pokerkit is not installed.
    """
    if street is not None:
        check_choice("street", street, STREETS)
    history = HandHistory(name, _fields_of(text, name, hand))
    history.check()
    starts = history.replay()
    endgames = {own: start for own, start in starts.items() if not isinstance(start, str)}
    chosen = street or next(reversed(endgames), None)
    if chosen is None:
        reasons = [
            f"{', '.join(own for own in STREETS if starts[own] == reason)}: {reason}"
            for reason in dict.fromkeys(map(str, starts.values()))
        ]
        history.fail(
            f"no street begins an endgame of two players ({'; '.join(reasons)}); choose another "
            "hand"
        )
    if chosen not in endgames:
        others = " or ".join(f"street={own}" for own in endgames)
        history.fail(
            f"the {chosen} does not begin an endgame of two players: {starts[chosen]}; "
            f"{f'give {others}' if endgames else 'choose another hand'}"
        )
    return endgames[chosen]


def _fields_of(text: str, name: str, hand: int | str | None) -> Fields:
    """Return the fields of a hand, given the text of a file with one or several hands."""
    history = HandHistory(name, {})
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        history.fail(f"the hand history is not valid TOML: {error}")
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    if "variant" in document or not tables:
        if hand is not None:
            history.fail("the file has a single hand; omit the parameter hand")
        return document
    first, *_, last = [*tables, *tables]
    if hand is None and len(tables) > 1:
        history.fail(f"the file has {len(tables):,} hands; choose one, as in hand={first}")
    key = first if hand is None else str(hand)
    if key not in tables:
        history.fail(
            f"the file does not contain hand {show(hand)}; its hands are {first} to {last}"
        )
    return tables[key]


class HandHistory(NamedTuple):
    """The fields of a hand, with the name of its file."""

    name: str
    fields: Fields

    @property
    def num_players(self) -> int:
        """The number of starting stacks."""
        stacks = self.fields["starting_stacks"]
        return len(stacks) if isinstance(stacks, list) else 0

    def fail(self, problem: str) -> NoReturn:
        """Raise the error for a hand that cannot be read."""
        raise GameFileError(f"{self.name}: {problem}")

    def check(self) -> None:
        """Raise if the hand is not one of no-limit hold'em, or a field is missing or invalid."""
        for name in REQUIRED:
            if name not in self.fields:
                self.fail(f"the field {name} is missing; required fields: {', '.join(REQUIRED)}")
        if self.fields["variant"] != "NT":
            self.fail(
                f"the variant is {show(self.fields['variant'])}, but only 'NT', no-limit Texas "
                "hold'em, is supported"
            )
        for name in LISTS:
            numbers = self.fields[name]
            if not isinstance(numbers, list) or len(numbers) != self.num_players:
                self.fail(f"{name} is not a list with one number for each starting stack")
            wrong = [one for one in numbers if not _is_amount(one)]
            if wrong:
                self.fail(f"{name} has {show(str(wrong[0]))}; give numbers from 0 to {LARGEST:,}")
            if name != "starting_stacks" and any(map(_is_infinite, numbers)):
                self.fail(f"{name} has 'inf'; only starting_stacks may be unknown")
        smallest, actions = self.fields["min_bet"], self.fields["actions"]
        if not _is_amount(smallest) or not smallest or _is_infinite(smallest):
            self.fail(f"min_bet is {show(str(smallest))}; give a number above 0")
        if not isinstance(actions, list) or not all(isinstance(one, str) for one in actions):
            self.fail("actions is not a list of strings such as 'p1 cbr 300'")

    def replay(self) -> dict[str, dict[str, Any] | str]:
        """Return the endgame at the start of each street, or the reason why it is missing."""
        pokerkit = import_extra("pokerkit", "reading a hand history")
        starts: dict[str, dict[str, Any] | str] = {}
        board, dealt, reason = "", list[str](), "the hand ends earlier"
        with warnings.catch_warnings():
            # pokerkit warns, for example, if a player who could check folds.
            warnings.simplefilter("ignore", UserWarning)
            state = self._initial_state(pokerkit)
            for number, action in enumerate(self.fields["actions"], 1):
                kind, cards = _deal(action)
                # "sm" shows hands, which happens once nobody can bet anymore.
                if _can_bet(state) < 2 or action.split()[1:2] == ["sm"]:
                    reason = "the betting has ended"
                    break
                drawn = [card for card in re.findall("..", cards) if card != "??"]
                if len({*dealt, *drawn}) < len(dealt) + len(drawn):
                    self.fail(f"action {number}, {show(action)}, deals a card twice")
                dealt += drawn
                self._apply(pokerkit, state, action, number)
                if kind == "db":
                    board += cards
                if kind == "db" and state.actor_index is not None:
                    starts[STREETS[len(board) // 2 - 3]] = self._start(state, board)
        if _can_bet(state) < 2:
            is_fold = sum(state.statuses) < 2
            reason = "all players but one have folded" if is_fold else "a player is all-in"
        chip = self._chip(state)
        endgames = {own: one if isinstance(one, str) else one | chip for own, one in starts.items()}
        return {street: endgames.get(street, reason) for street in STREETS}

    def _initial_state(self, pokerkit: Any) -> Any:
        """Return pokerkit's state before the first action."""
        stacks = [UNLIMITED if _is_infinite(own) else own for own in self.fields["starting_stacks"]]
        own = {name: self.fields[name] for name in REQUIRED} | {"starting_stacks": stacks}
        trimmed = self.fields.get("ante_trimming_status", False)
        try:
            return pokerkit.HandHistory(**own, ante_trimming_status=trimmed).create_state()
        except Exception as error:
            self.fail(f"the hand cannot be dealt: {_reason(error)}; correct the file")

    def _apply(self, pokerkit: Any, state: Any, action: str, number: int) -> None:
        """Apply an action, in the notation of the file, to the state."""
        try:
            if _deal(action)[0] == "db":
                while state.can_burn_card():
                    state.burn_card("??")
            pokerkit.parse_action(state, action, pokerkit.parse_value)
        except Exception as error:
            self.fail(
                f"action {number}, {show(action)}, is invalid: {_reason(error)}; correct the file"
            )

    def _start(self, state: Any, board: str) -> dict[str, Any] | str:
        """Return the endgame after the cards of a street are dealt, or why it is missing."""
        starting = self.fields["starting_stacks"]
        players = [player for player, is_in in enumerate(state.statuses) if is_in]
        if len(players) > 2:
            return f"{len(players)} players are in the hand"
        if "?" in board:
            return "the board has unknown cards"
        # The player who acts first is out of position.
        players.sort(key=lambda player: player != state.actor_index)
        known = [state.stacks[own] for own in players if not _is_infinite(starting[own])]
        if not known:
            return "both stacks are unknown: add them to starting_stacks"
        put_in = [state.starting_stacks[own] - state.stacks[own] for own in players]
        pot, smallest = state.total_pot_amount, self.fields["min_bet"]
        amounts = {
            "pot": pot,
            # An ante that only one player has paid is dead money, too.
            "dead": pot - 2 * min(put_in),
            "min_bet": smallest,
        }
        found: dict[str, Any] = {name: plain_number(amount) for name, amount in amounts.items()}
        stacks = tuple(map(plain_number, known))
        found["stack"] = stacks if len(set(stacks)) == 2 else stacks[0]
        return {"board": board, **found}

    def _chip(self, state: Any) -> dict[str, float]:
        """Return the parameter `chip`, unless all amounts of the hand are whole numbers."""
        amounts = [self.fields["min_bet"], *(own for name in LISTS for own in self.fields[name])]
        amounts += [getattr(operation, "amount", 0) for operation in state.operations]
        decimals = [Decimal(own).normalize() for own in amounts if not _is_infinite(own)]
        exponent = min(int(own.as_tuple().exponent) for own in decimals)
        return (
            {"chip": float(Decimal(1).scaleb(min(FINEST_CHIP, exponent)))} if exponent < 0 else {}
        )


def _reason(error: Exception) -> str:
    """Return the reason that pokerkit gives for an error."""
    text = str(error) if type(error) is ValueError else describe_exception(error)
    return text.rstrip(".")


def _is_amount(number: object) -> bool:
    """Return whether a value is a number from 0 to `LARGEST`, or infinite."""
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        return False
    return number == Decimal("inf") or (number == number and 0 <= number <= LARGEST)


def _is_infinite(number: int | Decimal) -> bool:
    return Decimal(number).is_infinite()


def _can_bet(state: Any) -> int:
    """Return the number of players who are in the hand and have chips left."""
    return sum(
        bool(is_in and stack) for is_in, stack in zip(state.statuses, state.stacks, strict=True)
    )


def _deal(action: str) -> tuple[str, str]:
    """Return "db" or "dh" and the cards of a deal; empty texts for other actions."""
    words = action.partition("#")[0].split()
    is_deal = words[:1] == ["d"] and words[1:2] in (["db"], ["dh"])
    return (words[1], words[-1]) if is_deal and len(words) > 2 else ("", "")
