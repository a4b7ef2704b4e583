"""Device games agree with the rules in Python, and the check finds planted errors."""

import jax
import jax.numpy as jnp
import pytest

from infoset.deep import check_device_game, device_game
from infoset.deep.rules import KuhnPokerRules, PhantomRules, has_rules
from infoset.deep.tree_rules import TreeRules
from infoset.errors import GameRuleError, ParameterError, UnsupportedGameError
from infoset.games import load_game
from infoset.tree import build_tree

pytestmark = pytest.mark.networks

KUHN = load_game("kuhn_poker")


OTHERS = (
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=3,points_order=random)",
    "battleship(board_width=2,board_height=2,ship_sizes=[1;1],ship_values=[2;3],num_shots=2)",
    "dark_hex",
    "dark_hex(gameversion=adh)",
    "dark_hex(num_rows=2,num_cols=3,obstype=reveal-numturns)",
    "phantom_ttt",
    "phantom_ttt(gameversion=abrupt)",
    "phantom_ttt(obstype=reveal-numturns)",
)


@pytest.mark.parametrize(
    "name", ["kuhn_poker", *(pytest.param(name, marks=pytest.mark.broad) for name in OTHERS)]
)
def test_rules_in_jax_agree_with_the_rules_in_python(name):
    game = load_game(name)
    device = device_game(name)
    assert type(device) is not TreeRules
    report = check_device_game(device, game, max_steps=24, num_draws=128)
    assert report.is_exhaustive == (name == "kuhn_poker")


@pytest.mark.broad
@pytest.mark.parametrize(
    "name",
    [
        "dark_hex(board_size=1)",
        "dark_hex(num_rows=1,num_cols=3,obstype=reveal-numturns)",
        "dark_hex(board_size=2)",
        "dark_hex(board_size=2,gameversion=adh,obstype=reveal-numturns)",
        "dark_hex(board_size=2,obstype=reveal-numturns)",
        "phantom_ttt(num_rows=2,num_cols=2,line_length=2,gameversion=abrupt)",
    ],
)
def test_all_states_of_small_boards_agree(name):
    assert check_device_game(device_game(name), load_game(name), num_draws=2).is_exhaustive


def test_boards_that_are_too_large_for_rules_in_jax_are_refused():
    assert type(device_game("dark_hex(board_size=19)")) is PhantomRules
    with pytest.raises(UnsupportedGameError, match=r"400 cells, .* at most 361 .*: give smaller"):
        device_game("phantom_ttt(num_rows=20,num_cols=20)")
    assert not has_rules(load_game("dark_hex(board_size=20)"))


GOOFSPIEL = pytest.param("goofspiel(num_cards=3)", marks=pytest.mark.long)


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
def test_trees_become_device_games(name):
    tree = build_tree(load_game(name))
    assert check_device_game(device_game(tree), load_game(name)).is_exhaustive


class Leak(KuhnPokerRules):
    """The second entry of an observation tells whether the opponent has the king."""

    def observe_all(self, state):
        return super().observe_all(state).at[:, 1].set(1.0 * (state.cards[::-1] == 2))


class LeakToOthers(KuhnPokerRules):
    """The actor's row is right; the row of the other player tells the actor's card."""

    def observe_all(self, state):
        rows = super().observe_all(state)
        other = 1 - jnp.maximum(self.actor(state), 0)
        return rows.at[other, 2:5].set(rows[1 - other, 2:5])


class Merge(KuhnPokerRules):
    """A player forgets who it is."""

    def observe_all(self, state):
        return super().observe_all(state).at[:, :2].set(0.0)

    def encode(self, infostate):
        encoded = super().encode(infostate)
        encoded[:2] = 0
        return encoded

    def decode(self, observation):
        found = observation.copy()
        found[0] = 1
        return super().decode(found)


class Illegal(KuhnPokerRules):
    def legal(self, state):
        return jnp.array([True, False]) | (state.num_moves < 2)


class WrongTurn(KuhnPokerRules):
    def actor(self, state):
        right = super().actor(state)
        return jnp.where((state.num_moves == 1) & (right >= 0), 0, right)


class WrongReward(KuhnPokerRules):
    def step(self, state, action, key):
        after, rewards = super().step(state, action, key)
        return after, jnp.where(after.moves[2] >= 0, 1.5, 1.0) * rewards


class LongPlay(KuhnPokerRules):
    @property
    def horizon(self):
        return 2


class TooLong(KuhnPokerRules):
    def actor(self, state):
        return jnp.where(state.num_moves == 2, 0, super().actor(state))


class TooShort(KuhnPokerRules):
    def actor(self, state):
        return jnp.where(state.num_moves == 2, -1, super().actor(state))


class BiasedDeal(KuhnPokerRules):
    """A second deal replaces the first if player 0 has the jack; the outcomes remain the same."""

    def init(self, key):
        once, again = (super(BiasedDeal, self).init(part) for part in jax.random.split(key))
        return jax.tree.map(lambda a, b: jnp.where(once.cards[0] == 0, a, b), again, once)


class ImpossibleDeal(KuhnPokerRules):
    def init(self, key):
        table = super().init(key)
        return table._replace(cards=jnp.where(table.cards[0] == 0, 0, table.cards))


class NotBinary(KuhnPokerRules):
    """Entries are 0 and 1/2, which bytes cannot store."""

    def observe_all(self, state):
        return super().observe_all(state) / 2

    def encode(self, infostate):
        return super().encode(infostate) / 2

    def decode(self, observation):
        return super().decode(2 * observation)


PLANTED = {
    NotBinary: "entries of observations are 0 or 1",
    Leak: "entries [1]",
    LeakToOthers: "observe_all differs",
    Merge: "a difference is a merge",
    Illegal: "missing ['bet']",
    WrongTurn: "actor returns 0 instead of 1",
    WrongReward: "step returns the rewards since the last decision",
    LongPlay: "a play continues after 2 decisions",
    TooLong: "the play continues in the device game",
    TooShort: "the play has ended in the device game",
    BiasedDeal: "frequency",
    ImpossibleDeal: "observe_all differs",
}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__)
def test_planted_errors_are_found(planted):
    with pytest.raises(GameRuleError) as error:
        check_device_game(planted(), KUHN)
    assert PLANTED[planted] in str(error.value)


def test_the_check_says_what_is_wrong_with_its_arguments():
    with pytest.raises(ParameterError, match="a DeviceGame, such as"):
        check_device_game(KUHN, KUHN)
    with pytest.raises(GameRuleError, match=r"has 2 players, .* 3"):
        check_device_game(device_game("kuhn_poker"), load_game("kuhn_poker(players=3)"))


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "goofspiel(num_cards=13,imp_info=True)",
        "goofspiel(num_cards=13,points_order=random)",
        "goofspiel(num_cards=4,imp_info=True,returns_type=total_points)",
        "goofspiel(num_cards=5,points_order=ascending,returns_type=total_points)",
        "goofspiel(num_cards=6,num_turns=4,imp_info=True,returns_type=point_difference)",
        "leduc_poker(suit_isomorphism=True)",
        "liars_dice",
        "dark_hex(num_rows=3,num_cols=4)",
        "phantom_ttt(num_rows=4,num_cols=3,line_length=4,obstype=reveal-numturns)",
        "battleship",
        "battleship(board_width=5,board_height=5,ship_sizes=[2,3],ship_values=[1,1])",
    ],
)
def test_large_rules_agree_with_the_rules_in_python(name):
    check_device_game(device_game(name), load_game(name), max_steps=300)


@pytest.mark.long
@pytest.mark.parametrize("name", ["leduc_poker", "dark_hex(num_rows=2,num_cols=3)"])
def test_all_states_agree(name):
    game = load_game(name)
    assert check_device_game(device_game(name), game, max_steps=100_000).is_exhaustive
