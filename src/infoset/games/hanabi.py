"""Hanabi, for two to five players who see all hands except their own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from infoset.game import (
    Game,
    History,
    Infostate,
    Observation,
    Probability,
    PublicState,
    Step,
    initial_history,
)
from infoset.game.observation import SharedView
from infoset.games.cards import deals, sample_cards, sample_others, with_entry
from infoset.games.hanabi_cards import Announcement, SeenCards, read_announcement
from infoset.games.parameters import check_parameters, choice, flag, integer, parameter_error
from infoset.typing import NOOP, FloatArray, JointAction, Player

COLORS = "RYGWB"
RANKS = "12345"

Hands: TypeAlias = tuple[tuple[str, ...], ...]


class Table(NamedTuple):
    """The hands by player (empty before the deal), and the rest of the world state.

    `deck` contains the remaining cards, sorted; `fireworks` the height of each color's firework;
    `information` and `lives` the numbers of remaining tokens. `turns` counts down once the deck is
    empty.
    """

    hands: Hands = ()
    deck: tuple[str, ...] = ()
    fireworks: tuple[int, ...] = ()
    information: int = 0
    lives: int = 0
    player: Player = 0
    turns: int = 0


class Moves(NamedTuple):
    """What everybody observed of a play: the starting player, and the action of each turn."""

    beginner: Player
    actions: Sequence[str]


@dataclass(frozen=True)
class Hanabi(Game):
    """Hanabi: build fireworks together, using cards that only the other players see.

    Each card has a color and a rank. Each color has three cards of rank 1, one of the highest rank,
    and two of each rank in between. Every player sees all hands except its own. In a turn, a player
    plays a card, discards a card, or spends an information token on a hint. A hint names another
    player and a color or rank, and points out all cards of that color or rank in that player's
    hand. A played card is added to the firework of its color if it has the next rank; any other
    played card costs a life. A finished firework returns an information token. So does a discard,
    which is legal unless all tokens are available. Played and discarded cards are public and are
    replaced from the deck; the rest of the hand moves up, and the new card comes last. The game
    ends when all fireworks are finished, when no life is left, or when every player has had one
    more turn after the deck ran out. Each card added to a firework pays 1 to every player; when the
    last life is lost, all these rewards are taken back.

    Parameters
    ----------
    players
        Number of players.
    colors
        Number of colors.
    ranks
        Number of ranks.
    hand_size
        Number of cards in a hand; -1 for 5, or 4 with four players or more.
    max_information_tokens
        Number of information tokens, all available at the start.
    max_life_tokens
        Number of lives.
    seed
        Has no effect. In OpenSpiel it seeds the draw of the starting player, which is a chance move
        here.
    random_start_player
        Whether the starting player is drawn at random; otherwise player 0 begins.
    observation_type
        `card_knowledge` and `minimal` have the same effect here, because players remember hints.
        With `seer`, players also see their own cards.

    Notes
    -----
    A card is a shared observation of all players except its holder (Kovařík et al. 2022, footnote
    11). The default game is far too large to build; a game such as
    `hanabi(colors=1,ranks=2,hand_size=1)` can be built.

    Source: N. Bard et al., "The Hanabi challenge", Artificial Intelligence 280 (2020). Same game as
    OpenSpiel's, except that the first hands are dealt in one step and a replacement card is drawn
    in the same step as the move.

    Examples
    --------
    >>> from infoset.games import Hanabi
    >>> Hanabi(colors=2, ranks=3).full_deck
    ('R1', 'R1', 'R1', 'R2', 'R2', 'R3', 'Y1', 'Y1', 'Y1', 'Y2', 'Y2', 'Y3')
    """

    name: ClassVar[str] = "hanabi"
    public_actions = True

    players: int = integer(2, low=2, high=5)
    colors: int = integer(5, low=1, high=len(COLORS))
    ranks: int = integer(5, low=1, high=len(RANKS))
    hand_size: int = integer(-1, low=1, special=-1)
    max_information_tokens: int = integer(8, low=0)
    max_life_tokens: int = integer(3, low=1)
    seed: int = integer(-1, low=0, special=-1)
    random_start_player: bool = flag(False)
    observation_type: str = choice("card_knowledge", "minimal", "seer")
    num_players: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_parameters(self)
        object.__setattr__(self, "num_players", self.players)
        cards = len(self.full_deck)
        if self.players > cards:
            rule = f"must be at most {cards}, the number of cards in the deck"
            raise parameter_error(self, "players", rule, cards)
        largest = cards // self.players
        if self._cards_in_hand > largest:
            rule = f"must be at most {largest}, since the deck has {cards} cards"
            raise parameter_error(self, "hand_size", rule, largest)

    @cached_property
    def full_deck(self) -> tuple[str, ...]:
        """All cards, each written as color and rank."""
        ranks = RANKS[: self.ranks]
        copies = dict.fromkeys(ranks, 2) | {ranks[-1]: 1} | {ranks[0]: 3}
        return tuple(
            color + rank
            for color in COLORS[: self.colors]
            for rank in ranks
            for _ in range(copies[rank])
        )

    @cached_property
    def _cards_in_hand(self) -> int:
        if self.hand_size != -1:
            return self.hand_size
        return 5 if self.players < 4 else 4

    def initial_world(self) -> Table:
        """Return the table before the deal."""
        return Table()

    def actors(self, world: Table) -> Sequence[Player]:
        """Return whose turn it is."""
        return () if not world.hands or self._is_over(world) else (world.player,)

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return the discards, plays and hints; color hints come before rank hints."""
        positions = range(len(world.hands[player]))
        moves = []
        if world.information < self.max_information_tokens:
            moves += [f"discard {position}" for position in positions]
        moves += [f"play {position}" for position in positions]
        if world.information:
            moves += self._hints(world, COLORS[: self.colors])
            moves += self._hints(world, RANKS[: self.ranks])
        return moves

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the deals, or the table after a move and the draw that replaces a card."""
        if not world.hands:
            return self._deals()
        if self._is_over(world):
            return []
        after = self._after(world, joint_action)
        if not self._has_to_draw(after, world.player):
            return [(after, 1)]
        return ((with_card(after, world.player, card), p) for card, p in deals(after.deck, 1))

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from 0 to the number of cards on complete fireworks."""
        return (0, self.colors * self.ranks)

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return the change of the score, which becomes 0 when the last life is lost."""
        return (score(next_world) - score(world),) * self.players

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show the move to everybody, and each new card to all players except its holder."""
        if not world.hands:
            begins = self._starting_text(next_world.player)
            return self._showing(begins, dict(enumerate(next_world.hands)))
        news = f"{joint_action[world.player]}: {self._news(world, joint_action)}"
        if next_world.deck == world.deck:
            return self._showing(news, {})
        return self._showing(news, {world.player: next_world.hands[world.player][-1:]})

    def sample_transition(
        self, world: Table, joint_action: JointAction, rng: np.random.Generator
    ) -> Table:
        """Deal the cards, or make the move and draw a replacement card."""
        if not world.hands:
            cards = sample_cards(self.full_deck, self.players * self._cards_in_hand, rng)
            beginner = int(rng.integers(self.players)) if self.random_start_player else 0
            return self._dealt(cards, beginner)
        after = self._after(world, joint_action)
        if not self._has_to_draw(after, world.player):
            return after
        return with_card(after, world.player, sample_cards(after.deck, 1, rng))

    def sample_observed_transition(
        self,
        world: Table,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[Table, float] | None:
        """Deal the cards that the player does not observe, namely its own."""
        news, hands = self._seen(step)
        begins = self._starting_texts
        if world.hands or news not in begins:
            return None
        size = self.players * self._cards_in_hand
        found = sample_others(self.full_deck, size, self._places(hands), rng)
        # 1 if the starting player is fixed, since the text is then None for all players.
        share = begins.count(news) / self.players
        return found and (self._dealt(found[0], begins.index(news)), share * found[1])

    def sample_histories_as_seen(
        self,
        information: Infostate | PublicState,
        num_histories: int,
        rng: np.random.Generator,
    ) -> tuple[Sequence[History], FloatArray] | None:
        """Draw the cards that a player, or the public, has not seen, given all that it observed."""
        read = self._read(information)
        if read is None:
            return None
        moves, seen = read
        share = self._starting_texts.count(self._starting_text(moves.beginner)) / self.players
        histories, weights = [], []
        for cards, weight in seen.draws(num_histories, rng):
            history = self._replayed(cards, moves)
            if information not in (history.public_state, *history.infostates):
                return None  # it is impossible
            histories.append(history)
            weights.append(weight * share)
        return histories, np.array(weights)

    @property
    def _starting_texts(self) -> list[str | None]:
        """The public text that announces each player as the starting player."""
        return [self._starting_text(player) for player in range(self.players)]

    def _starting_text(self, beginner: Player) -> str | None:
        """Return the public text that announces the starting player."""
        return f"player {beginner} begins" if self.random_start_player else None

    def _seen(self, step: Step) -> tuple[Hashable, dict[Player, Hashable]]:
        """Return the public text of a step, and the cards that it shows.

        In a deal, they come with their holders. In later steps, there is at most one new card.
        """
        if self.observation_type != "seer":
            return step.public, self._shown(step.private)
        parts = step.public if isinstance(step.public, tuple) else ()
        return (parts or (None,))[0], dict(enumerate(parts[1:]))

    def _shown(self, seen: Hashable) -> dict[Player, Hashable]:
        """Return the hands that a player observes in a deal, by holder."""
        groups = seen.groups if isinstance(seen, SharedView) else ()
        others = {
            tuple(p for p in range(self.players) if p != holder): holder for holder in range(5)
        }
        return {others[group]: cards for group, cards in groups if group in others}

    def _places(self, hands: Mapping[Player, Hashable]) -> dict[int, str]:
        """Return the cards of the given hands by their positions in the deal."""
        return {
            holder * self._cards_in_hand + at: card
            for holder, cards in hands.items()
            if isinstance(cards, tuple) and len(cards) == self._cards_in_hand
            for at, card in enumerate(cards)
        }

    def _deals(self) -> Iterator[tuple[Table, Probability]]:
        beginners = range(self.players if self.random_start_player else 1)
        for cards, chance in deals(self.full_deck, self.players * self._cards_in_hand):
            for beginner in beginners:
                yield self._dealt(cards, beginner), chance / len(beginners)

    def _dealt(self, cards: tuple[str, ...], beginner: Player) -> Table:
        """Return the table after the deal of `cards`, hand by hand."""
        return self._first_table(cards, without(self.full_deck, cards), beginner)

    def _first_table(
        self, cards: tuple[str, ...], deck: tuple[str, ...], beginner: Player
    ) -> Table:
        size = self._cards_in_hand
        return Table(
            hands=tuple(
                cards[holder * size : (holder + 1) * size] for holder in range(self.players)
            ),
            deck=deck,
            fireworks=(0,) * self.colors,
            information=self.max_information_tokens,
            lives=self.max_life_tokens,
            player=beginner,
            turns=self.players,
        )

    def _read(self, information: Infostate | PublicState) -> tuple[Moves, SeenCards] | None:
        """Return the moves, and the kinds of each card that agree; None if it is impossible."""
        seen = [self._seen(step) for step in steps_of(information)]
        begins = self._starting_texts
        if not seen or seen[0][0] not in begins:
            return None
        beginner, actions = begins.index(seen[0][0]), []
        reader = _CardReader(self, self._places(seen[0][1]), beginner)
        for text, shown in seen[1:]:
            said = read_announcement(text)
            if said is None or not reader.read(said, next(iter(shown.values()), None)):
                return None
            actions.append(said.action)
        return Moves(beginner, actions), SeenCards(self.full_deck, reader.kinds)

    def _replayed(self, cards: Sequence[str], moves: Moves) -> History:
        """Return the history of some moves, given all cards that are dealt, in order."""
        size = self.players * self._cards_in_hand
        history = initial_history(self)
        world = self._dealt(tuple(cards[:size]), moves.beginner)
        history = history.extend((NOOP,) * self.players, world)
        drawn = iter(cards[size:])
        for action in moves.actions:
            joint_action = joint(self, world.player, action)
            after = self._after(world, joint_action)
            if self._has_to_draw(after, world.player):
                after = with_card(after, world.player, (next(drawn),))
            history, world = history.extend(joint_action, after), after
        return history

    def _hints(self, world: Table, marks: str) -> list[str]:
        """Return the hints about `marks` (colors or ranks), starting with the next player."""
        others = [(world.player + offset) % self.players for offset in range(1, self.players)]
        return [
            f"tell {other} {mark}"
            for other in others
            for mark in marks
            if any(mark in card for card in world.hands[other])
        ]

    def _after(self, world: Table, joint_action: JointAction) -> Table:
        """Return the table after a move, before the draw."""
        verb, position = str(joint_action[world.player]).split()[:2]
        # Once the deck is empty, every player has one more turn.
        turns = world.turns if world.deck else world.turns - 1
        after = world._replace(player=(world.player + 1) % self.players, turns=turns)
        if verb == "tell":
            return after._replace(information=world.information - 1)
        hand, place = world.hands[world.player], int(position)
        rest = hand[:place] + hand[place + 1 :]
        after = after._replace(hands=with_entry(world.hands, world.player, rest))
        if verb == "discard":
            return after._replace(information=world.information + 1)
        return self._played(after, hand[place])

    def _played(self, world: Table, card: str) -> Table:
        """Return the table after a card is added to its firework or costs a life."""
        color, height = COLORS.index(card[0]), int(card[1])
        if height != world.fireworks[color] + 1:
            return world._replace(lives=world.lives - 1)
        token = height == self.ranks and world.information < self.max_information_tokens
        fireworks = with_entry(world.fireworks, color, height)
        return world._replace(fireworks=fireworks, information=world.information + token)

    def _has_to_draw(self, world: Table, player: Player) -> bool:
        """Whether `player` draws a card to replace the one played or discarded."""
        is_short = len(world.hands[player]) < self._cards_in_hand
        return is_short and bool(world.deck) and not self._is_over(world)

    def _is_over(self, world: Table) -> bool:
        is_finished = sum(world.fireworks) == self.colors * self.ranks
        return is_finished or not world.lives or not world.turns

    def _news(self, world: Table, joint_action: JointAction) -> str:
        """Return the card played or discarded, or the positions of the cards that a hint names."""
        verb, place, *mark = str(joint_action[world.player]).split()
        if verb != "tell":
            return world.hands[world.player][int(place)]
        cards = enumerate(world.hands[int(place)])
        return " ".join(str(position) for position, card in cards if mark[0] in card)

    def _showing(self, news: Hashable, cards: Mapping[Player, tuple[str, ...]]) -> Observation:
        """Show `news` to everybody, and the new cards of a player to all others."""
        if self.observation_type == "seer":
            return Observation(public=(news, *cards.values()))
        everybody = range(self.players)
        shared = {tuple(p for p in everybody if p != holder): cards[holder] for holder in cards}
        return Observation(public=news, shared=shared)


class _CardReader:
    """Follows a play as an observer sees it, and narrows down the kinds of each dealt card.

    In the hands of its world state, a card is represented by its number in the order of the deal.

    Parameters
    ----------
    shown
        The cards of the deal that the observer sees, by number.
    """

    def __init__(self, game: Hanabi, shown: Mapping[int, str], beginner: Player) -> None:
        self._game = game
        self._every = frozenset(game.full_deck)
        size = game.players * game._cards_in_hand
        numbers = tuple(map(str, range(size)))
        self._world = game._first_table(numbers, game.full_deck[size:], beginner)
        self.kinds = [self._every] * size
        for number, card in shown.items():
            self.kinds[number] &= {card}

    def read(self, said: Announcement, drawn: Hashable) -> bool:
        """Follow a move and the draw after it; return whether they are possible.

        drawn : the new card, in a tuple; something else if the observer does not see one.
        """
        if not all(self.kinds) or self._game._is_over(self._world):
            return False
        is_possible = self._reveal(said) if said.player is None else self._hint(said, said.player)
        if is_possible:
            self._move(said.action, drawn)
        return is_possible

    def _reveal(self, said: Announcement) -> bool:
        """Note the card that is played or discarded."""
        world, (place,) = self._world, said.places
        if said.action not in self._game.legal_actions(world, world.player):
            return False
        hand = world.hands[world.player]
        self.kinds[int(hand[place])] &= {said.mark}
        hands = with_entry(world.hands, world.player, with_entry(hand, place, said.mark))
        self._world = world._replace(hands=hands)
        return bool(self.kinds[int(hand[place])])

    def _hint(self, said: Announcement, holder: Player) -> bool:
        """Note which cards of a hand have the color or rank of a hint."""
        world = self._world
        if not world.information or holder == world.player or holder >= self._game.players:
            return False
        matching = frozenset(card for card in self._every if said.mark in card)
        for place, number in enumerate(world.hands[holder]):
            is_matching = place in said.places
            self.kinds[int(number)] &= matching if is_matching else self._every - matching
        return all(self.kinds)

    def _move(self, action: str, drawn: Hashable) -> None:
        """Make a move, and note the new card."""
        game, player = self._game, self._world.player
        world = game._after(self._world, joint(game, player, action))
        if game._has_to_draw(world, player):
            hand = (*world.hands[player], str(len(self.kinds)))
            hands = with_entry(world.hands, player, hand)
            world = world._replace(hands=hands, deck=world.deck[1:])
            self.kinds.append(self._every & {*drawn} if isinstance(drawn, tuple) else self._every)
        self._world = world


def joint(game: Hanabi, player: Player, action: str) -> JointAction:
    """Return the joint action of the only player who acts."""
    return with_entry((NOOP,) * game.players, player, action)


def steps_of(information: Infostate | PublicState) -> Sequence[Step]:
    """Return the observation of each transition."""
    if isinstance(information, Infostate):
        return information.steps
    return [Step(NOOP, None, public) for public in information.observations]


def score(world: Table) -> int:
    """Return the number of cards on the fireworks; 0 if no life is left."""
    return sum(world.fireworks) if world.lives else 0


def with_card(world: Table, player: Player, drawn: tuple[str, ...]) -> Table:
    """Return the table after `player` drew a card."""
    hands = with_entry(world.hands, player, world.hands[player] + drawn)
    return world._replace(hands=hands, deck=without(world.deck, drawn))


def without(deck: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    """Return a deck without some of its cards."""
    rest = list(deck)
    for card in cards:
        rest.remove(card)
    return tuple(rest)
