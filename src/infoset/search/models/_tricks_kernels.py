"""Kernels that play the trick-taking game, and solve it when all cards are seen.

Cards are bits and hands bit sets. Cards are sorted by suit, so that a suit is a run of bits.

A position between tricks is solved under a canonical number that forgets which cards are gone,
which suit is which and which player is which. The cards left of a suit form a word: a leading 1,
then one bit per card from the highest down, 1 if the player on lead holds it. The words of the four
suits stand side by side, the largest first. Twenty cards leave only 70,618 such positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._model_kernels import CHANCE_MOVE, END, Position, implement, inlined
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

HANDS = 0
LED, PLAYER = 2, 3
TRICKS = 4
CHOSEN = 6
"""Entries of the state: the hand of each player, the card led (0 between tricks), the player to
move, the tricks of each player, and the card chosen but not yet played (0 if none)."""

STATE_SIZE = 7

NUM_SUITS = 4
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: multiplicative (Fibonacci) hashing."""

Words = tuple[int, int, int, int]


class Tricks(NamedTuple):
    """What the rules depend on.

    Attributes
    ----------
    suits : LongArray
        [C] the bit set of the suit of each card.
    num_tricks : int
    tie : float
        Utility of both players when each takes half of the tricks.
    """

    suits: LongArray
    num_tricks: int
    tie: float


class SolvedPositions(NamedTuple):
    """A transposition table of positions between tricks; a new position replaces an old one.

    Attributes
    ----------
    position : LongArray
        [2^n] canonical number; 0 if the place is empty.
    tricks : LongArray
        [2^n, 2] lower and upper bound on the tricks that the player on lead can force.
    width : int
        Bits of a word.
    """

    position: LongArray
    tricks: LongArray
    width: int


# The questions of a model


@inlined
def count(cards: int) -> int:
    """Return the number of cards in a set."""
    total = 0
    while cards:
        cards &= cards - 1  # clears the lowest bit
        total += 1
    return total


@inlined
def legal_cards(model: Tricks, state: LongArray) -> int:
    """Return the cards that may be played: those of the suit led if there are any, else all."""
    # Following suit is compulsory; a player who is void may discard anything.
    hand = state[HANDS + state[PLAYER]]
    led = state[LED]
    if led:
        # `count(led - 1)` is the number of the card: the position of its bit
        following = hand & model.suits[count(led - 1)]
        if following:
            return int(following)
    return int(hand)


def actor(model: Tricks, position: Position) -> int:
    """Return the player to act, `CHANCE_MOVE` or `END`."""
    state = position.state
    if state[CHOSEN]:
        return CHANCE_MOVE
    # Both hands are empty together: the player to move has a card unless the game is over.
    return int(state[PLAYER]) if state[HANDS + state[PLAYER]] else END


def num_actions(model: Tricks, position: Position) -> int:
    """Return the number of cards that may be played."""
    return count(legal_cards(model, position.state))


def choose_action(model: Tricks, position: Position, action: int) -> None:
    """Choose one of the legal cards, counted from the lowest."""
    cards = legal_cards(model, position.state)
    for _ in range(action):
        cards &= cards - 1
    position.state[CHOSEN] = cards & -cards  # the lowest bit


def num_outcomes(model: Tricks, position: Position) -> int:
    """Return 1: transitions are deterministic."""
    return 1


def outcome_probability(model: Tricks, position: Position, outcome: int) -> float:
    """Return 1: transitions are deterministic."""
    return 1.0


def apply_outcome(model: Tricks, position: Position, outcome: int) -> None:
    """Play the chosen card; after the last one, pay."""
    state = position.state
    seen = play_chosen(model, state)
    is_over = state[HANDS] == 0 and state[HANDS + 1] == 0
    for player in range(2):
        # Cards are played openly: both players observe the same.
        position.observations[player] = seen
        if is_over:
            ahead = state[TRICKS + player] - state[TRICKS + 1 - player]
            utility = 1.0 if ahead > 0 else (-1.0 if ahead < 0 else model.tie)
            position.rewards_so_far[player] += utility


@inlined
def play_chosen(model: Tricks, state: LongArray) -> int:
    """Play the chosen card, in place, and return a number for the public observation of it."""
    card, player, led = state[CHOSEN], state[PLAYER], state[LED]
    number = count(card - 1)
    state[CHOSEN] = 0
    # The card was in the hand, so that exclusive or removes it.
    state[HANDS + player] ^= card
    if not led:
        state[LED], state[PLAYER] = card, 1 - player
        return 3 * number  # three observations per card: led, and replied with either winner
    # a higher bit within the suit led is a higher card; other suits never win
    wins = card > led and led & model.suits[number] != 0
    winner = player if wins else 1 - player
    state[LED], state[PLAYER] = 0, winner
    state[TRICKS + winner] += 1
    return int(3 * number + 1 + winner)


implement(
    Tricks, actor, num_actions, choose_action, num_outcomes, outcome_probability, apply_outcome
)


# Sets of cards


@kernel
def deposit(places: LongArray, pools: LongArray, cards: LongArray) -> None:
    """Write cards [K]: those of the pools [K] at the places [K], both bit sets (a bit deposit)."""
    for k in range(len(places)):
        pool, chosen = pools[k], places[k]
        # Bit k of `places` asks for the k-th lowest card of the pool.
        while chosen:
            card = pool & -pool
            if chosen & 1:
                cards[k] |= card
            pool ^= card
            chosen >>= 1


@kernel
def card_indices(model: Tricks, states: LongArray, cards: LongArray, indices: LongArray) -> None:
    """Write indices [K, A] of cards [A] among the legal ones of each state; -1 if not legal."""
    for k in range(len(states)):
        legal = legal_cards(model, states[k])
        for place in range(len(cards)):
            card = cards[place]
            # The number of legal cards below it, because actions count from the lowest.
            indices[k, place] = count(legal & (card - 1)) if legal & card else -1


# The solver with all cards seen


@kernel
def can_force(solved: SolvedPositions, position: int, need: int, left: int) -> bool:
    """Return whether the player on lead can force `need` of the `left` tricks."""
    if need <= 0 or need > left:
        return need <= 0
    # the table answers if `need` is outside its bounds
    # Zero-window search with memory: each answer is yes or no, and tightens one bound.
    place = _table_place(solved, position)
    if solved.position[place] == position:
        if need <= solved.tricks[place, 0]:
            return True
        if need > solved.tricks[place, 1]:
            return False
    # Nothing stored decides it: search all leads that are not equivalent, each against all replies.
    words = _unpack(position, solved.width)
    answer = _cashed_tricks(words) >= need  # no search if sure winners suffice
    for suit in range(NUM_SUITS):
        if answer:
            break
        for card in range(_length(words[suit]) - 1, -1, -1):
            # of adjacent cards in one hand, only the highest is tried: they are equivalent
            if answer or not _ends_run(words[suit], card, 1):
                continue
            answer = True  # this lead works unless some reply refutes it
            must_follow = _opponent_holds(words[suit])  # otherwise any card, which loses
            for other in range(NUM_SUITS):
                if must_follow and other != suit:
                    continue
                for reply in range(_length(words[other])):
                    if not answer or not _ends_run(words[other], reply, 0):
                        continue
                    # Bit positions grow with rank, so that the higher bit wins within the suit.
                    wins = other != suit or card > reply
                    after = _after_trick(words, suit, card, other, reply, wins, solved.width)
                    if wins:
                        answer = can_force(solved, after, need - 1, left - 1)
                    else:
                        # the opponent now leads, and must be kept to `left - 1 - need` tricks
                        answer = not can_force(solved, after, left - need, left - 1)
    _store(solved, place, position, need, left, answer)
    return answer


@inlined
def _table_place(solved: SolvedPositions, position: int) -> int:
    """Return the place of a position in the table: high bits of a product."""
    spread = np.uint64(position) * GOLDEN
    return int(spread >> np.uint64(32)) & (len(solved.position) - 1)


@inlined
def _store(
    solved: SolvedPositions, place: int, position: int, need: int, left: int, answer: bool
) -> None:
    """Tighten a bound of a position, replacing the position that was at its place."""
    if solved.position[place] != position:
        solved.position[place] = position
        solved.tricks[place, 0], solved.tricks[place, 1] = 0, left
    # Yes: at least `need`. No: at most one fewer.
    if answer:
        solved.tricks[place, 0] = max(solved.tricks[place, 0], need)
    else:
        solved.tricks[place, 1] = min(solved.tricks[place, 1], need - 1)


@inlined
def _cashed_tricks(words: Words) -> int:
    """Return the tricks that the player on lead takes by leading cards that cannot lose.

    In each suit these are the cards above all of the opponent's. If they are as many as the
    opponent holds, the opponent then has none left, and all cards of the suit win.
    """
    total = 0
    for word in words:
        size = _length(word)
        # The leading 1 marks the length of the word and is not a card.
        held = count(word) - 1
        top = 0
        while top < size and word >> (size - 1 - top) & 1:
            top += 1
        total += held if top >= size - held else top
    return total


@inlined
def _opponent_holds(word: int) -> bool:
    """Return whether the player not on lead has a card of a suit: whether any bit is 0."""
    return bool(word & (word + 1))


@inlined
def _ends_run(word: int, card: int, holder: int) -> bool:
    """Return whether a card is its holder's and the next higher one is not."""
    if (word >> card & 1) != holder:
        return False
    # Above the highest card only the leading 1 is left: the run ends there.
    return word >> (card + 1) == 1 or (word >> (card + 1) & 1) != holder


@inlined
def _length(word: int) -> int:
    """Return the number of cards left in a suit."""
    size = 0
    while word >> (size + 1):
        size += 1
    return size


@inlined
def _after_trick(
    words: Words, suit: int, card: int, other: int, reply: int, wins: bool, width: int
) -> int:
    """Return the position after a trick: two cards fewer, its winner on lead."""
    first, second, third, fourth = words
    # within one suit the higher card goes first, so that the place of the other stays valid
    if suit == other and reply > card:
        card, reply = reply, card
    # Words are numbers, not array entries: a tuple of integers stays in registers.
    first = _word_after(first, suit == 0, card, other == 0, reply, wins)
    second = _word_after(second, suit == 1, card, other == 1, reply, wins)
    third = _word_after(third, suit == 2, card, other == 2, reply, wins)
    fourth = _word_after(fourth, suit == 3, card, other == 3, reply, wins)
    return _pack(first, second, third, fourth, width)


@inlined
def _word_after(
    word: int, is_led: bool, card: int, is_other: bool, reply: int, keeps_lead: bool
) -> int:
    """Return a word without the cards played of the suit, from the view of the new leader."""
    if is_led:
        word = _without(word, card)
    if is_other:
        word = _without(word, reply)
    # a change of lead flips every bit but the leading 1
    return word if keeps_lead else word ^ ((1 << _length(word)) - 1)


@inlined
def _without(word: int, card: int) -> int:
    """Return a word without one card: the higher bits move down by one."""
    # The leading 1 moves down with them: the word is one card shorter.
    return (word >> (card + 1)) << card | (word & ((1 << card) - 1))


@inlined
def _pack(first: int, second: int, third: int, fourth: int, width: int) -> int:
    """Return four words side by side, sorted by a network of five comparisons."""
    # Suits are interchangeable between tricks, so that sorted words are a canonical form.
    if first < second:
        first, second = second, first
    if third < fourth:
        third, fourth = fourth, third
    if first < third:
        first, third = third, first
    if second < fourth:
        second, fourth = fourth, second
    if second < third:
        second, third = third, second
    return ((first << width | second) << width | third) << width | fourth


@inlined
def _unpack(position: int, width: int) -> Words:
    """Return the words of a position."""
    low = (1 << width) - 1
    return (
        position >> (3 * width),
        position >> (2 * width) & low,
        position >> width & low,
        position & low,
    )


@kernel
def card_values(
    model: Tricks, solved: SolvedPositions, states: LongArray, player: int, values: FloatArray
) -> None:
    """Write the values [K, A] of each card to a player when all cards are seen; NaN beyond them."""
    values[:] = np.nan
    after = np.empty(STATE_SIZE, np.int64)
    then = np.empty(STATE_SIZE, np.int64)
    for k in range(len(states)):
        cards = legal_cards(model, states[k])
        action = 0
        while cards:
            _play(model, states[k], cards & -cards, after)
            values[k, action] = _value(model, solved, after, player, then)
            cards &= cards - 1
            action += 1


@inlined
def _play(model: Tricks, state: LongArray, card: int, after: LongArray) -> None:
    """Write the state after a card."""
    for entry in range(STATE_SIZE):
        after[entry] = state[entry]
    after[CHOSEN] = card
    play_chosen(model, after)


@inlined
def _value(
    model: Tricks, solved: SolvedPositions, state: LongArray, player: int, then: LongArray
) -> float:
    """Return the security level of a player; within a trick, after the best reply."""
    if not state[LED]:
        return _value_between_tricks(model, solved, state, player)
    # one reply is left in the trick, one ply of negamax: the replier maximizes `sign` times
    # the player's value
    sign = 1.0 if state[PLAYER] == player else -1.0
    best = -1.0
    cards = legal_cards(model, state)
    while cards and best < 1.0:
        # `cards & -cards` is the lowest card; the next line but one clears it.
        _play(model, state, cards & -cards, then)
        best = max(best, sign * _value_between_tricks(model, solved, then, player))
        cards &= cards - 1
    return sign * best


@inlined
def _value_between_tricks(
    model: Tricks, solved: SolvedPositions, state: LongArray, player: int
) -> float:
    """Return the security level of a player between tricks: -1, plus 1 for each goal it can force.

    The goals are half of the tricks and more than half of them; they coincide if a tie wins.
    """
    half = (model.num_tricks + 1) // 2
    more = half if model.tie > 0.0 else model.num_tricks // 2 + 1
    position = _canonical_position(model, solved, state)
    value = -1.0
    # each reachable goal adds 1: -1 for neither, 0 for half only, 1 for both
    for need in (half, more):
        value += _can_reach(solved, position, state, player, need)
    return value


@inlined
def _can_reach(
    solved: SolvedPositions, position: int, state: LongArray, player: int, need: int
) -> bool:
    """Return whether a player can force a total of `need` tricks."""
    left = count(state[HANDS])
    missing = need - state[TRICKS + player]
    if state[PLAYER] == player:
        return can_force(solved, position, missing, left)
    # off lead: the leader must not be able to force one trick more than it may have
    return not can_force(solved, position, left - missing + 1, left)


@inlined
def _canonical_position(model: Tricks, solved: SolvedPositions, state: LongArray) -> int:
    """Return the canonical number of a position between tricks."""
    leader = state[PLAYER]
    own, other = state[HANDS + leader], state[HANDS + 1 - leader]
    # from the highest card down; a change of suit starts the next word
    first = second = third = word = 1
    suit = model.suits[-1]
    for card in range(len(model.suits) - 1, -1, -1):
        if model.suits[card] != suit:
            suit = model.suits[card]
            first, second, third, word = second, third, word, 1
        # Cards already played are skipped, so that only relative ranks are left.
        if (own | other) >> card & 1:
            word = word << 1 | (own >> card & 1)
    return _pack(first, second, third, word, solved.width)
