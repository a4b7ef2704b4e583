"""Check that a game follows the rules of a factored-observation stochastic game."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import NamedTuple

import numpy as np

from infoset.errors import NO_WORLD, CyclicGameError, GameRuleError, LimitReached, pass_stops
from infoset.game._hook_checks import HookChecks
from infoset.game._sampling_checks import (
    check_observed_sampling,
    check_sampling,
    overrides_sampling,
)
from infoset.game._state_tables import InfostateNumbers, PublicStateNumbers
from infoset.game._whole_game import Spread, WholeGame
from infoset.game._world_checks import Edge, Effort, LegalActions, WorldFacts, WorldRules
from infoset.game.answer_checks import check_in_range, checked_range
from infoset.game.broken_rules import check_num_players, to_rule_error
from infoset.game.kinds import KindTable
from infoset.game.player_names import own_names
from infoset.game.protocol import Game
from infoset.game.remarks import Remark, find_remarks
from infoset.typing import World
from infoset.utils.arguments import check_count, check_number, check_type
from infoset.utils.watchdog import Watchdog

EFFORT_PER_HISTORY = 4000
"""Items listed by the game's methods, per allowed history; a call counts as twenty of them."""

EDGES_PER_HISTORY = 5
"""Maximum number of transitions in the search over world states, per allowed history."""

SMALLEST_SHARE = 0.0005
"""Smallest coverage that a report shows as a number."""


@dataclass(frozen=True)
class CheckReport:
    """The part of a game that `check_game` checked without finding a rule violation."""

    game: str
    num_worlds: int
    """Number of world states checked."""
    num_histories: int
    """Number of histories checked, in breadth-first order from the initial history."""
    is_complete: bool
    """Whether all histories of the game were checked."""
    coverage: float
    """Probability that a play by uniformly random players visits only checked histories from
    beginning to end; 1 if the check is complete."""
    num_plays: int = 0
    """Number of uniformly random plays checked in addition, if the check is not complete."""
    num_samples: int = 0
    """Number of draws compared with `transitions`; 0 unless the game defines `sample_transition`.
    """
    is_out_of_time: bool = False
    """Whether `max_seconds` ended the check."""
    remarks: tuple[Remark, ...] = ()
    """Suspicious features that break no rule; empty if the check is incomplete."""

    def __str__(self) -> str:
        """Return the report as text, with a line for each remark."""
        every = "all " if self.is_complete else ""
        lines = [
            f"{self.game}: no rule violations found",
            f"  checked {every}{self.num_histories:,} histories, "
            f"through {self.num_worlds:,} world states",
        ]
        if not self.is_complete:
            lines[1] += f", and {self.num_plays:,} random plays"
            lines.append(f"  {self._incomplete_text()}")
            if not (self.num_plays or self.coverage or self.is_out_of_time):
                lines.append("  no play reached a terminal world state: does the game end?")
        if self.num_samples:
            lines.append(f"  compared {self.num_samples:,} draws of sample_transition")
        lines += [f"  remark: {remark}" for remark in self.remarks]
        return "\n".join(lines)

    def _incomplete_text(self) -> str:
        """Return the coverage of an incomplete check, and how to check more."""
        share = (
            "a random play almost always leaves the checked ones"
            if self.coverage < SMALLEST_SHARE
            else f"a random play stays among the checked ones with probability {self.coverage:.3g}"
        )
        more = 10 * self.num_histories
        fix = (
            "max_seconds (--seconds) ended the check; increase it"
            if self.is_out_of_time
            else f"check more with max_histories={more} (--max-histories {more})"
        )
        return f"incomplete: the game has more histories, and {share}; {fix}"


def check_game(
    game: Game,
    *,
    max_histories: int = 10_000,
    max_samples: int = 20_000,
    seed: int = 0,
    max_seconds: float | None = None,
) -> CheckReport:
    """Check that a game follows every rule of a factored-observation stochastic game.

    The check first visits world states breadth first and calls every method twice at each. Then it
    visits histories, to compare what players can distinguish. Both searches stop at
    `max_histories`; if they do not cover the whole game, random plays reach deeper. They also stop
    after a fixed number of calls and listed items, because a single world state can have very many
    of them. The page "Checks and what their failures mean" of the documentation lists the rules,
    and the remarks that a complete check makes about games that break none.

    Parameters
    ----------
    max_histories
        Limit on the number of histories, of world states, and of steps of the random plays.
    max_samples
        Limit on the number of draws from `sample_transition`, if the game defines it.
    seed
        Seed of the random plays and draws.
    max_seconds
        Time limit, which also holds inside the methods of the game; by default there is none.

    Returns
    -------
    CheckReport
        What was checked, and what part of the game it covers.

    Raises
    ------
    GameRuleError
        At the first rule violation. The error names the rule, the world state and the player.
    CyclicGameError
        If a world state can be reached from itself.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> print(check_game(load_game("matrix_pd")))
    matrix_pd: no rule violations found
      checked all 5 histories, through 2 world states
    """
    check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
    check_count("max_histories", max_histories, minimum=1)
    if max_seconds is not None:
        check_number("max_seconds", max_seconds)
    walk = _Walk(game, max_histories)
    check = partial(_check, walk, max_samples, seed)
    watch = None if max_seconds is None else Watchdog(max_seconds)
    try:
        check() if watch is None else watch.run(check)
    except LimitReached:
        if watch is None or watch.reached is None:  # the limit of a watchdog around this one
            raise
        walk.is_complete, walk.is_out_of_time = False, True
    except GameRuleError:
        raise
    except BaseException as error:
        pass_stops(error)
        # Code of the user that is called indirectly, such as __eq__ in a dictionary.
        broken = to_rule_error(error, game, walk.world)
        raise broken from broken.__cause__
    return CheckReport(
        game=str(game),
        num_worlds=len(walk.facts),
        num_histories=walk.num_histories,
        is_complete=walk.is_complete,
        coverage=1.0 if walk.is_complete else walk.coverage,
        num_plays=walk.num_plays,
        num_samples=walk.num_samples,
        is_out_of_time=walk.is_out_of_time,
        remarks=walk.remarks if walk.is_complete else (),
    )


def _check(walk: _Walk, max_samples: int, seed: int) -> None:
    """Make all checks, and count them in `walk`."""
    walk.begin()
    walk.visit_worlds()
    # Before histories: those of a cyclic game never end.
    _check_acyclic(walk.root, walk.facts)
    walk.visit_histories()
    if not walk.is_complete:
        walk.visit_plays(np.random.default_rng(seed))
        _check_acyclic(walk.root, walk.facts)
    if overrides_sampling(walk.rules.game):
        walk.num_samples = check_sampling(walk.rules, walk.facts, max_samples, seed)
        check_observed_sampling(walk.rules, walk.facts, max_samples, seed)
    hooks = HookChecks(walk.rules.game, walk.rules.num_players, walk.root, walk.facts_of)
    hooks.check(walk.limit, np.random.default_rng(seed))
    if walk.is_complete:
        walk.remark()


class _Node(NamedTuple):
    """A history: its world, infostates, public state and rewards, and its random-play reach."""

    world: World
    infostates: tuple[int, ...]
    public_state: int
    reach: float
    rewards_so_far: tuple[float, ...]


class _Kinds(NamedTuple):
    """The world states, actions and observations seen so far, with their types."""

    worlds: KindTable
    actions: KindTable
    observations: KindTable

    def check(self, world: World, facts: WorldFacts) -> None:
        """Raise if a value at a world state equals an earlier one of another type."""
        for legal in facts.legal:
            self.actions.check("the tuple of legal actions", legal, world)
        for edge in facts.edges:
            self.worlds.check("the next world", edge.next_world, world)
            self.observations.check("the observation", edge.steps[0].public, world)
            for step in edge.steps:
                self.observations.check("the observation", step.private, world)


class _Walk:
    """The walk over a game: facts by world state, legal actions by infostate."""

    def __init__(self, game: Game, limit: int) -> None:
        self.effort = Effort(EFFORT_PER_HISTORY * limit)
        self.rules = WorldRules(game, check_num_players(game), limit, self.effort)
        self.limit = limit
        self.root: World = None
        self.world: World = NO_WORLD
        self.kinds = _Kinds(KindTable(), KindTable(), KindTable())
        self.legal: dict[World, LegalActions] = {}
        self.facts: dict[World, WorldFacts] = {}
        self.infostates = InfostateNumbers(self.rules.num_players)
        self.public_states = PublicStateNumbers(game.public_actions)
        self.num_histories = 0
        self.num_plays = 0
        self.num_samples = 0
        self.coverage = 0.0
        self.is_complete = True
        self.is_out_of_time = False
        self.utilities: set[tuple[float, ...]] = set()
        self.remarks: tuple[Remark, ...] = ()

    def begin(self) -> None:
        """Find the initial world state, and check the parts that do not depend on one."""
        own_names(self.rules.game)
        checked_range(self.rules.game)
        self.root = self.world = self.rules.initial_world()
        self.kinds.worlds.check("the initial world state", self.root, self.root)

    def facts_of(self, world: World) -> WorldFacts:
        """Return the legal actions and transitions at a world state, cached."""
        if world not in self.facts:
            self.world = world
            facts = self.rules.facts(world, self.legal_at(world))
            self.kinds.check(world, facts)
            self.facts[world] = facts
        return self.facts[world]

    def legal_at(self, world: World) -> LegalActions:
        """Return the legal actions at a world state, cached."""
        if world not in self.legal:
            self.legal[world] = self.rules.legal(world)
        return self.legal[world]

    def visit_worlds(self) -> None:
        """Check world states, breadth first."""
        queue, found, num_edges = deque([self.root]), {self.root}, 0
        while queue and num_edges < EDGES_PER_HISTORY * self.limit and not self.effort.is_used_up:
            edges = self.facts_of(queue.popleft()).edges
            num_edges += len(edges)
            for edge in edges:
                if edge.next_world not in found and len(found) < self.limit:
                    found.add(edge.next_world)
                    queue.append(edge.next_world)

    def visit_histories(self) -> None:
        """Compare the legal actions at histories of the same infostate, breadth first."""
        queue = deque([self._root_node()])
        while queue:
            if self.effort.is_used_up:
                self.is_complete = False
                return
            node = queue.popleft()
            acting = any(self._visit(node))
            self.num_histories += 1
            # All histories in the queue will be visited; `room` is how many may still be added.
            room = self.limit - self.num_histories - len(queue)
            if acting and not room:
                self.is_complete = False
                continue
            facts = self.facts_of(node.world)
            if not facts.edges and not facts.is_cut:
                self.coverage += node.reach
                check_in_range(self.rules.game, node.rewards_so_far)
                self.utilities.add(node.rewards_so_far)
            self.is_complete &= len(facts.edges) <= room and not facts.is_cut
            queue.extend(self._after(node, facts, edge) for edge in facts.edges[:room])

    def visit_plays(self, rng: np.random.Generator) -> None:
        """Follow random plays for `limit` steps in total, and count those that ended."""
        node = self._root_node()
        for _ in range(self.limit):
            if self.effort.is_used_up:
                return
            self._visit(node)
            facts = self.facts_of(node.world)
            if facts.edges:
                # Edges hold the chance part only: all joint actions get the same total weight, 1.
                weights = np.array([edge.probability for edge in facts.edges])
                edge = facts.edges[int(rng.choice(len(weights), p=weights / weights.sum()))]
                node = self._after(node, facts, edge)
            elif facts.is_cut:
                return
            else:
                self.num_plays, node = self.num_plays + 1, self._root_node()

    def _root_node(self) -> _Node:
        players = tuple(range(self.rules.num_players))
        return _Node(self.root, players, 0, 1.0, (0.0,) * len(players))

    def _visit(self, node: _Node) -> LegalActions:
        legal = self.legal_at(node.world)
        for player, infostate in enumerate(node.infostates):
            self.infostates.check_legal(player, infostate, legal[player], node.world)
        return legal

    def _after(self, node: _Node, facts: WorldFacts, edge: Edge) -> _Node:
        infostates = tuple(map(self.infostates.extend, node.infostates, edge.steps))
        public_state = self.public_states.extend(
            node.public_state, edge.steps[0].public, edge.joint_action, node.world
        )
        reach = node.reach * edge.probability / facts.num_joint_actions
        rewards = tuple(map(add, node.rewards_so_far, edge.rewards))
        return _Node(edge.next_world, infostates, public_state, reach, rewards)

    def remark(self) -> None:
        """Look for suspicious features after all histories have been visited."""
        spreads = [Spread(min(own), max(own)) for own in zip(*self.utilities, strict=True)]
        game, num_players = self.rules.game, self.rules.num_players
        whole = WholeGame(game, num_players, self.facts, self.infostates, spreads)
        self.remarks = find_remarks(whole)


def _check_acyclic(root: World, facts: Mapping[World, WorldFacts]) -> None:
    """Raise if a world state is reachable from itself, by depth-first search."""
    finished: set[World] = set()
    # The path from the root, in order; each world keeps the place in its list of next worlds.
    path = {root: _next_worlds(facts, root)}
    while path:
        world, next_worlds = next(reversed(path.items()))
        for other in next_worlds:
            if other in path:
                visited = list(path)
                raise CyclicGameError(visited[visited.index(other) :])
            if other not in finished:
                path[other] = _next_worlds(facts, other)
                break
        else:
            finished.add(world)
            del path[world]


def _next_worlds(facts: Mapping[World, WorldFacts], world: World) -> Iterator[World]:
    return (edge.next_world for edge in facts[world].edges) if world in facts else iter(())
