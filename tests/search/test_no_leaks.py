"""No searcher uses information that its player cannot see, in any game."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak
from infoset.errors import UnsupportedGameError
from infoset.games import GAMES, LiarsDice, load_game
from infoset.search import ISMCTS, SEARCHERS, RulesModel, make_searcher, search_model

pytestmark = pytest.mark.broad

SMALL = {
    "nolimit_endgame": "nolimit_endgame(board=Ks9d8h4s2c,bets=[1],max_raises=1,"
    "ranges=['AsAh,QdQc';'KdKc,JhJd'])",
    "nolimit_preflop": "nolimit_preflop(ranges=['AA,AKs,72o';'KK,AKo:0.5'])",
    "battleship": "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.0],"
    "num_shots=2)",
    "dark_hex": "dark_hex(board_size=2)",
    "goofspiel": "goofspiel(num_cards=3,imp_info=True,points_order=random)",
    "hanabi": "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)",
    "tiny_bridge_2p": "tiny_bridge_2p(abstracted=true)",
    "trade_comm": "trade_comm(num_items=3)",
    "trick_taking": "trick_taking(num_cards=8,hand_size=3)",
}
LONG = ("phantom_ttt",)
QUICK_GAMES = ("kuhn_poker", "leduc_poker", "goofspiel")


def marks_of(name):
    """Return when a game is tested: `-m long`, `-m broad`, or always."""
    return (
        [pytest.mark.long] if name in LONG else [] if name in QUICK_GAMES else [pytest.mark.broad]
    )


GAME_NAMES = [
    pytest.param(name, marks=marks_of(name))
    for name in GAMES
    if name == "matrix_rps" or not name.startswith("matrix")
]
TOO_LONG_TO_SOLVE = ("phantom_ttt", "tiny_bridge_2p")
"""Where the worlds of one decision are solved in minutes."""
QUICK = {"ismcts": "ismcts(num_simulations=10)"} | {
    name: f"{name}(num_worlds=5)" for name in ("pimc", "epimc", "alpha-mu")
}
SOLVING = ("pimc", "epimc", "alpha-mu")
BY_BELIEF = tuple(name for name in SEARCHERS if "belief" in SEARCHERS[name].parameters)


@cache
def model_of(name):
    return search_model(load_game(SMALL.get(name, name)))


CASES = [
    pytest.param(
        *game.values,
        searcher,
        0.0 if game.values[0] in LONG else 0.4 * ((row + column) % 2),
        marks=game.marks,
    )
    for row, game in enumerate(GAME_NAMES)
    for column, searcher in enumerate(BY_BELIEF)
]
"""Alternately under the private belief and under a mixture, for every game and searcher.

The games in LONG are under the private belief only: thousands of samples would be needed before one
agrees with a late public state.
"""


@pytest.mark.parametrize(("name", "searcher", "public_weight"), CASES)
def test_searchers_do_not_leak_hidden_information(name, searcher, public_weight):
    if searcher in SOLVING and name in TOO_LONG_TO_SOLVE:
        pytest.skip("its worlds take minutes to solve")
    model = model_of(name)

    def make():
        belief = PublicPrivateBelief(public_weight, max_worlds=1000, num_samples=25)
        return make_searcher(QUICK.get(searcher, searcher), model, belief=belief).search

    try:
        leak = find_leak(model.game, make(), seed=1, num_plays=2, make_search=make)
    except UnsupportedGameError as refused:
        if searcher not in SOLVING:
            raise
        pytest.skip(str(refused))
    assert leak is None


@pytest.mark.parametrize("max_ends", [20_000, 40])
@pytest.mark.parametrize("searcher", ["depth_limited", "continual_resolving"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=marks_of(name))
        for name in ("leduc_poker", "goofspiel", "battleship", "liars_dice")
    ],
)
def test_searches_by_rules_do_not_leak_hidden_information(name, searcher, max_ends):
    """Whole public states are searched, and, with few ends, samples of them."""
    model = RulesModel(load_game(SMALL.get(name, name)))

    def worthless(histories, player):
        return np.zeros((len(histories), 1))

    def make():
        settings = {"values": worthless, "max_ends": max_ends, "iterations": 3, "num_samples": 20}
        return make_searcher(searcher, model, **settings).search

    assert find_leak(model.game, make(), seed=1, num_plays=2, make_search=make) is None


class Telltale(LiarsDice):
    """Liar's dice whose rules store the world state of the last query."""

    def legal_actions(self, world, player):
        object.__setattr__(self, "last", world)
        return super().legal_actions(world, player)


class Peeking(RulesModel):
    """A model that knows the true world state when a search begins."""

    def require_legal_actions(self, infostate):
        self.truth = self.game.last
        return super().require_legal_actions(infostate)

    def roots(self, infostate, belief, rng):
        roots = super().roots(infostate, belief, rng)
        worlds = [self._positions[number].world for number in roots.states[:, 0].tolist()]
        return self.looked_at(roots, worlds.index(self.truth))


class Certain(Peeking):
    """A model whose belief contains only the true world."""

    def looked_at(self, roots, place):
        return roots._replace(probability=np.eye(len(roots.probability))[place])


class TruthFirst(Peeking):
    """A model with the correct belief, whose list begins with the true world."""

    def looked_at(self, roots, place):
        order = np.argsort(np.arange(len(roots.probability)) != place, kind="stable")
        return type(roots)(*(column[order] for column in roots[:4]), roots.model_noise)


def planted(model_type, text):
    """Return the leak that the check detects in a searcher with a model."""
    game = Telltale(dice_sides=3)
    searcher = make_searcher(text, model_type(game))
    return find_leak(game, searcher.search, seed=1, num_plays=5)


@pytest.mark.parametrize("searcher", QUICK)
def test_a_model_that_leaks_the_world_is_detected(searcher):
    text = QUICK.get(searcher, searcher)
    assert planted(RulesModel, text) is None
    assert planted(Certain, text).difference == "world state"


@pytest.mark.parametrize("text", ["pimc(num_worlds=1)", "ismcts(num_simulations=20)"])
def test_a_list_of_worlds_that_starts_with_the_true_one_is_detected(text):
    assert planted(RulesModel, text) is None
    assert planted(TruthFirst, text).difference == "world state"


class OwnLuck(ISMCTS):
    """A searcher with its own random generator."""

    def search(self, infostate, rng):
        self.own = getattr(self, "own", np.random.default_rng(0))
        return super().search(infostate, self.own)


class SharedMemory(ISMCTS):
    """A searcher that caches search roots by public state."""

    def _root(self, infostate, rng):
        self.begun = getattr(self, "begun", {})
        at = self.begun.setdefault(infostate.public_state, infostate)
        return super()._root(at, rng)


class LongMemory(ISMCTS):
    """A searcher whose results depend on those of all its earlier searches."""

    def search(self, infostate, rng):
        found = super().search(infostate, rng)
        self.last = 0.5 * found + 0.5 * getattr(self, "last", np.array([0.0, 1.0]))
        return self.last


@pytest.mark.parametrize("kind", [OwnLuck, SharedMemory, LongMemory])
def test_memory_between_searches_is_detected(kind):
    model = model_of("kuhn_poker")

    def make():
        return kind(model, num_simulations=20).search

    leak = find_leak(model.game, make(), seed=1, num_plays=5, make_search=make)
    assert leak.difference != "world state"
