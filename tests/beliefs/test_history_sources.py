"""Sampled histories in games that are too large to list: distributions and errors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, private_belief, public_belief
from infoset.beliefs.history_filter import _shared_filter
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.game import Game, Infostate, Observation, PublicState, Step, initial_history, play_out
from infoset.games import LiarsDice, load_game
from infoset.policy import random_policy
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame


def hidden_moves():
    """Return phantom tic-tac-toe after a few moves, most of them hidden."""
    game = load_game("phantom_ttt")
    rng = np.random.default_rng(3)
    choosers = [lambda infostate, legal: legal[int(rng.integers(len(legal)))]] * 2
    return game, play_out(initial_history(game), choosers, rng).path()[6]


def probability_of_cells(belief):
    """Return the probability of each world state, summed over histories."""
    total = {}
    for world, probability in zip(belief.worlds, belief.probability, strict=True):
        total[world] = total.get(world, 0.0) + float(probability)
    return total


@pytest.mark.parametrize("is_posterior", [False, True])
def test_drawn_beliefs_are_right_on_average(is_posterior):
    game, history = hidden_moves()
    known = history.infostates[0]
    policies = Cornering() if is_posterior else None
    exact = private_belief(game, known, policies=policies)
    assert exact.is_exact
    wanted = probability_of_cells(exact)
    total = dict.fromkeys(wanted, 0.0)
    num_seeds = 60
    for seed in range(num_seeds):
        drawn = private_belief(
            game,
            known,
            policies=policies,
            rng=np.random.default_rng(seed),
            max_worlds=50,
            num_samples=24,
        )
        assert drawn.method == "samples"
        assert not drawn.is_exact
        assert len(drawn) <= 24
        for world, probability in probability_of_cells(drawn).items():
            total[world] += probability / num_seeds
    assert total == pytest.approx(wanted, abs=0.02)


class Cornering:
    """A policy that prefers the first cells of the board."""

    def action_probabilities(self, infostate, legal_actions):
        weights = 1.0 / (1 + np.arange(len(legal_actions)))
        return weights / weights.sum()


class FirstHalf:
    """A policy that never takes the second half of its actions."""

    def action_probabilities(self, infostate, legal_actions):
        weights = np.arange(len(legal_actions)) <= len(legal_actions) / 2
        return weights / weights.sum()


def test_histories_of_probability_zero_are_omitted():
    game, history = hidden_moves()
    known = history.infostates[0]
    exact = private_belief(game, known, policies=FirstHalf())
    assert 12 < len(exact) < 0.7 * len(private_belief(game, known))
    for seed in range(5):
        drawn = private_belief(
            game,
            known,
            policies=FirstHalf(),
            rng=np.random.default_rng(seed),
            max_worlds=50,
            num_samples=12,
        )
        assert len(drawn) == 12
        assert set(drawn.histories) < set(exact.histories)


def test_small_numbers_of_histories_are_listed_for_any_generator():
    game, history = hidden_moves()
    known = history.infostates[0]
    listed = private_belief(game, known)
    with_rng = private_belief(game, known, rng=np.random.default_rng(0))
    assert with_rng.method == "enumeration"
    assert with_rng.probability.tobytes() == listed.probability.tobytes()


def test_the_same_seed_gives_the_same_draws_after_other_queries():
    game, history = hidden_moves()
    known = history.infostates[0]
    limits = {"max_worlds": 50, "num_samples": 6}

    def draw():
        return private_belief(game, known, rng=np.random.default_rng(7), **limits)

    warm = draw(), draw()
    _shared_filter.cache_clear()
    public_belief(game, known.public_state, rng=np.random.default_rng(1), **limits)
    cold = draw()
    for belief in (warm[1], cold):
        assert belief.worlds == warm[0].worlds
        assert belief.probability.tobytes() == warm[0].probability.tobytes()


class Rolls(LiarsDice):
    """Liar's dice without sampling conditional on observations."""

    sample_observed_transition = Game.sample_observed_transition


HANDS = Infostate(0, (Step(None, (1, 1, 4), None),))


def test_a_long_lottery_is_drawn_from_and_what_does_not_agree_thrown_away():
    dice = Rolls(numdice=3, dice_sides=4)
    drawn = private_belief(
        dice, HANDS, rng=np.random.default_rng(0), max_worlds=100, num_samples=20_000
    )
    assert drawn.method == "enumeration"  # the list has 400 rolls, of which 20 agree
    drawn = private_belief(
        dice, HANDS, rng=np.random.default_rng(0), max_worlds=100, num_samples=300
    )
    assert drawn.method == "rejection"
    assert {world.hands[0] for world in drawn.worlds} == {(1, 1, 4)}
    many = sum(
        private_belief(
            dice, HANDS, rng=np.random.default_rng(seed), max_worlds=100, num_samples=300
        )
        .infostate_probabilities(1)
        .get(Infostate(1, (Step(None, (2, 3, 4), None),)), 0.0)
        for seed in range(100)
    )
    assert many / 100 == pytest.approx(6 / 64, abs=0.02)


def test_a_long_lottery_that_shows_nothing_in_public_wastes_no_draw():
    dice = LiarsDice(numdice=3, dice_sides=4)
    drawn = public_belief(
        dice,
        PublicState((None, "1-2")),
        rng=np.random.default_rng(0),
        max_worlds=9,
        num_samples=300,
    )
    assert drawn.method == "samples"
    assert len(drawn) <= 300
    own = drawn.infostate_probabilities(0)
    triples = sum(p for known, p in own.items() if len(set(known.steps[0].private)) == 1)
    assert triples == pytest.approx(4 / 64, abs=0.05)


def test_where_the_game_knows_what_is_seen_nothing_is_thrown_away():
    dice = LiarsDice(numdice=3, dice_sides=4)
    assert len(private_belief(dice, HANDS)) == 20
    total = Counter()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        drawn = private_belief(dice, HANDS, rng=rng, max_worlds=100, num_samples=300)
        assert drawn.method == "samples"
        assert 17 <= len(drawn) <= 20
        total.update(drawn.infostate_probabilities(1))
    assert {world.hands[0] for world in drawn.worlds} == {(1, 1, 4)}
    wild = Infostate(1, (Step(None, (2, 3, 4), None),))
    assert total[wild] / 20 == pytest.approx(6 / 64, abs=0.02)


def test_a_draw_weighs_as_much_as_what_is_seen_is_probable():
    """There are two urns; one contains few of the balls that player 0 observes."""

    class Urns(FunctionGame):
        def sample_transition(self, world, joint_action, rng):
            return urn_of(world, int(rng.integers(100)))

        def sample_observed_transition(self, world, joint_action, player, step, rng):
            if world == "start" or player is None:
                return None
            balls = [n for n in range(100) if color(world, n) == step.private]
            return urn_of(world, int(rng.choice(balls))), len(balls) / 100

    def urn_of(world, ball):
        return (world, ball)

    def color(urn, ball):
        return "red" if ball < {"left": 10, "right": 60}[urn] else "blue"

    game = Urns(
        initial_world=lambda: "start",
        transitions=lambda world, joint: {
            "start": [("left", 0.5), ("right", 0.5)],
            "left": [(("left", n), 0.01) for n in range(100)],
            "right": [(("right", n), 0.01) for n in range(100)],
        }.get(world, []),
        observe=lambda world, joint, after: Observation(
            private={0: color(*after)} if isinstance(after, tuple) else {}
        ),
    )
    red = Infostate(0, (Step(None, None, None), Step(None, "red", None)))
    rng = np.random.default_rng(0)
    belief = private_belief(game, red, rng=rng, max_worlds=40, num_samples=40)
    assert belief.method == "samples"
    left = sum(p for world, p in probability_of_cells(belief).items() if world[0] == "left")
    assert left == pytest.approx(10 / 70)


@pytest.mark.parametrize("spec", ["hanabi", "trick_taking(num_cards=28)", "kuhn_poker(players=10)"])
def test_beliefs_exist_for_deals_too_many_to_list(spec):
    game, rng = load_game(spec), np.random.default_rng(0)
    history = initial_history(game).sample((None,) * game.num_players, rng)
    for player in history.actors:
        known = history.infostates[player]
        drawn = private_belief(game, known, rng=rng, max_worlds=500, num_samples=50)
        assert drawn.method == "samples"
        assert set(drawn.infostates(player)) == {known}
        belief = PublicPrivateBelief(0.5, max_worlds=500, num_samples=50)
        mixed = belief.at(game, known, rng=rng)
        assert mixed.method == "samples"
        assert 0.5 <= mixed.infostate_probabilities(player)[known] < 0.65


def test_mixtures_of_drawn_beliefs_have_each_history_once():
    dice = Rolls(numdice=2, dice_sides=4)
    known = Infostate(0, (Step(None, (1, 4), None), Step("1-2", None, "1-2")))
    belief = PublicPrivateBelief(0.25, max_worlds=30, num_samples=60)
    mixed = belief.at(dice, known, rng=np.random.default_rng(0))
    assert mixed.method == "rejection"
    assert len(set(mixed.histories)) == len(mixed)
    assert mixed.worlds == tuple(history.world for history in mixed.histories)
    own = mixed.infostate_probabilities(0)
    assert own[known] == pytest.approx(0.75 + 0.25 * 2 / 16, abs=0.05)
    assert mixed.rewards_so_far.tolist() == [[0, 0]] * len(mixed)
    assert set(mixed.infostates(0)) == set(own)


def coin(num_sides, draw):
    """Return a game that begins with a die of many sides, drawn by `draw` and seen by player 0."""

    class Coin(FunctionGame):
        def sample_transition(self, world, joint_action, rng):
            return draw(self, world, joint_action, rng)

    return Coin(
        initial_world=lambda: "start",
        transitions=lambda world, joint: (
            [(side, 1 / num_sides) for side in range(num_sides)] if world == "start" else []
        ),
        observe=lambda world, joint, side: Observation(private={0: side}),
    )


def test_observations_that_no_sample_agrees_with_are_refused():
    side = Infostate(0, (Step(None, 3, None),))
    never = coin(50, lambda self, world, joint_action, rng: 4)
    with pytest.raises(UnsupportedGameError, match=r"no sampled history.*num_samples=20"):
        private_belief(never, side, rng=np.random.default_rng(0), max_worlds=9, num_samples=20)


def test_observations_without_a_matching_draw_are_not_called_impossible():
    dice = LiarsDice(numdice=3, dice_sides=4)
    seen = PublicState((None, "6-4", ("liar", "player 0 wins")))
    assert len(public_belief(dice, seen)) == 1
    with pytest.raises(UnsupportedGameError, match=r"step 3 of .* raise num_samples=20"):
        public_belief(dice, seen, rng=np.random.default_rng(0), max_worlds=9, num_samples=20)


def test_a_game_that_draws_from_its_list_is_listed():
    side = Infostate(0, (Step(None, 3, None),))
    listed = coin(50, None)
    type(listed).sample_transition = FunctionGame.sample_transition
    belief = private_belief(
        listed, side, rng=np.random.default_rng(0), max_worlds=9, num_samples=20
    )
    assert belief.worlds == (3,)
    assert belief.method == "enumeration"


def test_drawing_needs_a_generator():
    game, history = hidden_moves()
    with pytest.raises(
        ParameterError, match=r"more than max_worlds=50 .* give a random generator, such as rng=np"
    ):
        private_belief(game, history.infostates[0], max_worlds=50)
    with pytest.raises(ParameterError, match="rng=7 is of type int; give a generator"):
        private_belief(game, history.infostates[0], rng=7)
    with pytest.raises(ParameterError, match="max_worlds=0"):
        private_belief(game, history.infostates[0], max_worlds=0)
    with pytest.raises(ParameterError, match=r"num_samples=0\.5"):
        public_belief(game, history.public_state, num_samples=0.5)


def test_policies_of_reach_zero_are_refused():
    tree = cached_tree("kuhn_poker")
    weights = [np.ones(13), np.ones(13)]
    weights[0][[2, 4, 6]] = 0
    policy = random_policy(tree.sequence_form, np.random.default_rng(0)).from_weights(
        tree.sequence_form, weights
    )
    seen = PublicState((None, "bet"))
    with pytest.raises(UnsupportedGameError, match="probability zero"):
        public_belief(
            tree.game,
            seen,
            policies=policy,
            model_noise=0,
            rng=np.random.default_rng(0),
            max_worlds=2,
            num_samples=2,
        )
