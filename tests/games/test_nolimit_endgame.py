"""Endgames of no-limit hold'em: cards, ranges, sizes of bets, and the forms they give."""

import sys
from itertools import product

import numpy as np
import pytest

import infoset
from infoset.errors import (
    GameTooLargeError,
    MissingExtraError,
    ParameterError,
    UnknownNameError,
)
from infoset.forms import lock
from infoset.front import solve
from infoset.game import Infostate, PublicRulesGame, Step, initial_history
from infoset.games import HOLE_CARDS, NoLimitEndgame, load_game
from infoset.games.holdem_hands import hand_strengths
from infoset.policy import load_policy_csv, save_policy_csv, transfer_policy, uniform_policy
from infoset.tree import build_public_form, build_tree, count_public_form

RIVER, TURN = "Ks9d8h4s2c", "Ks9d8h4s"


# --- parameters --------------------------------------------------------------------------------


def test_ranges_have_a_normal_form():
    numbers = np.zeros(1326)
    numbers[0] = 0.5
    spec = "nolimit_endgame(board=Ks 9d 8h 4s 2c, bets=[1], ranges=[{}])"
    game = load_game(spec.format("'AA, KQs : 0.5', 77"))
    assert game.ranges == ("AA,KQs:0.5", "77")
    assert game.board == RIVER
    assert load_game(spec.format("77;'QQ,JJ'")).ranges == ("77", "QQ,JJ")
    assert NoLimitEndgame(RIVER, ranges="QQ,JJ").ranges == ("QQ,JJ", "QQ,JJ")
    assert NoLimitEndgame(RIVER, ranges=[numbers, "any"]).ranges == ("AsAh:0.5", "any")
    assert NoLimitEndgame(RIVER, ranges="[50]aa 10h9H[/50] random@5").ranges[0] == (
        "AA:0.5,Th9h:0.5,any:0.05"
    )
    weights = "0 " * 1325 + "1"
    assert NoLimitEndgame(RIVER, ranges=[weights, "top10%"]).ranges == ("AsAh", "top10%")
    for board in ("ks,9D,8h,4s,2c", "K♠9♦8♥4♠2♣", "KS 9D 8H 4S 2C"):
        assert NoLimitEndgame(board).board == RIVER
    assert load_game("nolimit_endgame(board='10s,9s,8s',ranges=[5%;AA@50])").board == "Ts9s8s"
    assert load_game("nolimit_endgame", board=RIVER, ranges=["AA", numbers]).ranges[0] == "AA"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("", "nolimit_endgame needs board"),
        ("board=Ks9d8h4sKs", "has the card Ks twice"),
        ("board=Ks9d", "board is a board of 3 cards (flop), 4 (turn) or 5 (river)"),
        ("board=Ks9d8h4s2c3c", "board is a board of 3 cards"),
        ("board=3", "board is a board of 3 cards"),
        ("board=Ks9d8h4s1c", "has '1c' as card 5; a card is a rank of 23456789TJQKA"),
        ("board=Ks9d8h4s2", "has '2' as card 5"),
        ("board=KX9d8h4s2c", "has 'KX' as card 1"),
        ("board=Ks9d8h4s2c,pot=0", "pot is at least the smallest chip, 1,"),
        (
            "board=Ks9d8h4s2c,stack=-5",
            "stack must be a number of at least 0, or a list with one for each player",
        ),
        ("board=Ks9d8h4s2c,stack=0", "stack is at least the smallest chip, 1,"),
        ("board=Ks9d8h4s2c,stack=1.5,chip=1", "stack=1.5 is not a multiple of the smallest chip"),
        (
            "board=Ks9d8h4s2c,pot=5.125",
            "multiple of the smallest chip, 0.01; for example, give chip=0.001",
        ),
        ("board=Ks9d8h4s2c,stack=[100]", "or a list of 2, one for each player"),
        ("board=Ks9d8h4s2c,stack=[100;-3]", "stack is a number of at least 0, or a list of 2"),
        ("board=Ks9d8h4s,max_raises=[3;2;1]", "or a list of 2, one for each street"),
        ("board=Ks9d8h4s2c,dead=200", "dead is a part of the pot"),
        ("board=Ks9d8h4s2c,merge=1", "merge is a share of the pot, below 1"),
        ("board=Ks9d8h4s2c,bets=50", "or sizes as text"),
        ("board=Ks9d8h4s2c,bets='50'", "has no unit: write 50% of the pot, or 50c for chips"),
        ("board=Ks9d8h4s2c,bets='2.5x'", "a multiple of the previous bet, so it is only valid for"),
        ("board=Ks9d8h4s2c,bets='50%,'", "'' is not a size"),
        ("board=Ks9d8h4s2c,bets='0%'", "needs a number above 0"),
        ("board=Ks9d8h4s2c,raises='1x'", "needs a number above 1"),
        ("board=Ks9d8h4s2c,bets='1.5e'", "needs a whole number of streets"),
        ("board=Ks9d8h4s2c,bets='preflop: 50%'", "use flop, turn, river, oop, ip or donk"),
        ("board=Ks9d8h4s2c,raises='donk: a'", "use flop, turn, river, oop, ip or reraise"),
        ("board=Ks9d8h4s2c,bets='50%; ip donk: a'", "never applies"),
        ("board=Ks9d8h4s2c,bets='river: a; 50%'", "'river: a' is overridden by the rules after"),
        ("board=Ks9d8h4s,bets='turn: 50%'", "has no sizes on the river for player 0 (oop)"),
        ("board=Ks9d8h4s2c,bets='oop: 50%'", "has no sizes on the river for player 1 (ip)"),
        ("board=Ks9d8h4s2c,bets=[0]", "bets has sizes above 0"),
        ("board=Ks9d8h4s2c,bets=[0.5;50]", "write 0.5, or bets='50%, a', for 50% of it"),
        ("board=Ks9d8h4s2c,pot=2,bets=[19]", "bets has the size 19, but numbers are shares of"),
        ("board=Ks9d8h4s2c,raises=[75]", "write 0.75, or raises='75%, a', for 75% of it"),
        ("board=Ks9d8h4s2c,bets=[0.33;75%]", "bets must be a list of numbers of at least 0, or"),
        ("board=Ks9d8h4s2c,raises=[1;-1]", "raises must be a list of numbers of at least 0"),
        ("board=Ks9d8h4s2c,bets=[]", "bets must be a list of numbers"),
        ("board=Ks9d8h4s2c,bets=1", "bets must be a list of numbers"),
        ("board=Ks9d8h4s2c,max_raises=-1", "max_raises must be a whole number of at least 0"),
        ("board=Ks9d8h4s2c,min_bet=0", "min_bet is at least the smallest chip, 1,"),
        ("board=Ks9d8h4s2c,all_in=0", "all_in is above 0 and at most 1"),
        ("board=Ks9d8h4s2c,all_in=1.5", "all_in is above 0 and at most 1"),
        ("board=Ks9d8h4s2c,all_in=67", "for example nolimit_endgame(all_in=0.67)"),
        ("board=Ks9d8h4s2c,all_in=150%", "all_in=1.5 is not allowed"),
        ("board=Ks9d8h4s2c,rake=5", "for example nolimit_endgame(rake=0.05)"),
        ("board=Ks9d8h4s2c,all_in_pot=150", "at most 10, for example nolimit_endgame(all_in_pot=1"),
        ("board=Ks9d8h4s2c,add_all_in=250", "for example nolimit_endgame(add_all_in=2.5)"),
        ("board=Ks9d8h4s2c,bets=1000000%", "is above 100,000% of the pot: write 'a' for all-in"),
        ("board=Ks9d8h4s2c,stack=[1e9;1e9],bets=[10]", "bets='1000%, a' is 10 times the pot"),
        ("board=Ks9d8h4s2c,min_bet=[a]", "min_bet is a number of at least 0, or a list of 1"),
        ("board=Ks9d8h4s2c,pot=1e16", "pot is at most 1,000,000,000,000,000"),
        (f"board=Ks9d8h4s2c,stack=[200;1{'0' * 400}]", "stack is at most 1,000,000,000,000,000"),
        ("board=Ks9d8h4s2c,ranges=3", "ranges has one range for each player"),
        ("board=Ks9d8h4s2c,ranges=[AA,KK,QQ]", "ranges has one range for each player"),
        ("board=Ks9d8h4s2c,ranges=[AX;AA]", "at character 1, 'AX' does not name a hand"),
        ("board=Ks9d8h4s2c,ranges=[1.5;AA]", "a range is text, or 1,326 numbers"),
        ("board=Ks9d8h4s2c,ranges=[AhAd;AhAc]", "shares a card with every hand of player 1"),
        ("board=Ks9d8h4s2c,ranges=[KsAd;AhAc]", "have a card of the board Ks9d8h4s2c"),
    ],
)
def test_mistakes_are_named(parameters, message):
    with pytest.raises(ParameterError) as caught:
        load_game(f"nolimit_endgame({parameters})")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_shares_may_be_percentages():
    given = dict(all_in="67%", rake="5%", merge="10 %", all_in_pot="12.5%", add_all_in="150%")
    expected = dict(all_in=0.67, rake=0.05, merge=0.1, all_in_pot=0.125, add_all_in=1.5)
    game = load_game("nolimit_endgame", board=RIVER, **expected)
    assert load_game("nolimit_endgame", board=RIVER, **given) == game
    assert load_game(f"nolimit_endgame(board={RIVER},rake=5%)").rake == 0.05
    assert load_game("nolimit_preflop(rake=5%)").rake == 0.05


def test_antes_are_dead_money():
    with pytest.raises(UnknownNameError, match="has no parameter 'ante'; use dead= for antes"):
        load_game("nolimit_endgame", board=RIVER, ante=5)


def test_large_sizes_that_are_no_percentages_are_accepted():
    for bets in ((9.0,), "2000%"):
        assert load_game("nolimit_endgame", board=RIVER, stack=5000, bets=bets).bets == bets


def numbers(**weights):
    """Return a range as numbers, given the weights of pairs."""
    return [weights.get(hand[0] + hand[2], 0) for hand in HOLE_CARDS]


@pytest.mark.parametrize(
    ("extreme", "plain"),
    [
        ((numbers(AA=1e308, JJ=1e308), numbers(KK=1e308)), ("AA,JJ", "KK")),
        (("AA:1e-320,JJ:1e-320", "QQ"), ("AA,JJ", "QQ")),
        ((numbers(AA=1e308, QQ=1e-300), "QQ,77:1e-320"), ("AA", "QQ")),
        ((numbers(AA=3, JJ=1.5), "KK@7"), ("AA,JJ:0.5", "KK")),
    ],
)
@pytest.mark.filterwarnings("error")
def test_only_the_ratios_of_weights_matter(extreme, plain):
    priors = []
    for ranges in (extreme, plain):
        game = load_game("nolimit_endgame", board=RIVER, bets=[1], ranges=ranges)
        form = build_public_form(game)
        solve(form, "cfr+", iterations=5)
        shares = zip(product(*form.hands), form.prior.matrix().ravel().tolist(), strict=True)
        priors.append({hands: share for hands, share in shares if share > 1e-300})
        history = initial_history(game)
        dealt = history.sample(history.joint({}), np.random.default_rng(0))
        assert dealt.infostates[0].steps[0].private[0] in "AJ"
    assert priors[0] == pytest.approx(priors[1])
    assert sum(priors[0].values()) == pytest.approx(1)


def test_hands_are_named_with_their_cards_in_any_order_and_case(tmp_path):
    game = load_game("nolimit_endgame", board=RIVER, bets=[1], ranges=["AsAh,QdQc", "KdKc"])
    public, tree = build_public_form(game), build_tree(game)
    policy = solve(public, "cfr+", iterations=50).policy
    on_tree = transfer_policy(policy, tree)
    assert policy["AhAs", "(start)"] == policy["AsAh", "(start)"] == policy["[AhAs]"]
    assert policy["KcKd", "check"] == on_tree["[KcKd] / check"] == on_tree["[KdKc] / check", 1]
    assert policy["kckD", "check"] == on_tree["[K♣K♦] / check"] == policy["KdKc", "check"]
    infostate = Infostate(1, (Step(None, "KcKd", None), Step(None, None, "check")))
    assert public.find(infostate) == public.look_up(("KdKc", "check"))[1]
    for form in (public, tree.sequence_form):
        locked = solve(lock(form, {"[QcQd]": {"check": 1}}), "cfr+", iterations=5).policy
        assert locked["[QdQc]"]["check"] == 1.0
    file = tmp_path / "policy.csv"
    save_policy_csv(on_tree, file)
    file.write_text(file.read_text().replace("[AsAh]", "[AHas]"))
    again = load_policy_csv(file, tree.sequence_form)
    assert np.array_equal(again.probabilities[0], on_tree.probabilities[0])
    with pytest.raises(UnknownNameError, match="unknown hand 'AcAd'"):
        policy["AcAd", "(start)"]
    turn = NoLimitEndgame(TURN, stack=50, bets=[1], ranges=["AsAh", "QdQc"])
    for merged in (True, False):
        policy = uniform_policy(build_public_form(turn, merge_symmetric=merged))
        line = "check / check / 10D"
        assert policy["ahas", line] == policy["AsAh", "check / check / Td"] == policy["AhAs", line]
        assert policy.form.find_line("check / check / 10♦") == policy.form.find_line(line)


def test_custom_games_keep_their_labels():
    game = PublicRulesGame(NoLimitEndgame(RIVER, ranges=["AsAh", "QdQc"]).public_rules(), "mine")
    for form in (build_public_form(game), build_tree(game).sequence_form):
        assert uniform_policy(form)["[AsAh]"]
        with pytest.raises(UnknownNameError, match="AhAs"):
            uniform_policy(form)["[AhAs]"]


def test_without_the_evaluator_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "phevaluator", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[poker\]'"):
        hand_strengths(["Ks", "9d", "8h", "4s", "2c"], ["AhAd"])


# --- sizes of the public tree ------------------------------------------------------------------


SIZES = {
    "small": dict(bets=[1], raises=[1], max_raises=3),
    "medium": dict(bets=[0.5, 1], raises=[1], max_raises=3),
    "large": dict(bets=[1 / 3, 0.5, 1, 2], raises=[0.5, 1], max_raises=4),
}


@pytest.mark.parametrize(
    ("board", "pot", "sizes", "number"),
    [
        (RIVER, 3750, "small", 33),
        (RIVER, 3750, "medium", 57),
        (RIVER, 3750, "large", 153),
        (RIVER, 500, "small", 39),
        (RIVER, 500, "medium", 69),
        (RIVER, 500, "large", 507),
        (TURN, 4780, "small", 2085),
        (TURN, 4780, "medium", 8637),
    ],
)
def test_the_number_of_public_nodes_and_ends(board, pot, sizes, number):
    """The numbers are those of another program for the same stacks of 20,000 chips."""
    game = load_game(
        "nolimit_endgame",
        board=board,
        pot=pot,
        stack=20_000 - pot // 2,
        min_bet=100,
        **SIZES[sizes],
    )
    counts = count_public_form(game.public_rules())
    assert counts.nodes + counts.ends == number


def test_info_counts_an_endgame_without_visiting_it():
    found = infoset.info(f"nolimit_endgame(board={RIVER})")
    pairs = 1081 * 990
    assert found.terminals == 21 * pairs
    assert found.histories == found.world_states == 33 * pairs + 1
    assert (found.public_nodes, found.fits, found.public_form_fits) == (12, False, True)
    assert not infoset.info(f"nolimit_endgame(board={RIVER})", memory=1_000_000).public_form_fits
    small = f"nolimit_endgame(board={RIVER},ranges=[TT;QQ])"
    listed, counted = infoset.info(small), infoset.info(small, max_worlds=10)
    for name in ("world_states", "histories", "terminals", "public_nodes", "forecast_bytes"):
        assert getattr(listed, name) == getattr(counted, name)


def test_a_game_that_is_too_large_is_refused_with_its_numbers():
    game = load_game("nolimit_endgame", board=TURN, bets=[1], stack=100, max_raises=1)
    with pytest.raises(
        GameTooLargeError, match=r"199 public nodes, 338 ends .* 2.0 MB are allowed"
    ):
        infoset.build_public_form(game, memory=2_000_000)


def test_a_river_is_solved():
    game = load_game("nolimit_endgame", board=RIVER, bets=[1], max_raises=2)
    form = infoset.build_public_form(game)
    assert form.num_hands == (1081, 1081)
    assert (form.num_nodes, len(form.terminals)) == (8, 13)
    assert form.constant_sum == 0
    result = infoset.solve(form, "dcfr", iterations=150)
    assert result.exploitability < 0.001 * game.pot
