"""Every function that calls the rules of a broken game reports the error of `check_game`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import infoset
from infoset.beliefs import private_belief
from infoset.errors import GameRuleError
from infoset.evaluation import reached_best_response
from infoset.game import Game, Infostate, Observation, Step, check_game, initial_history, play_out
from infoset.policy import uniform_policy
from infoset.search import ISMCTS, RulesModel
from infoset.tree import build_world_graph
from tests.support.broken_games import BROKEN_AT_START, LEFT_LEFT, failing, meeting

UNSEEN_IN_PLAY = ("like int", "an int and a bool", "fractions almost", "as observation like")
"""Cases that no single play shows: they compare several transitions, or allow no rounding."""


def play(game: Game) -> object:
    return play_out(initial_history(game), [lambda i, a: a[-1]] * 2, np.random.default_rng(0))


def search(game: Game) -> object:
    model = RulesModel(game)
    searcher = ISMCTS(model, num_simulations=20)
    return searcher.action_probabilities(Infostate(0), model.legal_actions(Infostate(0)))


def believe(game: Game) -> object:
    after = Infostate(0).extend(Step("left", None, LEFT_LEFT))
    return private_belief(game, after)


VERBS: dict[str, Callable[[Any], object]] = {
    "explore": build_world_graph,
    "solve": infoset.solve,
    "info": infoset.info,
    "play": play,
    "match": lambda game: infoset.play_matches(game, uniform_policy(), None, num_deals=20),
    "respond": lambda game: reached_best_response(game, uniform_policy(), 0),
    "search": search,
    "believe": believe,
}
UNSEEN = {
    "search": ("no legal actions", "legal action twice", "None as action"),
    "believe": ("reward", "None as rewards", "unhashable next world"),
}
"""Further cases: a single action needs no search, and beliefs need no rewards."""

BUILDING = ("explore", "solve", "info")


def cases() -> list[Any]:
    return [
        pytest.param(case.values[0], verb, id=f"{case.id}-{verb}")
        for case in BROKEN_AT_START
        for verb in VERBS
        if "dice" not in str(case.id)
        if verb in BUILDING
        or not any(part in str(case.id) for part in (*UNSEEN_IN_PLAY, *UNSEEN.get(verb, ())))
    ]


def text(error: Exception) -> str:
    """Return the message of an error without addresses and without the place of a recursion."""
    return re.sub("0x[0-9a-f]+|depth exceeded.*?[(]", "", str(error))


@pytest.mark.parametrize(("game", "verb"), cases())
def test_the_error_is_that_of_check_game(game: Any, verb: str) -> None:
    with pytest.raises(GameRuleError) as checked:
        check_game(game)
    with pytest.raises(GameRuleError) as caught:
        VERBS[verb](game)
    assert text(caught.value) == text(checked.value)
    assert (caught.value.world, caught.value.player) == (
        checked.value.world,
        checked.value.player,
    )
    assert type(caught.value.__cause__) is type(checked.value.__cause__)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "believe"])
def test_the_exception_of_the_user_is_the_cause(verb: str) -> None:
    lost = LookupError("the card is lost")
    with pytest.raises(GameRuleError, match="raised LookupError: the card is lost") as caught:
        VERBS[verb](meeting(rewards=failing(lost)))
    assert caught.value.__cause__ is lost


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("number", [0, 2.5, 10**9, None])
def test_the_number_of_players_is_checked_everywhere(number: Any, verb: str) -> None:
    with pytest.raises(GameRuleError, match="num_players is a whole number, from 1 to 1000"):
        VERBS[verb](meeting(number))


class Incomparable:
    """A value whose comparison raises; all such values have one hash."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("cannot compare")


HALVES = [(Incomparable(), 0.5), (Incomparable(), 0.5)]


@pytest.mark.parametrize("verb", [check_game, build_world_graph])
@pytest.mark.parametrize(
    "game",
    [
        meeting(transitions=lambda w, joint: HALVES if w == "start" else []),
        meeting(observe=lambda w, joint, x: Observation(Incomparable())),
    ],
    ids=["worlds", "observations"],
)
def test_a_comparison_that_raises_is_reported(game: Any, verb: Callable[[Any], object]) -> None:
    with pytest.raises(GameRuleError, match="raised ZeroDivisionError: cannot compare") as caught:
        verb(game)
    assert caught.value.world == "start"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
