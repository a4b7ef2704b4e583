"""Public forms of endgames, against the sequence form and against dense sums over all boards."""

from dataclasses import replace
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

import infoset
from infoset.evaluation import evaluate_policy
from infoset.games import NoLimitEndgame
from infoset.games.holdem_hands import DECK, hand_strengths
from infoset.policy import TabularPolicy, random_policy, transfer_policy
from infoset.tree import build_public_form, build_sequence_form, check_public_rules

RIVER, TURN, FLOP = "Ks9d8h4s2c", "Ks9d8h4s", "Ks9d8h"


def some_hands(board, number, seed, weights=(1,)):
    """Return a range of random hands that share no card with the board."""
    rng = np.random.default_rng(seed)
    left = [card for card in DECK if card not in board]
    pairs = [a + b for a, b in combinations(left, 2)]
    chosen = rng.choice(pairs, number, replace=False)
    return ",".join(f"{hand}:{rng.choice(weights)}" for hand in chosen)


def random_endgame(board, number, seed=0, **parameters):
    weights = (0.25, 0.5, 1)
    ranges = [some_hands(board, number, (seed, player), weights) for player in range(2)]
    return NoLimitEndgame(board, ranges=ranges, **parameters)


def random_public_policy(form, seed=0):
    rng = np.random.default_rng(seed)
    weights = [rng.exponential(size=plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


# --- against the game --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "number"),
    [(RIVER, 5), pytest.param(TURN, 3, marks=pytest.mark.broad)],
)
def test_the_rules_and_the_public_rules_agree(board, number):
    game = random_endgame(board, number, bets=[1], max_raises=1, rake=0.05)
    report = check_public_rules(game, num_lines=20)
    assert report.is_complete
    assert report.has_all_deals


@pytest.mark.parametrize(
    ("board", "ranges", "number"),
    [
        # Hearts and diamonds can be exchanged.
        ("Ks9s8s4s2c", ("AsAc,AhAd", "QhQd,AhQh,AdQd,JhJs:0.5,JdJs:0.5"), 1),
        # Player 0's range distinguishes them.
        ("Ks9s8s4s2c", ("AsAc,AhAs", "QhQd,AhQh,AdQd"), 0),
        ("Ks9s8s4s2c", ("AsAc,AhAd", "QhQd,AhQh:0.5,AdQd"), 0),  # player 1's weights do
        # All suits but spades can be exchanged, and one river represents up to three.
        pytest.param("Ks9s8s4s", ("TT", "QQ"), 3, marks=pytest.mark.broad),
    ],
)
def test_suits_that_board_and_ranges_treat_alike_are_merged(board, ranges, number):
    game = NoLimitEndgame(board, bets=[1], max_raises=1, ranges=ranges)
    assert len(game.public_rules().symmetries()) == number
    merged, whole = (build_public_form(game, merge_symmetric=merge) for merge in (True, False))
    num_sequences = [sum(plex.num_sequences for plex in f.treeplexes) for f in (merged, whole)]
    assert (num_sequences[0] < num_sequences[1]) == (number > 0)
    assert check_public_rules(game, num_lines=20).is_complete


@pytest.mark.parametrize(
    "board",
    [
        pytest.param(RIVER, marks=pytest.mark.long),
        pytest.param(TURN, marks=pytest.mark.broad),
        pytest.param(FLOP, marks=pytest.mark.long),
    ],
)
def test_the_rules_and_the_public_rules_agree_along_lines_of_the_full_size(board):
    ranges = ("any", "any") if board != FLOP else ("TT+,AQs+", "77+,AJs+")
    game = NoLimitEndgame(board, bets=[1], max_raises=1, ranges=ranges)
    assert check_public_rules(game, num_lines=30, max_histories=0).num_lines == 30


@pytest.mark.parametrize(
    ("number", "rake"),
    [(6, 0), (6, 0.05), pytest.param(40, 0, marks=pytest.mark.broad)],
)
def test_a_river_equals_its_sequence_form(number, rake):
    game = random_endgame(RIVER, number, stack=350, rake=rake)
    form, sequence_form = build_public_form(game), build_sequence_form(game)
    policy = random_policy(sequence_form, np.random.default_rng(1))
    found = evaluate_policy(transfer_policy(policy, form))
    expected = evaluate_policy(policy)
    close = 1e-12 * form.payoff_width
    assert found.values == pytest.approx(expected.values, abs=close)
    assert found.gains == pytest.approx(expected.gains, abs=close)
    assert form.constant_sum == sequence_form.constant_sum
    # Gradients are compared, too.
    assert check_public_rules(game, num_lines=5).is_complete
    if not rake:
        value = infoset.solve(sequence_form, "lp").values[0]
        solved = infoset.solve(form, "dcfr", iterations=1000)
        # The value is between what both players can guarantee.
        assert abs(solved.values[0] - value) <= max(solved.measured.gains) + 1e-9
        assert solved.exploitability < 1e-3 * game.pot


# --- against dense sums ------------------------------------------------------------------------


CATEGORIES = (
    (1, 1, 1, 1, 1),
    (2, 1, 1, 1),
    (2, 2, 1),
    (3, 1, 1),
    "straight",
    "flush",
    (3, 2),
    (4, 1),
    "straight flush",
)


def rank_of_five(cards):
    """Return the category and the ranks of a hand of five cards, by the rules of poker."""
    ranks = sorted(("23456789TJQKA".index(card[0]) for card in cards), reverse=True)
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]
    counted = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    is_flush = len({card[1] for card in cards}) == 1
    is_straight = len(counted) == 5 and ranks[0] - ranks[4] == 4
    kind = tuple(count for count, _ in counted)
    if is_straight:
        kind = "straight flush" if is_flush else "straight"
    elif is_flush:
        kind = "flush"
    return CATEGORIES.index(kind), *(rank for _, rank in counted)


@cache
def rank_of_seven(cards):
    return max(map(rank_of_five, combinations(sorted(cards), 5)))


def test_hands_are_ranked_by_the_rules_of_poker():
    rng = np.random.default_rng(3)
    for _ in range(6):
        cards = [DECK[place] for place in rng.permutation(52)]
        board, hands = cards[:5], [a + b for a, b in zip(cards[5:29:2], cards[6:30:2], strict=True)]
        ours = hand_strengths(board, hands)
        ranks = [rank_of_seven(frozenset([*board, hand[:2], hand[2:]])) for hand in hands]
        assert np.array_equal(
            np.sign(np.subtract.outer(ours, ours)),
            [[(a > b) - (a < b) for b in ranks] for a in ranks],
        )


def cards_of(text):
    return [text[at : at + 2] for at in range(0, len(text), 2)]


class DenseEndgame:
    """Values of an endgame by matrices of all pairs of hands, and a sum over all cards."""

    def __init__(self, game, policy):
        self.game, self.rules, self.policy = game, game.public_rules(), policy
        self.form = policy.form
        self.hands = self.form.hands
        weights = [[float(hand.weight) for hand in self.rules.hands(player)] for player in range(2)]
        prior = np.multiply.outer(*map(np.array, weights)) * self.compatible("")
        self.prior = prior / prior.sum()

    @cache  # noqa: B019
    def compatible(self, dealt):
        """Return 1 for the pairs of hands that can be dealt beside the cards dealt."""
        found = np.zeros(list(map(len, self.hands)))
        for (i, first), (j, second) in product(*map(enumerate, self.hands)):
            cards = cards_of(first + second + dealt)
            found[i, j] = len(set(cards)) == len(cards)
        return found

    @cache  # noqa: B019
    def outcomes(self, dealt):
        """Return -1, 0 or 1 for the pairs of hands that player 0 loses, splits or wins."""
        found = self.compatible(dealt).astype(int)
        board = cards_of(self.game.board + dealt)
        for i, j in np.argwhere(found):
            hands = self.hands[0][i], self.hands[1][j]
            first, second = (rank_of_seven(frozenset(board + cards_of(hand))) for hand in hands)
            found[i, j] = (first > second) - (first < second)
        return found

    def payoff(self, state, player):
        """Return [own hands, other hands] a player's utility times the probability of a pair."""
        end = self.rules.end(state)
        utility = np.array(end.utilities)[:, player]
        earned = utility[0] if len(utility) == 1 else utility[1 + self.outcomes(state.dealt)]
        result = self.prior * self.compatible(state.dealt) * earned
        return result if player == 0 else result.T

    def values(self, player, best, state=None, line=(), reach=None):
        """Return [own hands] what each hand earns from a state on, times the opponent's reach."""
        rules = self.rules
        if state is None:
            state, reach = rules.initial_state(), np.ones(len(self.hands[1 - player]))
        if rules.end(state) is not None:
            return self.payoff(state, player) @ reach
        actor = rules.actor(state)
        if actor is None:
            # Of the cards that are not on the board, four are in the players' hands.
            unseen = 52 - len(self.game.board + state.dealt) // 2 - 4
            dealt = [(deal.next_state, (*line, deal.observation)) for deal in rules.deals(state)]
            found = [self.values(player, best, *following, reach) for following in dealt]
            return sum(found) / unseen
        found, legal = [], rules.legal_actions(state)
        policy = self.chosen(actor, line, legal)
        for action in legal:
            following = rules.next_state(state, action), (*line, action)
            if actor == player:
                value = self.values(player, best, *following, reach)
                found.append(value if best else value * policy[action])
            else:
                found.append(self.values(player, best, *following, reach * policy[action]))
        return np.max(found, axis=0) if actor == player and best else sum(found)

    def chosen(self, actor, line, legal):
        """Return [hands] the probabilities of each action after a line; 1 for removed hands."""
        text = " / ".join(line) or "(start)"
        rows = [
            {} if {*cards_of(hand)} & {*line} else self.policy[hand, text]
            for hand in self.hands[actor]
        ]
        return {action: np.array([row.get(action, 1.0) for row in rows]) for action in legal}


@pytest.mark.parametrize(
    ("board", "ranges", "parameters"),
    [
        (RIVER, 8, dict(bets=[0.5, 1])),
        ("Ks9s8s4s2c", ("TT,AJs", "QQ,A9"), dict(bets=[0.5, 1])),
        (TURN, 4, dict(bets=[1], max_raises=1)),
        (
            RIVER,
            6,
            dict(
                **dict(
                    pot=45, dead=5.5, stack=(150, 90), chip=0.5, min_bet=2, rake=0.05, rake_cap=3
                ),
                **dict(bets="33%, 37%, 1e", raises="2.5x, 60%; reraise: 20c"),
                **dict(add_all_in=4, all_in=0.9, all_in_above=85, merge=0.1),
            ),
        ),
        (
            TURN,
            3,
            dict(
                **dict(pot=20, stack=100, min_bet=(1, 4), max_raises=(1, 2), all_in_pot=0.4),
                bets="turn: 50%, 2e; river: 75%, a; river oop donk: 30%",
                raises="none; river: 3x",
            ),
        ),
        pytest.param(
            TURN, 7, dict(bets=[1], stack=120, max_raises=2, rake=0.1), marks=pytest.mark.broad
        ),
        pytest.param(
            "Ks9s8s4s", ("TT", "QQ,A9s"), dict(bets=[1], stack=50), marks=pytest.mark.broad
        ),
        pytest.param(FLOP, 2, dict(bets=[1], stack=50, max_raises=1), marks=pytest.mark.long),
    ],
)
def test_values_and_best_responses_equal_dense_sums(board, ranges, parameters):
    if isinstance(ranges, int):
        game = random_endgame(board, ranges, seed=5, **parameters)
    else:
        game = NoLimitEndgame(board, ranges=ranges, **parameters)
    form = build_public_form(game)
    policy = random_public_policy(form)
    dense, found = DenseEndgame(game, policy), evaluate_policy(policy)
    for player in range(2):
        value, best = (dense.values(player, best).sum() for best in (False, True))
        close = 1e-12 * form.payoff_width
        assert found.values[player] == pytest.approx(value, abs=close)
        assert found.gains[player] == pytest.approx(best - value, abs=close)


# --- symmetry ----------------------------------------------------------------------------------


PERMUTED = str.maketrans("shdc", "hcsd")


def permuted(line):
    """Return a line with the cards of other suits."""
    steps = line.split(" / ")
    return " / ".join(step.translate(PERMUTED) if step in DECK else step for step in steps)


def permuted_policy(policy, image):
    """Return the same policy on the public form with other suits."""
    form, weights = policy.form, []
    nodes = {image.label(node): node for node in range(image.num_nodes)}
    for player in range(2):
        place = {frozenset(cards_of(hand)): at for at, hand in enumerate(image.hands[player])}
        hands = [place[frozenset(cards_of(h.translate(PERMUTED)))] for h in form.hands[player]]
        values = np.ones(image.treeplexes[player].num_sequences)
        for node in form.decisions[player]:
            there = image.sequences[player].first[nodes[permuted(form.label(node))]]
            rows = slice(there, there + form.num_actions[node])
            values[image.places(player, rows)[:, hands]] = policy.at_node(node)
        weights.append(values)
    return TabularPolicy.from_weights(image, weights)


@pytest.mark.parametrize(
    ("board", "number"), [(RIVER, 10), pytest.param(TURN, 30, marks=pytest.mark.broad)]
)
def test_a_permutation_of_the_suits_changes_nothing(board, number):
    game = random_endgame(board, number, seed=6, bets=[1], max_raises=1)
    other = replace(
        game,
        board=board.translate(PERMUTED),
        ranges=[
            ",".join(f"{hand.label.translate(PERMUTED)}:{hand.weight}" for hand in own)
            for own in map(game.rules.hands, range(2))
        ],
    )
    policy = random_public_policy(build_public_form(game))
    image = permuted_policy(policy, build_public_form(other))
    expected, found = evaluate_policy(policy), evaluate_policy(image)
    close = 1e-12 * policy.form.payoff_width
    assert found.values == pytest.approx(expected.values, abs=close)
    assert found.gains == pytest.approx(expected.gains, abs=close)
