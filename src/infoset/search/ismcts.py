"""Information-set Monte Carlo tree search: one tree over infostates, worlds drawn from a belief."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, Final

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.runs.searcher import SearchBudget, Searcher, SearchRecord, check_model
from infoset.search._ismcts_kernels import (
    NO_DEPTH_LIMIT,
    Bonus,
    Roots,
    repeat_search,
    simulate,
)
from infoset.search.final_policies import FINAL_POLICIES
from infoset.search.leaf_values import (
    LeafValue,
    Rollouts,
    as_leaf_value,
    check_depth,
    default_policy,
    leaf_value_name,
)
from infoset.search.models import SearchModel
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.models.histories import with_leaf_value
from infoset.search.search_tree import SearchRoot, SearchTree
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_choice, check_count, check_generator, check_number
from infoset.utils.clocks import compiling_seconds, working_seconds
from infoset.utils.splitmix import Stream

BONUSES: Final = {"ln": 1.0, "2ln": 2.0}
"""The factor c of the bonus sqrt(c ln N / n), by name: "ln" as in OpenSpiel, "2ln" as in UCB1."""

MAX_CACHED_POSITIONS = 200_000
"""Maximum number of root positions in the cache; the cache is cleared when it is full."""

MIN_SIMULATIONS = 10
"""Simulations per action below which the answer of a search is nearly random."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeSearchRecord(SearchRecord):
    """Result and cost of a tree search; `num_nodes` counts the infostates in the tree."""

    visits: LongArray
    """[A] number of simulations that took each action at the player's root infostates; with
    `opponent_public_weight`, their weighted number, rounded."""
    num_simulations: int

    @property
    def is_short(self) -> bool:
        """Whether there was time for fewer than ten simulations per action."""
        is_limited = self.time_limit is not None and len(self.actions) > 1
        return is_limited and self.num_simulations < MIN_SIMULATIONS * len(self.actions)


class ISMCTS(Searcher):
    """Information-set Monte Carlo tree search.

    Each simulation draws a position from the belief and descends a tree. The nodes of the tree are
    the infostates of the acting players, so no player uses information that it does not have.
    At each node the simulation takes the action with the largest upper confidence bound

        mean return + exploration * reward_scale * sqrt(c ln N / n),

    where N and n are the visit counts of the node and the action. By default, the scale is the
    range of the acting player's utilities in the playouts of the search so far. Policies then
    depend neither on the unit of utility nor on constants in it. Untried actions come first, in
    random order. The simulation adds the first node outside the tree and plays from there at random
    to the end. The utilities are then credited to the actions on the path. The policy is by default
    the normalized visit counts at the root. Instead of random play, `leaf_value` can value the
    position at which a simulation leaves the tree, and `depth` limits the depth of the tree.

    There is one tree for each player, over its own infostates, and a simulation descends all of
    them together.

    With a public weight above 0, all infostates of the player in the support of the belief are
    roots of one tree. They share the other players' nodes below them, and their visits are summed.

    The public weight λ then has two effects: it determines over which hands the answer is averaged,
    and what the other players know. A simulated opponent learns from the worlds that reach its
    infostate. At λ = 0 they all contain the player's hand, as if the opponent had seen it; at λ = 1
    the opponent knows what is public and its own hand. `opponent_public_weight` separates them:
    simulations start from the belief with weight μ, and visits are reweighted to the weight λ,

        policy(a) ~ sum over own infostates x of  B_λ(x) / B_μ(x) * visits(x, a),

    so that μ = λ is the search with one weight.

    Parameters
    ----------
    model
        The game: any number of players, general-sum, simultaneous moves and chance.
    belief
        Distribution of worlds; a number is the public weight λ.
    opponent_public_weight
        Public weight μ of the other players, from 0 to 1; None for that of the belief. With 1, few
        simulations start at the player's own infostate, so that a larger `num_simulations` may be
        needed. With 0, the public weight of the belief must be 0, too.
    num_simulations
        Number of simulations; None if `milliseconds` alone limits the search.
    exploration
        Constant that multiplies the bonus.
    bonus
        One of `BONUSES`: "ln" for sqrt(ln N / n), "2ln" for sqrt(2 ln N / n).
    reward_scale
        Scale of the bonus, in the game's units of utility. None for the range of the acting
        player's utilities seen so far, as if returns were normalized to a range of 1. With 1,
        returns are not scaled, as in OpenSpiel.
    num_rollouts
        Number of random playouts from each new node; their mean is backed up.
    depth
        Number of moves that the tree looks ahead, including the one at the root; None for no limit.
        Simultaneous choices are one move; forced actions and chance moves do not count.
    leaf_value : Rollouts, Policy or LeafFunction, optional
        The value of the position at which a simulation leaves the tree, in place of one random
        playout: see `Rollouts` and `LeafFunction`. Except for random play, the search then calls
        the rules of the game.
    final_policy
        One of `FINAL_POLICIES`: "normalized-visits" for probabilities proportional to the visit
        counts at the root, "max-visits" to play the most visited action, with ties split evenly.
    milliseconds
        Time limit of a search. The answer then depends on the machine.
    seed
        Seed of the policy; `search` takes a generator instead.

    Attributes
    ----------
    budget : SearchBudget
        Limits on simulations and time.
    last_search : TreeSearchRecord or None
        Result and cost of the last search.

    Notes
    -----
    A searcher reuses its memory from search to search, so use each searcher in only one thread at a
    time. Source: MO-ISMCTS of Cowling, Powley, Whitehouse, "Information set Monte Carlo tree
    search" (2012), in the variant of OpenSpiel's `ISMCTSBot`: the simulation that adds a root node
    takes no action there, so that visits sum to one less than the simulations. Differs from the
    paper: another player's tree has a root for each infostate that the belief gives it, so that the
    same actions are legal at each visit of a node. `opponent_public_weight` is ours; Arjonilla,
    Cazenave, Saffidine, "Mixture of public and private distributions in imperfect information
    games", arXiv 2405.14346 (2024), mention a different weight for the opponent as future work, but
    do not define it.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> searcher = ISMCTS(search_model(load_game("kuhn_poker")), num_simulations=2000)
    >>> jack = Infostate(1, (Step(None, "J", None), Step(None, None, "bet")))
    >>> searcher.search(jack, np.random.default_rng(0)).round(1).tolist()
    [1.0, 0.0]
    """

    model: SearchModel

    def __init__(
        self,
        model: SearchModel,
        *,
        belief: PublicPrivateBelief | float = 0.0,
        opponent_public_weight: float | None = None,
        num_simulations: int | None = 1000,
        exploration: float = 0.7,
        bonus: str = "ln",
        reward_scale: float | None = None,
        num_rollouts: int = 1,
        depth: int | None = None,
        leaf_value: LeafValue | None = None,
        final_policy: str = "normalized-visits",
        milliseconds: float | None = None,
        seed: int = 0,
    ) -> None:
        check_model(model, SearchModel)
        leaf = as_leaf_value(leaf_value)
        super().__init__(with_leaf_value(model, leaf), belief=belief, seed=seed)
        if num_simulations is None and milliseconds is None:
            raise ParameterError(
                "num_simulations=None and milliseconds=None would never end a search; give at "
                "least one of the two limits"
            )
        self.budget = SearchBudget("num_simulations", num_simulations, milliseconds)
        if opponent_public_weight is not None:
            _check_opponent_weight(opponent_public_weight, self.belief)
        check_number("exploration", exploration)
        if reward_scale is not None:
            check_number("reward_scale", reward_scale)
        check_count("num_rollouts", num_rollouts, minimum=1)
        check_depth(depth)
        check_choice("bonus", bonus, BONUSES)
        check_choice("final_policy", final_policy, FINAL_POLICIES)
        self.opponent_public_weight = opponent_public_weight
        self.exploration = exploration
        self.bonus = bonus
        self.reward_scale = reward_scale
        self.num_rollouts = num_rollouts
        self.depth = depth
        self.leaf_value = None if leaf_value is None else leaf
        self.final_policy = final_policy
        self.last_search: TreeSearchRecord | None = None
        scale = 1.0 if reward_scale is None else reward_scale
        factor = exploration * scale * sqrt(BONUSES[bonus])
        self._bonus = Bonus(float(factor), reward_scale is None)
        self._num_values = num_rollouts
        if isinstance(leaf, Rollouts) and leaf.is_uniform:
            self._num_values *= leaf.num_rollouts
        self._max_moves = NO_DEPTH_LIMIT if depth is None else depth
        self._tree = SearchTree(model.state_size, model.num_players)
        self._roots: dict[Infostate, SearchRoot] = {}
        self._num_cached = 0

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers, by name."""
        return {
            **super().settings(),
            "opponent_public_weight": self.opponent_public_weight,
            **self.budget.settings(),
            "exploration": self.exploration,
            "bonus": self.bonus,
            "reward_scale": self.reward_scale,
            "num_rollouts": self.num_rollouts,
            "depth": self.depth,
            "leaf_value": leaf_value_name(self.leaf_value),
            "final_policy": self.final_policy,
        }

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the final policy over the legal actions, in order.

        If no simulation took any action at the root, it is the policy of `leaf_value`, by default
        the uniform one.

        Parameters
        ----------
        rng
            Generates the seed of the simulations, and samples positions if there are too many to
            list.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there.
        """
        check_generator(rng)
        start, compiled_before = working_seconds(), compiling_seconds()
        root = self._root(infostate, rng)
        belief_seconds = working_seconds() - start
        stream = np.array([rng.integers(2**64, dtype=np.uint64)])
        self._tree.start_search(root.kernel_roots.num_infostates, self._bonus)
        num_simulations = 0
        if len(root.actions) > 1:
            for batch in self.budget.batches(start):
                self._simulate(root.kernel_roots, stream, batch)
                num_simulations += batch
        visits, returns = self._tree.root_totals(root.kernel_roots)
        self.last_search = TreeSearchRecord(
            actions=root.actions,
            values=_mean_returns(returns, visits),
            num_nodes=self._tree.num_nodes,
            seconds=working_seconds() - start,
            time_limit=self.budget.seconds,
            visits=np.rint(visits).astype(np.int64),
            num_simulations=num_simulations,
            compile_seconds=compiling_seconds() - compiled_before,
            belief_seconds=belief_seconds,
            model_noise=root.model_noise,
        )
        self._note_search(self.last_search, num_simulations, "simulation")
        policy: FloatArray = self._final_policies(visits[None], infostate, root)[0]
        return policy

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, num_searches: int
    ) -> FloatArray:
        """Return [R, A] the policies of R searches, equal to those of R calls of `search`.

        With a compiled model and no time limit they run in one call that releases the global
        interpreter lock, and `last_search` is left unchanged. Parameters and errors are those of
        `Searcher.search_many`.
        """
        check_generator(rng)
        check_count("num_searches", num_searches, minimum=1)
        before = rng.bit_generator.state
        root = self._root(infostate, rng)
        if infostate not in self._roots or self.budget.number is None or self.budget.seconds:
            rng.bit_generator.state = before
            return super().search_many(infostate, rng, num_searches)
        seeds = rng.integers(2**64, size=num_searches, dtype=np.uint64)
        visits = np.zeros((num_searches, len(root.actions)))
        if len(root.actions) > 1:
            self._repeat_search(root.kernel_roots, self.budget.number, seeds, visits)
        return self._final_policies(visits, infostate, root)

    def _final_policies(
        self, visits: FloatArray, infostate: Infostate, root: SearchRoot
    ) -> FloatArray:
        """Return [R, A] the final policies; that of the leaf values where nothing was visited."""
        policies = FINAL_POLICIES[self.final_policy](visits)
        is_idle = ~visits.any(axis=1)
        if is_idle.any():
            policies[is_idle] = default_policy(self.leaf_value, infostate, root.actions)
        return policies

    def _repeat_search(
        self, roots: Roots, num_simulations: int, seeds: Stream, visits: FloatArray
    ) -> None:
        """Search once for each seed, growing the tree when it is full."""
        memory, done = self._tree, 0
        memory.reserve(roots.num_infostates)
        while done < len(seeds):
            done += repeat_search(
                self.model.arrays,
                roots,
                memory.tree,
                memory.playout,
                self._bonus,
                self._num_values,
                self._max_moves,
                num_simulations,
                seeds[done:],
                visits[done:],
            )
            if done < len(seeds):
                memory.grow()

    def _simulate(self, roots: Roots, stream: Stream, number: int) -> None:
        """Run simulations, growing the tree when it is full."""
        run = simulate if self.model.is_compiled else simulate.py_func  # type: ignore[attr-defined]
        memory = self._tree
        numbers = (self._bonus, self._num_values, self._max_moves)
        while True:
            number -= run(
                self.model.arrays, roots, memory.tree, memory.playout, *numbers, number, stream
            )
            if number == 0:
                return
            memory.grow()

    def _root(self, infostate: Infostate, rng: np.random.Generator) -> SearchRoot:
        """Return the root of a search, cached unless it was sampled."""
        if infostate in self._roots:
            return self._roots[infostate]
        before = repr(rng.bit_generator.state)
        root = SearchRoot.at(
            self.model,
            self.belief,
            infostate,
            rng,
            self.budget.seconds,
            self.opponent_public_weight,
        )
        if self.model.is_compiled and repr(rng.bit_generator.state) == before:
            self._cache(infostate, root)
        return root

    def _cache(self, infostate: Infostate, root: SearchRoot) -> None:
        self._num_cached += len(root.kernel_roots.states)
        if self._num_cached > MAX_CACHED_POSITIONS:
            self._roots.clear()
            self._num_cached = len(root.kernel_roots.states)
        self._roots[infostate] = root


def _check_opponent_weight(opponent_public_weight: float, belief: PublicPrivateBelief) -> None:
    """Raise if a weight is invalid, or no simulation would start at hands that the answer needs."""
    check_number("opponent_public_weight", opponent_public_weight, maximum=1)
    if opponent_public_weight == 0 and belief.max_public_weight > 0:
        raise ParameterError(
            "with opponent_public_weight=0, all simulations start at the player's true infostate, "
            f"but public_weight={belief.max_public_weight:g} of the belief also needs visits at "
            "others; give a positive opponent_public_weight, or a belief with public_weight=0"
        )


def _mean_returns(returns: FloatArray, visits: FloatArray) -> FloatArray:
    """Return [A] the mean return of each action, in the game's units; NaN without visits."""
    means = np.full(len(visits), nan)
    np.divide(returns, visits, out=means, where=visits > 0)
    return means * SUM_UNIT
