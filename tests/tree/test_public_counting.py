"""The size of public forms before they are built, against other ways to count and the forms."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.errors import GameRuleError, GameTooLargeError
from infoset.game import PublicHand, PublicRulesGame
from infoset.games.leduc_poker import LeducPublicRules
from infoset.games.nolimit_endgame import EndgameRules
from infoset.tree import (
    build_public_form,
    build_world_graph,
    check_public_rules,
    count_histories,
    count_public_form,
)
from infoset.tree.public_counting import PublicCounts, _PossiblePairs
from tests.support.suited_rules import SuitedPoker

FLOP = "nolimit_endgame(board=Ks9d8h)"
SMALL = "bets=[1],max_raises=1,ranges='AA'"
BOARDS = ["Ks9d8h", "Ks9s8s", "KsKdKh", "Ks9s8d"]


class BoardsApart(SuitedPoker):
    """Suited poker that says that the betting is the same on all boards."""

    def without_cards(self, state):
        return state[1:]


class ListedLeduc(LeducPublicRules):
    """Leduc poker with other deals, so that `without_cards` is ignored."""

    def deals(self, state):
        return super().deals(state)


class ListedEndgame(EndgameRules):
    """An endgame in which `without_cards` is ignored."""

    def deals(self, state):
        return super().deals(state)


def sizes(form):
    return (
        form.num_nodes,
        len(form.terminals),
        form.num_hands,
        tuple(plex.num_sequences for plex in form.treeplexes),
    )


def check_counts(game, listed, merge=True):
    """Compare the count with the one that visits each public state, and with the form."""
    counts = count_public_form(game.public_rules(), merge_symmetric=merge)
    assert counts == count_public_form(listed, merge_symmetric=merge)
    form = build_public_form(game, merge_symmetric=merge)
    assert sizes(form) == (counts.nodes, counts.ends, counts.hands, counts.sequences)
    return counts


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {"num_ranks": 2},
        {"num_ranks": 2, "board": ("1a",), "num_cards": 2, "num_deals": 1},
        {"num_ranks": 2, "board": ("3a",), "weights": {"1a": 0, "2b": 3, "2c": 3}},
    ],
)
def test_boards_are_counted_together(options, merge):
    game = PublicRulesGame(BoardsApart(**options), "boards apart")
    counts = check_counts(game, SuitedPoker(**options), merge)
    exact = count_histories(build_world_graph(game))
    for name in ("world_states", "histories", "terminals"):
        assert getattr(counts, name) == getattr(exact, name)


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize(
    "spec", ["leduc_poker", "leduc_poker(num_ranks=5,num_suits=3,num_raises=3,starting_player=1)"]
)
def test_leduc_poker_is_counted_by_betting(spec, merge):
    game = infoset.load(spec)
    check_counts(game, ListedLeduc(game), merge)


@pytest.mark.parametrize(
    ("board", "merge"),
    [
        *((f"{board}4s", True) for board in BOARDS[:2]),
        *(pytest.param(board, True, marks=pytest.mark.broad) for board in BOARDS),
        *(pytest.param(board, False, marks=pytest.mark.broad) for board in BOARDS[1:]),
        ("Ks9s8s4s2s", True),
    ],
)
def test_endgames_are_counted_by_betting(board, merge):
    game = infoset.load(f"nolimit_endgame(board={board},{SMALL})")
    check_counts(game, ListedEndgame(game), merge)


@pytest.mark.broad
@pytest.mark.parametrize(
    "more",
    [
        "stack=30,bets='33%, a',raises='e',max_raises=[2;1],add_all_in=1",
        "stack=[90;400],bets='50%; donk: 20%',dead=3,min_bet=[2;4]",
        "ranges=['AA,KQs:0.5';'22,A5s']",
    ],
)
def test_endgames_with_other_rules_are_counted_by_betting(more):
    ranges = "" if "ranges" in more else ",ranges='AA,98s'"
    game = infoset.load(f"nolimit_endgame(board=Ks9d8h4s{ranges},{more})")
    counts = count_public_form(game.public_rules())
    assert counts == count_public_form(ListedEndgame(game))


def test_the_world_states_of_an_endgame_are_those_that_are_visited():
    game = infoset.load("nolimit_endgame(board=Ks9s8s4d,ranges='AhAd,QcQh',bets='a',max_raises=1)")
    counts = count_public_form(game.public_rules())
    graph = build_world_graph(PublicRulesGame(game.public_rules(), "by public rules"))
    exact = count_histories(graph)
    for name in ("world_states", "histories", "terminals"):
        assert getattr(counts, name) == getattr(exact, name)


def test_the_default_flop_is_counted_without_visiting_its_states(monkeypatch):
    """All numbers are those of a count that visits all 505,860 public states."""
    calls, end = [], EndgameRules.end
    monkeypatch.setattr(
        EndgameRules, "end", lambda self, state: calls.append(state) or end(self, state)
    )
    rules = infoset.load(FLOP).public_rules()
    assert count_public_form(rules, memory=10**12) == PublicCounts(
        nodes=182_352,
        ends=323_508,
        hands=(1176, 1176),
        sequences=(245_958_049, 245_958_049),
        world_states=187_450_510_969,
        histories=541_844_902_369,
        terminals=346_340_984_640,
    )
    assert len(calls) < 1_000


class ClosedBySuit(BoardsApart):
    """Suited poker in which nobody bets after a card of the first suit."""

    def legal_actions(self, state):
        legal = super().legal_actions(state)
        closed = state[0] and state[0][-1][1] == "a"
        return tuple(one for one in legal if not (closed and one == "b"))


class WronglyApart(ClosedBySuit):
    """The same, which says that the betting is the same on all boards."""

    def without_cards(self, state):
        return state[1:]

    def symmetries(self):
        return ()


class WithLast(BoardsApart):
    """Suited poker that leaves the last public card in states after two checks."""

    def without_cards(self, state):
        board, _, pot = state
        return (board[-1:] if pot == 1 else (), *state[1:])


class WithFirst(BoardsApart):
    """Suited poker that leaves the first of two public cards in the state."""

    def without_cards(self, state):
        board = state[0]
        return (board[:1] if len(board) == 2 else (), *state[1:])


def test_betting_that_depends_on_the_board_is_counted_state_by_state():
    class Inherits(ClosedBySuit):
        def symmetries(self):
            return ()

    game = PublicRulesGame(Inherits(num_ranks=2), "closed by suit")
    counts = count_public_form(game.public_rules())
    assert sizes(build_public_form(game)) == (
        counts.nodes,
        counts.ends,
        counts.hands,
        counts.sequences,
    )
    exact = count_histories(build_world_graph(game))
    assert (counts.world_states, counts.histories) == (exact.world_states, exact.histories)


def test_a_wrong_declaration_is_refused():
    game = PublicRulesGame(WronglyApart(num_ranks=2), "wrong")
    for check in (build_public_form, check_public_rules):
        with pytest.raises(GameRuleError, match=r"rules of wrong: with without_cards, \d+"):
            check(game)
    for kind in (WithFirst, WithLast):
        with pytest.raises(GameRuleError, match=r"without_cards\(.*\) and without_cards\(.*differ"):
            count_public_form(kind(num_ranks=2))


def test_boards_that_are_too_many_are_not_listed(monkeypatch):
    monkeypatch.setattr("infoset.tree.public_counting.MAX_STEPS", 100)
    rules = infoset.load(FLOP).public_rules()
    with pytest.raises(GameTooLargeError, match=r"public form exceeds the memory limit of 1\.0 MB"):
        count_public_form(rules, memory=1_000_000)
    # After 1,000 cards on 20 of the 49 turns.
    monkeypatch.setattr("infoset.tree.public_counting.MAX_STEPS", 1_000)
    calls, deals = [], EndgameRules.deals
    monkeypatch.setattr(
        EndgameRules, "deals", lambda self, state: calls.append(state) or deals(self, state)
    )
    with pytest.raises(GameTooLargeError, match=r"public form exceeds the memory limit of 1\.0 kB"):
        count_public_form(rules, memory=1_000)
    assert len(calls) < 30
    with pytest.raises(GameTooLargeError, match="more than 1,000 world states"):
        count_public_form(rules, max_worlds=1_000)


class Hands(SuitedPoker):
    def __init__(self, hands):
        self.own = hands

    def hands(self, player):
        return self.own[player]


CARDS = st.sets(st.sampled_from("ABCDE"), max_size=2)
HANDS = st.lists(st.tuples(CARDS, st.sampled_from([0, 1, 0.5])), min_size=1, max_size=8)


@settings(max_examples=50)
@given(HANDS, HANDS, st.sets(st.sampled_from("ABCDEF"), max_size=3))
def test_possible_pairs(first, second, dealt):
    hands = [
        [PublicHand(place, weight, tuple(sorted(cards))) for place, (cards, weight) in enumerate(x)]
        for x in (first, second)
    ]
    expected = sum(
        bool(own.weight and other.weight)
        and not {*own.cards} & {*other.cards}
        and dealt.isdisjoint({*own.cards, *other.cards})
        for own, other in product(*hands)
    )
    assert _PossiblePairs(Hands(hands)).number(frozenset(dealt)) == expected


def test_much_faster_is_a_third_of_the_time_and_saves_half_a_second():
    def counts(**given):
        some = {
            "nodes": 1,
            "ends": 1,
            "hands": (1, 1),
            "sequences": (1, 1),
            "world_states": 1,
            "histories": 1,
            "terminals": 1,
        }
        return PublicCounts(**some | given)

    # 10 µs a world state: 0.6 s to visit, and nothing to build.
    assert counts(world_states=60_000).is_much_faster()
    assert not counts(world_states=40_000).is_much_faster()
    assert counts(histories=15_000_000).is_much_faster()
    # 10 µs a public node or end: 1 s, a third of 3 s.
    assert counts(world_states=350_000, nodes=100_000).is_much_faster()
    assert not counts(world_states=350_000, ends=120_000).is_much_faster()
    # Gradients: 0.16 ns a terminal on the sequence form, 3 ns a sequence on the public form.
    assert counts(terminals=10**8).is_much_faster(1000)
    assert not counts(terminals=10**8).is_much_faster(10)
    assert not counts(world_states=300_000, sequences=(10**6, 10**6)).is_much_faster(1000)
    # Both read the sequences: 1.4 ns on the sequence form.
    assert not counts(sequences=(10**9, 10**9)).is_much_faster(10)
