"""Kernels that solve the trick-taking game when all cards are seen.

Positions between tricks are solved up to equivalence: the canonical number of a position does not
depend on which cards are gone, on the order of the suits, or on which player leads. The remaining
cards of a suit form a word: a leading 1, then one bit per card from the highest down, which is 1 if
the player on lead holds the card. The words of the four suits are concatenated, the largest first.
The deck of 20 cards has only 70,618 such positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._model_kernels import inlined
from infoset.search.models._tricks_kernels import (
    CHOSEN,
    HANDS,
    LED,
    PLAYER,
    STATE_SIZE,
    TRICKS,
    Tricks,
    count,
    legal_cards,
    play_chosen,
)
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

NUM_SUITS = 4
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, for multiplicative (Fibonacci) hashing."""

Words = tuple[int, int, int, int]


class SolvedPositions(NamedTuple):
    """A transposition table of positions between tricks; a new position replaces an old one."""

    position: LongArray
    """[2^n] canonical number; 0 if the place is empty."""
    tricks: LongArray
    """[2^n, 2] lower and upper bound on the tricks that the player on lead can force."""
    width: int
    """Number of bits of a word."""


@kernel
def can_force(solved: SolvedPositions, position: int, need: int, left: int) -> bool:
    """Return whether the player on lead can force `need` of the `left` tricks."""
    if need <= 0 or need > left:
        return need <= 0
    # Zero-window search with memory: each answer is yes or no and tightens one stored bound. The
    # bounds decide unless `need` lies between them.
    place = _table_place(solved, position)
    if solved.position[place] == position:
        if need <= solved.tricks[place, 0]:
            return True
        if need > solved.tricks[place, 1]:
            return False
    # Otherwise search all leads up to equivalence, each against all replies.
    words = _unpack(position, solved.width)
    answer = _cashed_tricks(words) >= need  # no search if the sure winners suffice
    for suit in range(NUM_SUITS):
        if answer:
            break
        for card in range(_length(words[suit]) - 1, -1, -1):
            # Adjacent cards of one hand are equivalent: only the highest is tried.
            if answer or not _ends_run(words[suit], card, 1):
                continue
            answer = True  # this lead works unless some reply refutes it
            must_follow = _opponent_holds(words[suit])  # otherwise any card is legal, and loses
            for other in range(NUM_SUITS):
                if must_follow and other != suit:
                    continue
                for reply in range(_length(words[other])):
                    if not answer or not _ends_run(words[other], reply, 0):
                        continue
                    # Within the suit, the higher bit is the higher card and wins.
                    wins = other != suit or card > reply
                    after = _after_trick(words, suit, card, other, reply, wins, solved.width)
                    if wins:
                        answer = can_force(solved, after, need - 1, left - 1)
                    else:
                        # The opponent leads the remaining `left - 1` tricks and must not force more
                        # than `left - 1 - need` of them.
                        answer = not can_force(solved, after, left - need, left - 1)
    _store(solved, place, position, need, left, answer)
    return answer


@inlined
def _table_place(solved: SolvedPositions, position: int) -> int:
    """Return the place of a position in the table, from the high bits of a product."""
    spread = np.uint64(position) * GOLDEN
    return int(spread >> np.uint64(32)) & (len(solved.position) - 1)


@inlined
def _store(
    solved: SolvedPositions, place: int, position: int, need: int, left: int, answer: bool
) -> None:
    """Tighten one bound of a position; the entry of another position at its place is replaced."""
    if solved.position[place] != position:
        solved.position[place] = position
        solved.tricks[place, 0], solved.tricks[place, 1] = 0, left
    # If true, at least `need` tricks can be forced; if false, at most `need - 1`.
    if answer:
        solved.tricks[place, 0] = max(solved.tricks[place, 0], need)
    else:
        solved.tricks[place, 1] = min(solved.tricks[place, 1], need - 1)


@inlined
def _cashed_tricks(words: Words) -> int:
    """Return how many tricks the player on lead takes by leading only cards that cannot lose.

    In each suit, these are the cards above all cards of the opponent. If there are at least as many
    of them as the opponent has cards of the suit, leading them exhausts the opponent's cards, and
    the rest of the suit wins too.
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
    """Return whether `holder` has a card but not the next higher one."""
    if (word >> card & 1) != holder:
        return False
    # Above the highest card there is only the leading 1, which ends the run.
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
    """Return the position after a trick: without its two cards, and with its winner on lead."""
    first, second, third, fourth = words
    # Within one suit remove the higher card first, so that the index of the lower remains valid.
    if suit == other and reply > card:
        card, reply = reply, card
    # Four separate integers instead of an array, so that they remain in registers.
    first = _word_after(first, suit == 0, card, other == 0, reply, wins)
    second = _word_after(second, suit == 1, card, other == 1, reply, wins)
    third = _word_after(third, suit == 2, card, other == 2, reply, wins)
    fourth = _word_after(fourth, suit == 3, card, other == 3, reply, wins)
    return _pack(first, second, third, fourth, width)


@inlined
def _word_after(
    word: int, is_led: bool, card: int, is_other: bool, reply: int, keeps_lead: bool
) -> int:
    """Return a word without the cards played, from the perspective of the new leader."""
    if is_led:
        word = _without(word, card)
    if is_other:
        word = _without(word, reply)
    # A change of lead flips every bit except the leading 1.
    return word if keeps_lead else word ^ ((1 << _length(word)) - 1)


@inlined
def _without(word: int, card: int) -> int:
    """Return a word without one card; the higher bits shift down by one."""
    # The leading 1 shifts too, so that the word is one card shorter.
    return (word >> (card + 1)) << card | (word & ((1 << card) - 1))


@inlined
def _pack(first: int, second: int, third: int, fourth: int, width: int) -> int:
    """Return four words concatenated in descending order (a sorting network)."""
    # Suits are interchangeable between tricks, so that sorting gives a canonical form.
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
        # The first word has the highest bits, so it needs no mask.
        position >> (3 * width),
        position >> (2 * width) & low,
        position >> width & low,
        position & low,
    )


@kernel
def card_values(
    model: Tricks, solved: SolvedPositions, states: LongArray, player: int, values: FloatArray
) -> None:
    """Write the perfect-information values [K, A] of each card to a player, padded with NaN."""
    values[:] = np.nan
    # Two states at a time: after the card, and after the reply to it.
    after = np.empty(STATE_SIZE, np.int64)
    then = np.empty(STATE_SIZE, np.int64)
    for k in range(len(states)):
        cards = legal_cards(model, states[k])
        action = 0
        while cards:
            # From the lowest card up, which is the order of the actions.
            _play(model, states[k], cards & -cards, after)
            values[k, action] = _value(model, solved, after, player, then)
            cards &= cards - 1
            action += 1


@inlined
def _play(model: Tricks, state: LongArray, card: int, after: LongArray) -> None:
    """Write the state after a card is played."""
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
    # One card of the trick is missing, which makes one ply of negamax: the player who replies
    # maximizes `sign` times the value.
    sign = 1.0 if state[PLAYER] == player else -1.0
    best = -1.0
    cards = legal_cards(model, state)
    while cards and best < 1.0:
        # `cards & -cards` is the lowest card; `cards & (cards - 1)` removes it.
        _play(model, state, cards & -cards, then)
        best = max(best, sign * _value_between_tricks(model, solved, then, player))
        cards &= cards - 1
    return sign * best


@inlined
def _value_between_tricks(
    model: Tricks, solved: SolvedPositions, state: LongArray, player: int
) -> float:
    """Return the security level of a player between tricks: -1 plus 1 for each goal it can force.

    The two goals are half of the tricks and more than half of them. They coincide if a tie wins.
    """
    half = (model.num_tricks + 1) // 2
    more = half if model.tie > 0.0 else model.num_tricks // 2 + 1
    position = _canonical_position(model, solved, state)
    value = -1.0
    # The value is -1 with neither goal, 0 with half of the tricks only, and 1 with both.
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
    # The player is not on lead. It reaches its goal unless the leader can force `left - missing +
    # 1` tricks.
    return not can_force(solved, position, left - missing + 1, left)


@inlined
def _canonical_position(model: Tricks, solved: SolvedPositions, state: LongArray) -> int:
    """Return the canonical number of a position between tricks."""
    leader = state[PLAYER]
    own, other = state[HANDS + leader], state[HANDS + 1 - leader]
    # Go through the cards from the highest down; a change of suit starts the next word.
    # A suit without cards is the leading 1 alone, so a position is never 0, which marks empty
    # places of the table.
    first = second = third = word = 1
    suit = model.suits[-1]
    for card in range(len(model.suits) - 1, -1, -1):
        if model.suits[card] != suit:
            suit = model.suits[card]
            first, second, third, word = second, third, word, 1
        # Cards already played are skipped, so that only relative ranks matter.
        if (own | other) >> card & 1:
            word = word << 1 | (own >> card & 1)
    return _pack(first, second, third, word, solved.width)
