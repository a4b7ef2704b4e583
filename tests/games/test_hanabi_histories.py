"""The hidden cards of Hanabi, drawn so that they agree with everything that a player observed."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from infoset.beliefs import private_belief, public_belief
from infoset.beliefs.history_filter import get_history_filter
from infoset.errors import UnknownNameError
from infoset.game import Infostate, PublicState, Step, check_game, initial_history
from infoset.game.hooks import public_observations, sample_histories_as_seen
from infoset.games import Hanabi, load_game
from infoset.games.hanabi_cards import SeenCards, read_announcement

pytestmark = pytest.mark.broad

TINY = "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)"

SMALL = [
    TINY,
    "hanabi(colors=2,ranks=2,hand_size=2,max_life_tokens=2,max_information_tokens=3)",
    "hanabi(colors=2,ranks=2,hand_size=2,observation_type=minimal,random_start_player=True)",
    "hanabi(colors=2,ranks=2,hand_size=2,observation_type=seer)",
    "hanabi(players=3,colors=2,ranks=2,hand_size=1,random_start_player=True)",
    "hanabi(players=3,colors=1,ranks=3,hand_size=2,max_life_tokens=3)",
    "hanabi(players=5,colors=2,ranks=2,hand_size=1,max_information_tokens=2)",
]

LARGE = [
    "hanabi",
    "hanabi(players=3,random_start_player=True)",
    "hanabi(players=4,observation_type=minimal)",
    "hanabi(players=5)",
    "hanabi(players=2,observation_type=seer)",
]


def careful_play(game, rng):
    """Return a long play at random, in which most cards that are played fit."""
    history = initial_history(game)
    while not history.is_terminal:
        actions = {}
        for player in history.actors:
            legal, world = history.legal_actions(player), history.world
            fitting = [
                f"play {place}"
                for place, (color, rank) in enumerate(world.hands[player])
                if int(rank) == world.fireworks["RYGWB".index(color)] + 1
            ]
            others = [action for action in legal if not action.startswith("play")]
            is_play = fitting and rng.random() < 0.4
            some = fitting if is_play else others if rng.random() < 0.95 else legal
            actions[player] = str(rng.choice(some or legal))
        history = history.sample(history.joint(actions), rng)
    return history


def informations(history):
    """Yield the public state and the infostates after each transition of a play."""
    for one in history.path()[1:]:
        yield from (one.public_state, *one.infostates)


def listed(game, information):
    """Return the histories that agree, with their chance reach, by filtering at most 3,000."""
    batch, length = get_history_filter(game, 3_000).enumerated(information)
    if length < len(public_observations(information)):
        return None
    return dict(zip(batch, batch.weight.tolist(), strict=True))


@pytest.mark.parametrize("spec", SMALL)
def test_all_deals_are_drawn_if_they_are_few(spec):
    game, rng = load_game(spec), np.random.default_rng(3)
    seen = [one for _ in range(3) for one in informations(careful_play(game, rng))]
    num_compared = 0
    for information in seen[:: 1 + len(seen) // 40]:
        expected = listed(game, information)
        if expected is not None:
            histories, weight = sample_histories_as_seen(game, information, 10 * len(expected), rng)
            assert dict(zip(histories, weight, strict=True)) == pytest.approx(expected)
            num_compared += len(histories) == len(expected)
    assert num_compared >= 15


@pytest.mark.parametrize("spec", SMALL)
def test_few_draws_are_unbiased(spec):
    game, rng = load_game(spec), np.random.default_rng(4)
    seen = [one for _ in range(6) for one in informations(careful_play(game, rng))]
    found = ((one, listed(game, one) or {}) for one in seen[:: 1 + len(seen) // 15])
    some = ((one, expected) for one, expected in found if 1 <= len(expected) <= 24)
    many = sorted(some, key=lambda pair: -len(pair[1]))
    assert len(many[0][1]) >= 3 or "seer" in spec
    for information, expected in many[:2]:
        number, repetitions = -(-len(expected) // 3), 200
        weights = dict.fromkeys(expected, 0.0), dict.fromkeys(expected, 0.0)
        for _ in range(repetitions):
            histories, weight = sample_histories_as_seen(game, information, number, rng)
            assert len(histories) == len(set(histories)) <= number
            for history, each in zip(histories, weight, strict=True):
                weights[0][history] += each / repetitions
                weights[1][history] += each**2 / repetitions
        mean, square = (np.array([*total.values()]) for total in weights)
        deviation = np.abs(mean - [*expected.values()])
        error = np.sqrt((square - mean**2).clip(min=0) / repetitions)
        assert (deviation <= 4.5 * error + 1e-9).all()
        assert (error <= 0.25 * mean).all()


def test_equal_weights_would_be_biased():
    # The bound above is tight enough: chance reaches differ by a factor of three and more.
    game, rng = load_game(SMALL[1]), np.random.default_rng(4)
    spread = [
        max(expected.values()) / min(expected.values())
        for information in informations(careful_play(game, rng))
        if (expected := listed(game, information))
    ]
    assert max(spread) >= 3


@pytest.mark.parametrize("spec", SMALL)
def test_sampled_beliefs_equal_enumerated_ones(spec):
    game, rng = load_game(spec), np.random.default_rng(5)
    num_sampled = 0
    for information in [*informations(careful_play(game, rng))][:: len(game.full_deck) // 2]:
        of = public_belief if isinstance(information, PublicState) else private_belief
        exact = of(game, information, rng=rng)
        assert exact.method == "enumeration"
        drawn = of(game, information, rng=rng, max_worlds=1, num_samples=10 * len(exact))
        num_sampled += drawn.method == "samples"
        expected = dict(zip(exact.histories, exact.probability, strict=True))
        found = dict(zip(drawn.histories, drawn.probability, strict=True))
        assert found == pytest.approx(expected)
    assert num_sampled >= 3


@pytest.mark.parametrize("spec", LARGE)
def test_every_decision_of_a_long_play_has_a_belief(spec):
    game, rng = load_game(spec), np.random.default_rng(0)
    play = careful_play(game, rng).path()
    assert len(play) > 50
    for history in play[1:-1:5]:
        (player,) = history.actors
        known = history.infostates[player]
        belief = private_belief(game, known, rng=rng, max_worlds=100, num_samples=10)
        assert set(belief.infostates(player)) == {known}
        assert all(one.infostates[player] == known for one in belief.histories)
        assert len(set(belief.histories)) == len(belief) <= 10
        if len(belief) < 10:  # all
            assert history in set(belief.histories)


def test_beliefs_of_the_public():
    game, rng = load_game("hanabi(players=4)"), np.random.default_rng(1)
    for history in careful_play(game, rng).path()[1:-1:12]:
        belief = public_belief(game, history.public_state, rng=rng, max_worlds=100, num_samples=10)
        assert len(belief) == 10
        assert {one.public_state for one in belief.histories} == {history.public_state}


def test_draws_depend_on_the_seed_alone():
    game = Hanabi()
    known = careful_play(game, np.random.default_rng(2)).path()[20].infostates[1]
    first, again, other = (
        private_belief(game, known, rng=np.random.default_rng(seed), max_worlds=9, num_samples=20)
        for seed in (1, 1, 2)
    )
    assert first.worlds == again.worlds != other.worlds
    assert first.probability.tolist() == again.probability.tolist()


def changed(infostate, at, **parts):
    steps = list(infostate.steps)
    steps[at] = steps[at]._replace(**parts)
    return Infostate(infostate.player, tuple(steps))


@pytest.mark.parametrize(
    ("at", "parts"),
    [
        (0, {"public": "player 0 begins"}),
        (0, {"private": None}),
        (0, {"action": "play 0"}),
        (-1, {"public": "tell 1 R: 9"}),
        (-1, {"public": "tell 0 R: 0"}),
        (-1, {"public": "tell 7 R: 0"}),
        (-1, {"public": "tell 1 R: 1 0"}),
        (-1, {"public": "tell 1 Z: 0"}),
        (-1, {"public": "play 9: R1"}),
        (-1, {"public": "play 00: R1"}),
        (-1, {"public": "play 0: Z1"}),
        (-1, {"public": "play 0: R9"}),
        (-1, {"public": "discard 0: R1"}),
        (-1, {"public": 3}),
        (-1, {"public": None}),
        (-1, {"action": None}),
        (-1, {"private": "a card"}),
    ],
)
def test_impossible_infostates_are_reported_as_by_the_filter(at, parts):
    game = load_game("hanabi(colors=2,ranks=2,hand_size=2)")
    history = initial_history(game)
    world = game._dealt(("R1", "R1", "Y1", "R2"), 0)
    history = history.extend((None, None), world)
    outcomes = history.outcomes(("tell 1 R", None))
    possible = history.extend(("tell 1 R", None), outcomes[0][0]).infostates[0]
    rng = np.random.default_rng(0)
    assert sample_histories_as_seen(game, possible, 5, rng)
    impossible = changed(possible, at, **parts)
    drawn = sample_histories_as_seen(game, impossible, 5, rng)
    assert drawn is None or not len(drawn[0])
    with pytest.raises(UnknownNameError):
        private_belief(game, impossible, rng=rng)


@pytest.mark.parametrize(
    "information",
    [
        Infostate(0),
        PublicState(),
        Infostate(9, (Step(None, None, None),)),
        PublicState((None, "play 0: R2", "play 0: R2")),
        PublicState((None, "play 0: R2", "tell 1 R: 0")),
        PublicState((None, "tell 1 R: 0", "tell 0 R: 0", "tell 1 R: 0")),
    ],
)
def test_impossible_information_is_not_drawn(information):
    # One life, two information tokens, and one card R2.
    drawn = sample_histories_as_seen(load_game(TINY), information, 5, np.random.default_rng(0))
    assert drawn is None or not len(drawn[0])


@pytest.mark.parametrize(
    "text",
    ["", None, "play 0", "play 0:", "tell 1 R: ", "tell 1 R: 0,1", "discard x: R1", "tell 12 R: 0"],
)
def test_other_texts_are_not_announcements(text):
    assert read_announcement(text) is None


def test_the_weights_of_deals_are_unbiased():
    deck = ("R1", "R1", "R1", "R2", "R2", "Y1", "Y1", "Y2")
    kinds = [frozenset(deck), frozenset(("R1", "Y1")), frozenset(deck), frozenset(("R1", "R2"))]
    dealt = Counter(permutations(deck, 4))
    expected = {
        cards: number / dealt.total()
        for cards, number in dealt.items()
        if all(card in fitting for card, fitting in zip(cards, kinds, strict=True))
    }
    seen, rng = SeenCards(deck, kinds), np.random.default_rng(0)
    assert dict(seen.draws(55, rng)) == pytest.approx(expected)
    repetitions = 4_000
    mean = dict.fromkeys(expected, 0.0)
    for _ in range(repetitions):
        for cards, weight in seen.draws(2, rng):
            mean[cards] += weight / repetitions
    ratio = np.array([mean[cards] / expected[cards] for cards in expected])
    assert len(ratio) == 55
    assert ratio == pytest.approx(np.ones(55), abs=0.5)
    assert np.mean(np.abs(ratio - 1)) < 0.1
    assert sum(mean.values()) == pytest.approx(sum(expected.values()), rel=0.01)


def test_cards_of_few_kinds_are_drawn_first():
    every = frozenset(("R1", "R2"))
    seen = SeenCards(("R1", "R1", "R2"), (every, every, frozenset(("R2",))))
    ((cards, weight),) = seen.draws(1, np.random.default_rng(0))
    assert cards == ("R1", "R1", "R2")
    assert weight == pytest.approx(1 / 3)
    assert not [*SeenCards(("R1",), (every, every)).draws(5, np.random.default_rng(0))]


@pytest.mark.parametrize("spec", [TINY, *SMALL[4:6]])
def test_the_draws_pass_the_checks(spec):
    assert check_game(load_game(spec), max_histories=100)
