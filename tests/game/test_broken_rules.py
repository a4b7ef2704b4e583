"""Every function that calls the rules of a broken game reports the error of `check_game`."""

from __future__ import annotations

import re
from typing import Any

import pytest

from infoset.errors import GameRuleError
from infoset.game import check_game
from infoset.tree import build_world_graph
from tests.support.broken_games import BROKEN_AT_START


def text(error: Exception) -> str:
    """Return the message of an error without addresses and without the place of a recursion."""
    return re.sub("0x[0-9a-f]+|depth exceeded.*?[(]", "", str(error))


VERBS = {"explore": build_world_graph}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(case.values[0], id=str(case.id))
        for case in BROKEN_AT_START
        if "dice" not in str(case.id)
    ],
)
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
