"""Every function that calls the rules of a broken game reports the error of `check_game`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import infoset
from infoset.beliefs import find_leak, private_belief
from infoset.errors import GameRuleError, describe_exception
from infoset.evaluation import reached_best_response
from infoset.game import (
    Game,
    Infostate,
    Observation,
    Step,
    check_game,
    fold_chance_player,
    forget_factorization,
    initial_history,
    play_out,
    serialize,
)
from infoset.interop import to_pettingzoo
from infoset.learning import get_learner, make_learner, play_and_learn
from infoset.policy import uniform_policy
from infoset.search import ISMCTS, RulesModel
from infoset.tree import build_world_graph
from tests.support.broken_games import BROKEN_AT_START, LEFT_LEFT, failing, meeting
from tests.support.function_game import FunctionGame

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


def learn(game: Game) -> object:
    learner = make_learner(
        get_learner("tweaked-ftrl", step_sizes=(1, 0.05)),
        player=0,
        utility_range=(-100, 100),
        horizon=20,
    )
    return play_and_learn(game, [learner, None], episodes=20)


def step_through(game: Game) -> None:
    """Play the game as a PettingZoo environment that does not build it."""
    spaces = pytest.importorskip("gymnasium.spaces")
    environment = to_pettingzoo(
        game,
        encode=lambda infostate: np.zeros(1, np.float32),
        space=spaces.Box(0.0, 1.0, (1,), np.float32),
        actions=("left", "right", "a", "b"),
    )
    environment.reset(seed=0)
    while not environment.terminations[agent := environment.agent_selection]:
        environment.step(int(np.flatnonzero(environment.observe(agent)["action_mask"])[-1]))


def fair(world: object) -> list[Any]:
    return [("left", 0.5), ("right", 0.5)]


VERBS: dict[str, Callable[[Any], object]] = {
    "explore": build_world_graph,
    "solve": infoset.solve,
    "info": infoset.info,
    "play": play,
    "match": lambda game: infoset.play_matches(game, uniform_policy(), None, num_deals=20),
    "respond": lambda game: reached_best_response(game, uniform_policy(), 0),
    "search": search,
    "believe": believe,
    "learn": learn,
    "find a leak": lambda game: find_leak(game, lambda i, rng: np.zeros(2), seed=0, num_plays=3),
    "step through": step_through,
    "fold": lambda game: build_world_graph(fold_chance_player(game, fair)),
    "forget": lambda game: build_world_graph(forget_factorization(game)),
    "serialize": lambda game: build_world_graph(serialize(game)),
}
UNSEEN = {
    "search": ("no legal actions", "legal action twice", "None as action"),
    "believe": ("reward", "None as rewards", "unhashable next world"),
    "forget": ("a joint action that fails",),
}
"""Further cases: a single action needs no search, beliefs need no rewards, and a derived game may
break the rule at an earlier call."""

BUILDING = ("explore", "solve", "info")


def cases() -> list[Any]:
    """Return every broken game with three verbs each; the other pairs are marked `long`."""
    pairs = [
        (case, verb, (row + column) % 3 == 0)
        for row, case in enumerate(BROKEN_AT_START)
        for column, verb in enumerate(VERBS)
        if "dice" not in str(case.id)
        if verb in BUILDING
        or not any(part in str(case.id) for part in (*UNSEEN_IN_PLAY, *UNSEEN.get(verb, ())))
    ]
    return [
        pytest.param(
            case.values[0],
            verb,
            id=f"{case.id}-{verb}",
            marks=[] if is_quick else [pytest.mark.long],
        )
        for case, verb, is_quick in pairs
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


class Odd(BaseException):
    """An exception that is not an `Exception`."""


@pytest.mark.parametrize("verb", ["explore", "play", "learn", "search", "find a leak", "fold"])
@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), Odd()], ids=repr)
def test_rules_that_exit_break_a_rule(error: BaseException, verb: str) -> None:
    for method in ("initial_world", "actors", "legal_actions", "transitions", "observe", "rewards"):
        game = meeting(**{method: failing(error)})
        for call in (check_game, VERBS[verb]):
            with pytest.raises(GameRuleError, match=rf"{method}\(.*\) raised {describe(error)}"):
                call(game)


def describe(error: BaseException) -> str:
    return re.escape(describe_exception(error))


@pytest.mark.parametrize("verb", ["explore", "play", "info"])
def test_ctrl_c_in_a_rule_is_ctrl_c(verb: str) -> None:
    game = meeting(transitions=failing(KeyboardInterrupt()))
    if verb == "info":
        assert infoset.info(game).stop == "interrupted"
        return
    with pytest.raises(KeyboardInterrupt):
        VERBS[verb](game)


class Exiting:
    """A value that tries to end the program wherever it is used."""

    def exit(self, *_: object) -> Any:
        raise SystemExit(0)

    __hash__ = __eq__ = __repr__ = exit


def test_values_that_exit_break_a_rule() -> None:
    for game in (
        meeting(transitions=lambda w, joint: [(Exiting(), 1)] if w == "start" else []),
        meeting(legal_actions=lambda w, p: (Exiting(), "a")),
        meeting(observe=lambda w, joint, x: Observation(Exiting())),
    ):
        for call in (check_game, build_world_graph, play):
            with pytest.raises(GameRuleError, match="SystemExit"):
                call(game)


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


def test_beliefs_report_a_comparison_that_raises() -> None:
    game = meeting(observe=lambda w, joint, x: Observation(Incomparable()))
    after = Infostate(0).extend(Step("left", None, "seen"))
    with pytest.raises(GameRuleError, match="raised ZeroDivisionError: cannot compare") as caught:
        private_belief(game, after)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_number_of_players_that_raises_is_reported() -> None:
    class Counting(FunctionGame):
        @property
        def num_players(self) -> int:  # type: ignore[override]
            return {}["players"]

        @num_players.setter
        def num_players(self, number: int) -> None:
            pass

    with pytest.raises(GameRuleError, match="num_players of Counting raised KeyError") as caught:
        infoset.info(Counting())
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_late_private_part_for_a_stranger_is_noticed() -> None:
    """All labels are known by then, so that nothing else asks for a closer look."""
    game = FunctionGame(
        2,
        initial_world=lambda: 0,
        transitions=lambda w, joint: [(w + 1, 1)] if w < 2 else [],
        observe=lambda w, joint, x: Observation(private={w * 5: "K"}),
    )
    with pytest.raises(GameRuleError) as checked:
        check_game(game)
    with pytest.raises(GameRuleError, match="the keys of private observations") as caught:
        build_world_graph(game)
    assert str(caught.value) == str(checked.value)
