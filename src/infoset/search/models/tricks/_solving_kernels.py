"""Whether a player who sees all cards is sure of so many tricks.

A position between tricks is one number. The cards left of a suit are a word: a one, then by card,
the highest first, 1 if the player in the lead has it, else 0. The words of four suits stand side
by side, the largest first. So it is forgotten which cards are gone, which suit is which and which
player is which, and with that nearly all there is: 20 cards leave 70,618 positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._kernels import inlined
from infoset.search.models.tricks._kernels import (
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

Words = tuple[int, int, int, int]


class Solved(NamedTuple):
    """What is known of positions, each kept at the place its number hashes to, the last one stays.

    Attributes
    ----------
    position : LongArray
        [2^n] 0 where there is none.
    tricks : LongArray
        [2^n, 2] how many tricks the player in the lead is sure of, and how many it may be.
    width : int
        Bits of a word.
    """

    position: LongArray
    tricks: LongArray
    width: int


@kernel
def is_sure(solved: Solved, position: int, need: int, left: int) -> bool:
    """Return whether the player in the lead can take so many of the tricks left."""
    if need <= 0 or need > left:
        return need <= 0
    place = _place(solved, position)
    if solved.position[place] == position:
        if need <= solved.tricks[place, 0]:
            return True
        if need > solved.tricks[place, 1]:
            return False
    words = _unpacked(position, solved.width)
    answer = _cashed(words) >= need
    for suit in range(NUM_SUITS):
        if answer:
            break
        for card in range(_length(words[suit]) - 1, -1, -1):
            if answer or not _ends_run(words[suit], card, 1):
                continue
            answer = True
            must_follow = _holds(words[suit])
            for other in range(NUM_SUITS):
                if must_follow and other != suit:
                    continue
                for reply in range(_length(words[other])):
                    if not answer or not _ends_run(words[other], reply, 0):
                        continue
                    wins = other != suit or card > reply
                    after = _after(words, suit, card, other, reply, wins, solved.width)
                    if wins:
                        answer = is_sure(solved, after, need - 1, left - 1)
                    else:
                        answer = not is_sure(solved, after, left - need, left - 1)
    _note(solved, place, position, need, left, answer)
    return answer


@inlined
def _place(solved: Solved, position: int) -> int:
    """Return the place of a position: the high bits of a product."""
    spread = np.uint64(position) * GOLDEN
    return int(spread >> np.uint64(32)) & (len(solved.position) - 1)


@inlined
def _note(solved: Solved, place: int, position: int, need: int, left: int, answer: bool) -> None:
    """Keep an answer."""
    if solved.position[place] != position:
        solved.position[place] = position
        solved.tricks[place, 0], solved.tricks[place, 1] = 0, left
    if answer:
        solved.tricks[place, 0] = max(solved.tricks[place, 0], need)
    else:
        solved.tricks[place, 1] = min(solved.tricks[place, 1], need - 1)


@inlined
def _cashed(words: Words) -> int:
    """Return how many tricks the player in the lead takes by leading cards that cannot lose.

    In each suit these are those above all of the other player, and all if they are as many as
    the other has.
    """
    total = 0
    for word in words:
        size = _length(word)
        held = count(word) - 1
        top = 0
        while top < size and word >> (size - 1 - top) & 1:
            top += 1
        total += held if top >= size - held else top
    return total


@inlined
def _holds(word: int) -> bool:
    """Return whether the player not in the lead has a card of a suit."""
    return bool(word & (word + 1))


@inlined
def _ends_run(word: int, card: int, holder: int) -> bool:
    """Return whether a card is its holder's, and the next higher one is not: those are alike."""
    if (word >> card & 1) != holder:
        return False
    return word >> (card + 1) == 1 or (word >> (card + 1) & 1) != holder


@inlined
def _length(word: int) -> int:
    """Return how many cards of a suit are left."""
    size = 0
    while word >> (size + 1):
        size += 1
    return size


@inlined
def _after(
    words: Words, suit: int, card: int, other: int, reply: int, wins: bool, width: int
) -> int:
    """Return the position after a trick: two cards fewer, and who took it has the lead."""
    first, second, third, fourth = words
    if suit == other and reply > card:
        card, reply = reply, card
    first = _left(first, suit == 0, card, other == 0, reply, wins)
    second = _left(second, suit == 1, card, other == 1, reply, wins)
    third = _left(third, suit == 2, card, other == 2, reply, wins)
    fourth = _left(fourth, suit == 3, card, other == 3, reply, wins)
    return _packed(first, second, third, fourth, width)


@inlined
def _left(word: int, is_led: bool, card: int, is_other: bool, reply: int, keeps_lead: bool) -> int:
    """Return a word without what was played of the suit, read for who has the lead now."""
    if is_led:
        word = _without(word, card)
    if is_other:
        word = _without(word, reply)
    return word if keeps_lead else word ^ ((1 << _length(word)) - 1)


@inlined
def _without(word: int, card: int) -> int:
    """Return a word without one card."""
    return (word >> (card + 1)) << card | (word & ((1 << card) - 1))


@inlined
def _packed(first: int, second: int, third: int, fourth: int, width: int) -> int:
    """Return words side by side, the largest first."""
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
def _unpacked(position: int, width: int) -> Words:
    """Return the words of a position."""
    low = (1 << width) - 1
    return (
        position >> (3 * width),
        position >> (2 * width) & low,
        position >> width & low,
        position & low,
    )


@kernel
def perfect_information_values(
    model: Tricks, solved: Solved, states: LongArray, player: int, values: FloatArray
) -> None:
    """Fill values [K, A] of each card to a player where all cards are seen; nan for no card."""
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
    """Make `after` the state after a card."""
    for place in range(STATE_SIZE):
        after[place] = state[place]
    after[CHOSEN] = card
    play_chosen(model, after)


@inlined
def _value(model: Tricks, solved: Solved, state: LongArray, player: int, then: LongArray) -> float:
    """Return what a player is sure of; in the middle of a trick, after the best reply."""
    if not state[LED]:
        return _value_between(model, solved, state, player)
    sign = 1.0 if state[PLAYER] == player else -1.0
    best = -1.0
    cards = legal_cards(model, state)
    while cards and best < 1.0:
        _play(model, state, cards & -cards, then)
        best = max(best, sign * _value_between(model, solved, then, player))
        cards &= cards - 1
    return sign * best


@inlined
def _value_between(model: Tricks, solved: Solved, state: LongArray, player: int) -> float:
    """Return what a player is sure of between tricks."""
    half = (model.num_tricks + 1) // 2
    more = half if model.tie > 0.0 else model.num_tricks // 2 + 1
    position = _position(model, solved, state)
    value = -1.0
    for need in (half, more):
        value += _can_reach(solved, position, state, player, need)
    return value


@inlined
def _can_reach(solved: Solved, position: int, state: LongArray, player: int, need: int) -> bool:
    """Return whether a player can have so many tricks in the end."""
    left = count(state[HANDS])
    missing = need - state[TRICKS + player]
    if state[PLAYER] == player:
        return is_sure(solved, position, missing, left)
    return not is_sure(solved, position, left - missing + 1, left)


@inlined
def _position(model: Tricks, solved: Solved, state: LongArray) -> int:
    """Return the number of a position between tricks."""
    leader = state[PLAYER]
    own, other = state[HANDS + leader], state[HANDS + 1 - leader]
    first = second = third = word = 1
    suit = model.suits[-1]
    for card in range(len(model.suits) - 1, -1, -1):
        if model.suits[card] != suit:
            suit = model.suits[card]
            first, second, third, word = second, third, word, 1
        if (own | other) >> card & 1:
            word = word << 1 | (own >> card & 1)
    return _packed(first, second, third, word, solved.width)
