"""The checks that compare `sample_transition` with `transitions`."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from typing import Any

import numpy as np
import pytest

from infoset.errors import GameRuleError
from infoset.game import Game, Observation, check_game
from infoset.game._sampling_checks import log_alarm_bound
from tests.support.function_game import FunctionGame


class Sampled(FunctionGame):
    """A game with a lottery at several world states, and a function that samples from it."""

    def __init__(self, lottery: list[float], draw: Callable[..., Any], places: int = 1) -> None:
        ends = [(("end", index), share) for index, share in enumerate(lottery)]
        rooms = [(place, 1 / places) for place in range(places)]
        super().__init__(
            1,
            transitions=lambda world, joint: (
                rooms if world == "start" else ends * (world in range(places))
            ),
            observe=lambda *transition: Observation(),
        )
        self.draw = draw
        self.places = places

    def sample_transition(self, world: Any, joint: Any, rng: np.random.Generator) -> Any:
        if world == "start":
            return int(rng.integers(self.places))
        drawn = self.draw(rng)
        return drawn if drawn is None else ("end", drawn)


def test_games_that_inherit_sampling_are_not_sampled() -> None:
    assert check_game(FunctionGame()).num_samples == 0


def test_a_right_sampler_passes_and_is_counted() -> None:
    game = Sampled([0.2, 0.5, 0.3], lambda rng: int(rng.choice(3, p=[0.2, 0.5, 0.3])))
    report = check_game(game, max_samples=1000)
    assert 950 <= report.num_samples <= 1000


@pytest.mark.parametrize(
    ("lottery", "draw"),
    [
        ([0.5, 0.5], lambda rng: int(rng.random() < 0.6)),
        ([0.5, 0.5], lambda rng: 0),
        ([0.25, 0.25, 0.25, 0.25], lambda rng: int(rng.integers(3))),
        ([0.9, 0.09, 0.01], lambda rng: int(rng.choice(3, p=[0.9, 0.05, 0.05]))),
    ],
    ids=["unfair coin", "always one", "one missing", "rare one too often"],
)
def test_wrong_frequencies_are_refused(lottery: list[float], draw: Callable[..., Any]) -> None:
    with pytest.raises(GameRuleError, match="with the probabilities that transitions lists") as e:
        check_game(Sampled(lottery, draw))
    assert e.value.world == 0
    assert "draws for joint action (None,)" in str(e.value)


def test_small_errors_at_many_world_states_add_up() -> None:
    places = 40
    with pytest.raises(GameRuleError, match="with the probabilities"):
        check_game(Sampled([0.5, 0.5], lambda rng: int(rng.random() < 0.56), places))
    check_game(Sampled([0.5, 0.5], lambda rng: int(rng.random() < 0.5), places))


def test_one_wrong_world_state_among_many_is_named() -> None:
    class Uneven(Sampled):
        def sample_transition(self, world: Any, joint: Any, rng: np.random.Generator) -> Any:
            self.draw = lambda rng: int(rng.random() < (0.85 if world == 17 else 0.5))
            return super().sample_transition(world, joint, rng)

    with pytest.raises(GameRuleError, match="with the probabilities") as caught:
        check_game(Uneven([0.5, 0.5], lambda rng: 0, places=40))
    assert caught.value.world == 17


def test_world_states_with_transitions_too_many_to_list_are_not_sampled() -> None:
    game = Sampled([0.01] * 100, lambda rng: 99)
    assert check_game(game, max_histories=50).num_samples == 1  # the path to the only place
    with pytest.raises(GameRuleError):
        check_game(game, max_histories=150)


def test_a_draw_that_is_not_listed() -> None:
    with pytest.raises(GameRuleError, match=r"it drew \('end', 7\) for joint action") as caught:
        check_game(Sampled([1.0], lambda rng: 7))
    assert caught.value.world == 0


def test_a_draw_of_probability_zero_is_not_listed() -> None:
    with pytest.raises(GameRuleError, match="only next worlds that transitions lists"):
        check_game(Sampled([1.0, 0.0], lambda rng: 1))


def test_a_sampler_that_fails_is_named_without_the_generator() -> None:
    def draw(rng: np.random.Generator) -> Any:
        raise IndexError("deck")

    with pytest.raises(GameRuleError, match=r"sample_transition\(0, \(None,\)\) raised IndexError"):
        check_game(Sampled([1.0], draw))


def test_the_bound_is_one_without_divergence() -> None:
    assert log_alarm_bound(0.0, 3) == 0.0
    assert log_alarm_bound(3.0, 3) == 0.0


def test_the_bound_by_hand() -> None:
    # exp(-x) (e x / d) ** d with x = 10, d = 2
    assert log_alarm_bound(10.0, 2) == pytest.approx(log(exp(-10) * (exp(1) * 10 / 2) ** 2))


@pytest.mark.parametrize("lottery", [[0.5, 0.5], [0.1, 0.2, 0.7], [0.01] * 10 + [0.9]])
def test_the_bound_holds_on_true_draws(lottery: list[float]) -> None:
    draws, trials = 50, 20_000
    counts = np.random.default_rng(5).multinomial(draws, lottery, size=trials)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(counts / (draws * np.array(lottery))), 0)
    bounds = np.array([log_alarm_bound(x, len(lottery) - 1) for x in terms.sum(axis=1)])
    for level in (0.5, 0.1, 0.01):
        assert np.mean(bounds <= log(level)) <= level


@pytest.mark.parametrize("seed", range(30))
def test_no_false_alarm(seed: int) -> None:
    lottery = np.random.default_rng(seed).dirichlet(np.ones(6))
    game: Game = Sampled(list(lottery), lambda rng: int(rng.choice(6, p=lottery)), places=3)
    assert check_game(game, max_samples=300, seed=seed).num_samples > 200


class Seen(FunctionGame):
    """A six-sided die whose parity player 0 sees, with sampling conditional on observations."""

    def __init__(self, draw: Callable[..., Any]) -> None:
        super().__init__(
            2,
            transitions=lambda world, joint: (
                [(side, 1 / 6) for side in range(6)] if world == "start" else []
            ),
            observe=lambda world, joint, side: Observation(private={0: side % 2}),
        )
        self.draw = draw

    def sample_transition(self, world: Any, joint: Any, rng: np.random.Generator) -> Any:
        return int(rng.integers(6))

    def sample_observed_transition(
        self, world: Any, joint: Any, player: Any, step: Any, rng: np.random.Generator
    ) -> Any:
        return self.draw(player, step, rng)


def draw_die(player: Any, step: Any, rng: np.random.Generator) -> Any:
    if player == 0:
        return 2 * int(rng.integers(3)) + step.private, 0.5
    return int(rng.integers(6)), 1.0


def test_correct_samples_given_an_observation_pass() -> None:
    check_game(Seen(draw_die))
    check_game(Seen(lambda player, step, rng: None))


@pytest.mark.parametrize(
    ("draw", "found"),
    [
        (lambda player, step, rng: 3, "it returned 3"),
        (lambda player, step, rng: (3, 1.0), "which contradicts"),
        (lambda player, step, rng: (draw_die(player, step, rng)[0], 1.0), "probability is 0.5"),
        (
            lambda player, step, rng: (step.private if player == 0 else 3, 0.5 ** (player == 0)),
            "draws next worlds with the probabilities",
        ),
    ],
    ids=["no pair", "another observation", "wrong probability", "always the same"],
)
def test_wrong_conditional_samples_are_refused(draw: Callable[..., Any], found: str) -> None:
    with pytest.raises(GameRuleError, match="sample_observed_transition") as caught:
        check_game(Seen(draw))
    assert found in str(caught.value)
