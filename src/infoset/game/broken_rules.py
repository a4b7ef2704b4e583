"""The broken rule behind an exception that a game caused, found by the checks of `check_game`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from infoset.errors import (
    NO_WORLD,
    CyclicGameError,
    GameRuleError,
    InfosetError,
    describe_exception,
    pass_stops,
    show,
)
from infoset.game._world_checks import Edge, LegalActions, WorldRules
from infoset.game.answer_checks import is_whole
from infoset.game.protocol import Game
from infoset.typing import World

MAX_PLAYERS: Final = 1000
"""Maximum number of players of a game; arrays have an entry for each."""

MAX_TRANSITIONS = 10_000
"""Maximum number of transitions that are checked to find the cause of an exception."""

NUM_PLAYERS_RULE = f"num_players is a whole number, from 1 to {MAX_PLAYERS}; chance is not counted"

PACKAGE = str(Path(__file__).parents[1])
COMPARISONS = ("__eq__", "__ne__", "__hash__", "__lt__")


class rules_at:
    """Context in which the rules of a game are called at a world state.

    An exception becomes the `GameRuleError` that `check_game` reports at this world state; only
    Ctrl-C and limits, which come from outside, pass.
    """

    __slots__ = ("game", "world")

    def __init__(self, game: Game, world: World = NO_WORLD) -> None:
        self.game = game
        self.world = world

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None:
            pass_stops(error)
            broken = to_rule_error(error, self.game, self.world)
            if broken is not error:  # otherwise `error` itself continues, with its traceback
                raise broken from broken.__cause__


def check_num_players(game: Game) -> int:
    """Return the number of players of a game.

    Raises
    ------
    GameRuleError
        If it is not a whole number from 1 to `MAX_PLAYERS`.
    """
    try:
        number: Any = getattr(game, "num_players", None)
    except BaseException as error:
        pass_stops(error)
        raise GameRuleError(
            NUM_PLAYERS_RULE,
            found=f"num_players of {type(game).__name__} raised {describe_exception(error)}",
        ) from error
    if not is_whole(number) or not 1 <= number <= MAX_PLAYERS:
        raise GameRuleError(
            NUM_PLAYERS_RULE,
            found=f"num_players of {type(game).__name__} is {show(number)}",
        )
    return int(number)


def find_broken_rule(game: Game, world: World = NO_WORLD) -> GameRuleError | None:
    """Call every method of a game at a world state and return the first broken rule, if any.

    Without a world state, the initial one is created and checked for being a world state.
    """
    try:
        rules = WorldRules(game, check_num_players(game), MAX_TRANSITIONS)
        if world is NO_WORLD:
            rules.initial_world()
        else:
            rules.facts(world, rules.legal(world))
    except GameRuleError as error:
        return error
    except MemoryError:
        raise
    except BaseException as error:
        pass_stops(error)
        # Code of the user that is called indirectly, such as __eq__ in a dictionary.
        return _error_of_the_game(error, world)
    return None


def asked_again(
    game: Game, world: World, max_transitions: int
) -> tuple[LegalActions, tuple[Edge, ...]] | None:
    """Return the legal actions and transitions at a world state, calling every method twice.

    None if there are more than `max_transitions`.

    Raises
    ------
    GameRuleError
        If a rule is broken there, or two answers differ.
    """
    with rules_at(game, world):
        rules = WorldRules(game, game.num_players, max_transitions)
        facts = rules.facts(world, rules.legal(world))
        return None if facts.is_cut else (facts.legal, facts.edges)


def to_rule_error(error: BaseException, game: Game, world: World = NO_WORLD) -> BaseException:
    """Return the error to raise for an exception that occurred while rules were called.

    Parameters
    ----------
    error
        What was raised: by the game, or by code of the library that got a wrong answer.
    world
        The world state at which the rules were called.

    Returns
    -------
    BaseException
        The broken rule at the world state, with the user's own exception as its cause. If the
        checks find no broken rule, the exception itself, unless the code of the game raised it.
        Errors of the library about something else, and `MemoryError`, are returned unchanged.
    """
    is_rule_error = isinstance(error, GameRuleError)
    if isinstance(error, MemoryError | CyclicGameError) or (
        isinstance(error, InfosetError) and not is_rule_error
    ):
        return error
    if isinstance(error, GeneratorExit) and not _code_of_the_game(error):
        return error  # a generator of the library that was closed inside the context
    # Wrong answers surface far from their cause; asking again finds the rule that they break.
    found = find_broken_rule(game, world)
    if found is not None:
        if found.__cause__ is None and not is_rule_error and _code_of_the_game(error):
            found.__cause__ = error
        return found
    if is_rule_error:
        return error
    return _error_of_the_game(error, world) or error


def _error_of_the_game(error: BaseException, world: World) -> GameRuleError | None:
    """Return the error for an exception that code of the game raised; None if it did not."""
    where = _code_of_the_game(error)
    if where is None:
        return None
    rule = "methods answer for all legal actions, raise no exceptions, and are deterministic"
    if where in COMPARISONS:
        rule = "world states, actions and observations can be hashed and compared"
    named = GameRuleError(rule, found=f"{where} raised {describe_exception(error)}", world=world)
    named.__cause__ = error
    return named


def _code_of_the_game(error: BaseException) -> str | None:
    """Return the last function outside the library that an exception passed, if there is one."""
    name, step = None, error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if not code.co_filename.startswith((PACKAGE, "<frozen")):
            name = code.co_name
        step = step.tb_next
    return name
