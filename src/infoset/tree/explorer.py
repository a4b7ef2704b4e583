"""The loop that visits every world state of a game, and what it collects."""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice, product, repeat
from math import fsum, prod
from numbers import Rational, Real
from typing import Any, NamedTuple, TypeAlias

from infoset.errors import NO_WORLD, GameRuleError, pass_stops, show
from infoset.game import Game, Observation, Probability
from infoset.game.answer_checks import (
    Transition,
    check_form,
    check_legal_actions,
    check_observation,
    check_rewards,
)
from infoset.game.broken_rules import to_rule_error
from infoset.game.kinds import find_mixed_kinds, is_text_only, mixed_kinds_error
from infoset.game.outcome_lists import MAX_OUTCOMES, ended
from infoset.tree.build_watch import BuildWatch
from infoset.tree.world_samples import first_check, has_more_worlds
from infoset.typing import NOOP, Action, JointAction, Player, World
from infoset.utils.arguments import SUM_TOLERANCE

WORLDS_PER_REPORT = 256
TRANSITIONS_PER_REPORT = 4096
MAX_KEPT_JOINT_ACTIONS = 256
MAX_COMPARISONS = 1024
COMPARISON_STRIDE = 16
LISTS = (tuple, list, range)
"""The usual types of answers with several entries; others are looked at more closely."""

GARBAGE_THRESHOLD = 100_000
"""Number of new objects after which Python looks for cycles of garbage, during exploration."""

Row: TypeAlias = int
"""Number of a tuple in a dictionary of different tuples, the rows of an array."""


class Choices(NamedTuple):
    """The legal actions of all players at a world state, and the joint actions they make."""

    sets: Row
    """Row of the number of each player's list of legal actions; -1 for players who do not act."""
    has_actors: bool
    """Whether any player acts."""
    joint_actions: Iterable[tuple[JointAction, Row]]
    """Joint actions, each with the row of the index of each player's action in its list."""


class Explorer:
    """The graph during exploration: lists by world and by edge, and dictionaries of their entries.

    This is the only Python loop over a whole game, so it is written for speed. Equal lists of legal
    actions, rewards and observations are checked once: the lists hold the numbers of their rows.
    Only what would otherwise go unnoticed is checked here; any other wrong answer raises some
    exception, and `explore` then finds the broken rule.
    """

    def __init__(self, game: Game, watch: BuildWatch, *, samples: bool = False) -> None:
        self.game = game
        self.watch = watch
        # The number of world states at which `check_size` is called next.
        limit = watch.limits.max_worlds
        self.max_worlds = first_check(limit) if samples else limit
        self.max_transitions = watch.limits.max_transitions
        self.num_players = game.num_players
        self.players = frozenset(range(game.num_players))
        self.worlds: list[World] = []
        self.num_expanded = 0
        self.index: dict[World, int] = {}
        self.action_sets: dict[tuple[Action, ...], int] = {}
        self.action_labels: list[tuple[Action, ...]] = []
        self.observations: dict[Hashable, int] = {}
        # The first of equal lists of actions and of equal observations, to compare their types.
        # Those that consist of text only are left out.
        self.typed_action_sets: dict[int, tuple[Action, ...]] = {}
        self.typed_labels: dict[int, Hashable] = {}
        self.num_comparisons = 0
        # The last valid probability, and the nearest float; first an object that is not one.
        self.last_probability: tuple[object, float] = (self, 0.0)
        # The rows of the arrays: numbers of lists of actions, indices of actions, rewards, and the
        # numbers of the public and of each player's private observation.
        self.set_rows: dict[tuple[int, ...], Row] = {}
        self.joint_rows: dict[tuple[int, ...], Row] = {}
        self.reward_rows: dict[tuple[float, ...], Row] = {}
        self.observation_rows: dict[tuple[int, ...], Row] = {}
        # Answers that have occurred before: the choices by row of the lists of actions, and those
        # of a single actor with a list of text; the rows of observations of text only, by the
        # public part alone, by public part and tuple of private parts, and by public part followed
        # by the items of a dictionary of private parts.
        self.choices: dict[Row, Choices] = {}
        self.single_choices: dict[tuple[Player, tuple[Action, ...]], Choices] = {}
        self.public_rows: dict[Hashable, Row] = {}
        self.private_rows: dict[tuple[Hashable, tuple[Hashable, ...]], Row] = {}
        self.mapped_rows: dict[tuple[Hashable, ...], Row] = {}
        # `first_edge` [W + 1] and `sets` are per world, the others per edge.
        self.first_edge: list[int] = [0]
        self.sets: list[Row] = []
        self.joint_action: list[Row] = []
        self.probability: list[float] = []
        self.exact_probability: list[Probability] = []
        self.next_world: list[int] = []
        self.rewards: list[Row] = []
        self.observation: list[Row] = []

    @property
    def num_edges(self) -> int:
        """Number of transitions found so far."""
        return len(self.next_world)

    @property
    def world(self) -> World:
        """The world state that is being expanded; `NO_WORLD` if there is none."""
        place = self.num_expanded
        return self.worlds[place] if place < len(self.worlds) else NO_WORLD

    def explore(self) -> BaseException | None:
        """Expand all world states; raise `LimitReached` beyond a limit.

        An exception of the rules, or of this code because of a wrong answer, is not raised but
        explained by the slow checks of `check_game`, at this world state and within the limits.
        """
        try:
            self.world_index(self.game.initial_world())
            with _rare_garbage_collection():
                self.expand_worlds()
            self.check_probability_types()
        except MemoryError:
            raise
        except BaseException as error:
            pass_stops(error)
            return to_rule_error(error, self.game, self.world)
        return None

    def expand_worlds(self) -> None:
        """Append the edges of every world state in turn; raise `LimitReached` beyond a limit.

        The usual answers are handled here, without a call of a function for each edge, which would
        double the time; the methods below handle all others.
        """
        game, worlds, max_worlds = self.game, self.worlds, self.max_worlds
        actors_at, legal_actions = game.actors, game.legal_actions
        transitions, rewards_of, observe = game.transitions, game.rewards, game.observe
        find_world, find_choices = self.index.setdefault, self.single_choices.get
        find_rewards = self.reward_rows.get
        find_public, find_private = self.public_rows.get, self.private_rows.get
        find_mapped = self.mapped_rows.get
        exact, probabilities = self.exact_probability.append, self.probability.append
        joint_rows, next_worlds = self.joint_action.append, self.next_world.append
        reward_rows, observation_rows = self.rewards.append, self.observation.append
        nobody_acts = self.find_choices(NO_WORLD, ())
        choices: Choices | None
        row: Row | None
        targets: Iterable[int]
        for number, world in enumerate(worlds):  # new world states are appended meanwhile
            if number % WORLDS_PER_REPORT == 0:
                self.report()
            actors = actors_at(world)
            if type(actors) in LISTS and not actors:
                choices = nobody_acts
            elif type(actors) in LISTS and len(actors) == 1 and type(actors[0]) is int:
                answer = legal_actions(world, actors[0])
                kind = type(answer)  # not a range, which may be too long for a tuple
                is_list = kind is tuple or kind is list
                choices = find_choices((actors[0], tuple(answer))) if is_list else None
                if choices is None:
                    choices = self.find_choices(world, actors, [answer])
            else:
                choices = self.find_choices(world, actors)
            self.sets.append(choices.sets)
            for joint, joint_row in choices.joint_actions:
                outcomes: Any = transitions(world, joint)
                kind = type(outcomes)
                if (kind is list or kind is tuple) and len(outcomes) == 1 and outcomes[0][1] == 1:
                    # Most transitions are moves of players, which have one outcome.
                    next_world, probability = outcomes[0]
                    exact(probability)
                    probabilities(1.0)
                    target = find_world(next_world, len(worlds))
                    if target == len(worlds):
                        worlds.append(next_world)
                        if target >= max_worlds:
                            max_worlds = self.check_size()
                    elif worlds[target] is not next_world:
                        self.check_kinds("the next world", worlds[target], next_world)
                    targets = (target,)
                elif outcomes or choices.has_actors or kind not in LISTS:
                    targets = self.merged_outcomes(world, joint, outcomes, choices.has_actors)
                else:
                    continue
                for target in targets:
                    next_world = worlds[target]
                    joint_rows(joint_row)
                    next_worlds(target)
                    rewards = rewards_of(world, joint, next_world)
                    row = find_rewards(tuple(rewards)) if type(rewards) in LISTS else None
                    if row is None:
                        row = self.reward_row(rewards, Transition(world, joint, next_world))
                    reward_rows(row)
                    seen = observe(world, joint, next_world)
                    row, private = None, seen.private
                    if seen.shared:
                        pass  # rare
                    elif not private:
                        row = find_public(seen.public)
                    elif type(private) is tuple:
                        row = find_private((seen.public, private))
                    elif type(private) is dict:
                        row = find_mapped((seen.public, *private.items()))
                    if row is None:
                        row = self.observation_row(seen, Transition(world, joint, next_world))
                    observation_rows(row)
            self.first_edge.append(len(self.next_world))
            self.num_expanded = number + 1

    def report(self) -> None:
        """Report progress; raise `LimitReached` beyond a limit."""
        self.watch.report("world graph", len(self.worlds))
        if self.num_edges > self.max_transitions:
            self.watch.stop_at("transitions")

    def world_index(self, world: World) -> int:
        """Return the number of a world state; a new one gets the next number."""
        known = self.index.setdefault(world, len(self.worlds))
        if known == len(self.worlds):
            self.worlds.append(world)
            if known >= self.max_worlds:
                self.check_size()
        elif self.worlds[known] is not world:
            self.check_kinds("the next world", self.worlds[known], world)
        return known

    def check_size(self) -> int:
        """Return the limit on world states; raise `LimitReached` beyond it.

        At the first call, random plays from the world states found last may show that it will be
        exceeded.
        """
        limit = self.watch.limits.max_worlds
        is_first, self.max_worlds = self.max_worlds < limit, limit
        if len(self.worlds) > limit or (
            is_first and has_more_worlds(self.game, self.worlds[self.num_expanded :], limit)
        ):
            self.watch.stop_at("worlds")
        return limit

    def check_kinds(self, what: str, first: Hashable, second: Hashable) -> None:
        """Raise if two equal values have different types, such as 1 and True.

        A mixture repeats, so that in a large game some of the comparisons are enough to find it.
        """
        self.num_comparisons += 1
        if self.num_comparisons > MAX_COMPARISONS and self.num_comparisons % COMPARISON_STRIDE:
            return
        mixed = find_mixed_kinds(first, second)
        if mixed is not None:
            raise mixed_kinds_error(what, second, mixed, self.world)

    def find_choices(self, world: World, actors: Any, answers: Iterable[Any] = ()) -> Choices:
        """Return the choices at a world state.

        `answers` are the legal actions of the actors, as far as they are known.
        """
        if type(actors) not in LISTS:
            check_form("actors", actors, world)
        sets = [-1] * self.num_players
        for player, answer in zip(actors, chain(answers, repeat(None)), strict=False):
            # `True` would count as player 1, and a player listed twice as one listed once.
            if type(player) is bool or not 0 <= player < self.num_players or sets[player] >= 0:
                raise GameRuleError(
                    f"actors are distinct players, from 0 to {self.num_players - 1}",
                    found=f"actors are {actors}",
                    world=world,
                )
            if answer is None:
                answer = self.game.legal_actions(world, player)
            sets[player] = self.action_set(answer, world, player)
        row = row_number(self.set_rows, tuple(sets))
        choices = self.choices.get(row)
        if choices is None:
            choices = self.new_choices(row, sets)
        return choices

    def new_choices(self, row: Row, sets: list[int]) -> Choices:
        """Return choices that have not occurred before, or that have too many joint actions."""
        labels = self.action_labels
        legal = [labels[chosen] if chosen >= 0 else (NOOP,) for chosen in sets]
        indices = [range(len(labels[chosen])) if chosen >= 0 else (-1,) for chosen in sets]
        rows = (row_number(self.joint_rows, index) for index in product(*indices))
        joint_actions = zip(product(*legal), rows, strict=True)
        acting = [player for player, chosen in enumerate(sets) if chosen >= 0]
        number = prod(map(len, legal))
        if number > MAX_KEPT_JOINT_ACTIONS:
            if self.num_edges + number > self.max_transitions:
                self.watch.stop_at("transitions")
            return Choices(row, bool(acting), joint_actions)
        choices = self.choices[row] = Choices(row, bool(acting), list(joint_actions))
        if len(acting) == 1 and sets[acting[0]] not in self.typed_action_sets:
            self.single_choices[acting[0], legal[acting[0]]] = choices
        return choices

    def action_set(self, answer: Any, world: World, player: Player) -> int:
        """Return the number of a list of legal actions."""
        if type(answer) not in LISTS:
            check_form("legal_actions", answer, world, player)
        if len(answer) > self.max_transitions:
            self.watch.stop_at("transitions")
        actions = tuple(answer)
        known = self.action_sets.get(actions)
        if known is not None:
            first = self.typed_action_sets.get(known, actions)
            if first is not actions:
                self.check_kinds("the tuple of legal actions", first, actions)
            return known
        check_legal_actions(actions, world, player)
        known = self.action_sets[actions] = len(self.action_sets)
        self.action_labels.append(actions)
        if not is_text_only(actions):
            self.typed_action_sets[known] = actions
        return known

    def merged_outcomes(
        self,
        world: World,
        joint: JointAction,
        outcomes: Iterable[tuple[World, Probability]],
        must_move: bool,
    ) -> Iterable[int]:
        """Append the probabilities of the outcomes of a joint action; return its next worlds."""
        if type(outcomes) not in LISTS:
            check_form("transitions", outcomes, world, joint)
        merged: dict[int, Probability] = {}
        rounded: dict[int, float] = {}
        valid, weight = self.last_probability
        count = 0
        listed = ended(outcomes, world, joint, max(MAX_OUTCOMES, self.max_transitions))
        for count, (next_world, probability) in enumerate(listed, 1):
            if count % TRANSITIONS_PER_REPORT == 0:
                self.watch.report("world graph", len(self.worlds))
            # Comparing and rounding fractions is slow, and many outcomes often share one object.
            if probability is not valid:
                if not probability > 0:
                    if probability != 0:
                        raise GameRuleError(
                            "a probability is a finite, nonnegative number",
                            found=f"a probability of {joint} is {probability!r}",
                            world=world,
                        )
                    continue
                valid, weight = probability, float(probability)
            target = self.world_index(next_world)
            if target in merged:
                merged[target] = merged[target] + probability
                rounded[target] = float(merged[target])
            else:
                merged[target], rounded[target] = probability, weight
        self.last_probability = valid, weight
        weights = rounded.values()
        # Adding fractions is slow: they are added only if their rounded sum is not 1.
        if (count or must_move) and fsum(weights) != 1:
            _check_sum(sum(merged.values()), world, joint)
        if self.num_edges + len(merged) > self.max_transitions:
            self.watch.stop_at("transitions")
        self.exact_probability += merged.values()
        self.probability += weights
        return merged

    def reward_row(self, answer: Any, transition: Transition) -> Row:
        """Return the row of the rewards of a transition; raise if they are not valid."""
        if type(answer) not in LISTS:
            check_form("rewards", answer, *transition)
        rewards = tuple(answer)
        if rewards not in self.reward_rows:
            check_rewards(rewards, transition, self.num_players)
        return row_number(self.reward_rows, rewards)

    def observation_row(self, seen: Observation, transition: Transition) -> Row:
        """Return the row of an observation; raise if it has new parts that are not valid."""
        numbers = self.observations
        known = len(numbers)
        labels = (seen.public, *seen.seen_by_each(self.num_players))
        found = tuple([numbers.setdefault(label, len(numbers)) for label in labels])
        # A private part for somebody who does not play is nobody's label, and would go unnoticed.
        is_stray = type(seen.private) is dict and not seen.private.keys() <= self.players
        if is_stray or len(numbers) > known:
            self.check_new_labels(seen, transition, known)
        row = row_number(self.observation_rows, found)
        typed = self.typed_labels
        if typed and not typed.keys().isdisjoint(found):
            for number, label in zip(found, labels, strict=True):
                if number in typed:
                    self.check_kinds("the observation", typed[number], label)
        elif not seen.shared:
            # Everything that equals this observation is of the same type.
            if not seen.private:
                self.public_rows[seen.public] = row
            elif type(seen.private) is tuple:
                self.private_rows[seen.public, seen.private] = row
            elif type(seen.private) is dict:
                self.mapped_rows[seen.public, *seen.private.items()] = row
        return row

    def check_new_labels(self, seen: Observation, transition: Transition, known: int) -> None:
        """Check an observation that has parts which are new, with numbers from `known` on."""
        check_observation(seen, transition, self.num_players)
        new = len(self.observations) - known
        for label, number in islice(reversed(self.observations.items()), new):
            if not is_text_only(label):
                self.typed_labels[number] = label

    def check_probability_types(self) -> None:
        """Raise if a probability is not a real number, such as an array or a `Decimal` equal to 1.

        Each type is looked at once, after the exploration, since almost all are the same.
        """
        kinds = {*map(type, self.exact_probability)}
        wrong = {kind for kind in kinds if not issubclass(kind, Real)}
        if wrong:
            edge = next(i for i, value in enumerate(self.exact_probability) if type(value) in wrong)
            # This world state is looked at again, by the slow checks, to explain the error.
            self.num_expanded = bisect_right(self.first_edge, edge) - 1
            raise GameRuleError(
                "a probability is a finite, nonnegative number",
                found=f"a probability is {show(self.exact_probability[edge])}",
                world=self.world,
            )


def row_number(rows: dict[Any, Row], values: tuple[Any, ...]) -> Row:
    """Return the number of a tuple; a new one gets the next number."""
    return rows.setdefault(values, len(rows))


@contextmanager
def _rare_garbage_collection() -> Iterator[None]:
    """Let Python look for cycles of garbage less often, in a `with` block.

    World states are many objects that stay; looking through them takes a tenth of the time.
    """
    before = gc.get_threshold()
    if before[0] == 0 or not gc.isenabled():
        yield
        return
    gc.set_threshold(max(before[0], GARBAGE_THRESHOLD), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _check_sum(total: Any, world: World, joint_action: JointAction) -> None:
    """Raise unless a sum of probabilities is 1; fractions are not rounded."""
    tolerance: float = 0 if isinstance(total, Rational) else SUM_TOLERANCE
    if not abs(total - 1) <= tolerance:
        raise GameRuleError(
            "the transition probabilities of a joint action are nonnegative and sum to 1",
            found=f"the probabilities of {joint_action} sum to {total}",
            world=world,
        )
