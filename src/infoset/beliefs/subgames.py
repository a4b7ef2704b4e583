"""Subgames: four definitions as sets of histories, the value-solving subgame, and its forms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from infoset.beliefs.decomposition import TreePart
from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import SequenceForm, contract_terminals
from infoset.game import Game, Observation, Probability
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import Action, BoolArray, FloatArray, IntArray, JointAction, Player, World


def subgame_by_closure(tree: GameTree, history: int) -> BoolArray:
    """Return [H] membership in the smallest closed set that contains a history.

    A set is closed if it contains all descendants of its members and their whole public sets.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (i). `subgame_by_histories`,
    `subgame_by_infosets`, and `subgame_by_public_sets` return the same set. It also contains whole
    infosets of every player.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> int(subgame_by_closure(kuhn, 7).sum())
    30
    """
    members: BoolArray = np.arange(tree.num_histories) == history
    while True:
        grown = _close_under_extension(tree.parent, _fill_sets(tree.public_state, members))
        if (grown == members).all():
            return members
        members = grown


def subgame_by_histories(tree: GameTree, history: int) -> BoolArray:
    """Return [H] whether each history extends a history in the public set of `history`.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (ii).
    """
    at_root = tree.public_state == tree.public_state[history]
    return _close_under_extension(tree.parent, at_root)


def subgame_by_infosets(tree: GameTree, history: int, player: Player = 0) -> BoolArray:
    """Return [H] whether a player's infostate extends one at the public state of `history`.

    The set is the same for every player.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (iii).
    """
    infostates = tree.infostate_trees[player]
    at_root = infostates.public_state == tree.public_state[history]
    inside = _close_under_extension(infostates.parent, at_root)
    return inside[tree.infostate[:, player]]


def subgame_by_public_sets(tree: GameTree, history: int) -> BoolArray:
    """Return [H] whether the public state of each history extends that of `history`.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (iv).
    """
    at_root = np.arange(tree.public_tree.num_public_states) == tree.public_state[history]
    return _close_under_extension(tree.public_tree.parent, at_root)[tree.public_state]


def is_closed_under_infosets(tree: GameTree, members: BoolArray) -> bool:
    """Return whether a set contains all or none of every infoset, for every player.

    Parameters
    ----------
    members
        [H] True for the histories in the set.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (v).
    """
    return all(
        bool((_fill_sets(tree.infostate[:, player], members) == members).all())
        for player in range(tree.num_players)
    )


def _fill_sets(set_of: IntArray, members: BoolArray) -> BoolArray:
    """Return [H] the histories of all sets with a member; `set_of` [H] numbers the sets."""
    touched = np.zeros(int(set_of.max()) + 1, dtype=bool)
    touched[set_of[members]] = True
    return touched[set_of]


def _close_under_extension(parent: IntArray, members: BoolArray) -> BoolArray:
    """Return [n] the members of a tree and all their descendants; `parent` [n] is -1 at roots."""
    while True:
        # Each pass adds one generation. At a root, -1 would read the last member.
        grown = members | (members[parent] & (parent >= 0))
        if (grown == members).all():
            return grown
        members = grown


@dataclass(frozen=True)
class SubgameWorld:
    """A world state that a subgame adds to those of the base game."""

    belief: PublicBeliefState = field(repr=False)
    """The root of the subgame, which distinguishes the world states of nested subgames."""
    entered: int = -1
    """Position of the drawn history in `PublicBeliefState.histories`; -1 in the initial world
    state."""
    world: World = None
    """The last world state of that history; None in the initial world state."""


def value_subgame(belief: PublicBeliefState) -> Game:
    """Return the value-solving subgame G(β) of a public belief state β.

    In a new initial world state, chance draws a history of the public state from
    `PublicBeliefState.history_distribution`. This transition adds the rewards so far. It reveals
    the belief publicly, and to each player its infostate privately. Then the base game continues.

    Histories of reach zero are left out. The earlier actions of the players are part of the chance
    event, so that counterfactual reach must be computed from the ranges, as `TreePart` does.
    Counterfactual values computed from the subgame alone differ: at an infostate s_i at the root
    they contain the additional factor `range_i(s_i) / belief.probability`.

    Raises
    ------
    UnsupportedGameError
        If no history has positive reach.

    Notes
    -----
    Source: Kovařík et al. (2022), Appendix A.2.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> belief = PublicBeliefState(kuhn, 3, ([1 / 16, 3 / 16, 1], [1, 1, 1]))
    >>> subgame = build_tree(value_subgame(belief))
    >>> subgame.num_histories, [tree.num_acting for tree in subgame.infostate_trees]
    (19, [0, 3])
    """
    return _ValueSubgame(belief)


class _ValueSubgame(Game):
    """The game that `value_subgame` returns."""

    def __init__(self, belief: PublicBeliefState) -> None:
        self.belief = belief
        self.base = belief.tree.game
        self.num_players = self.base.num_players
        self.player_names = self.base.player_names
        tree, histories = belief.tree, belief.histories
        self._entries = [
            (SubgameWorld(belief, entered, tree.graph.worlds[tree.world[history]]), probability)
            for entered, (history, probability) in enumerate(
                zip(histories.tolist(), belief.history_distribution.tolist(), strict=True)
            )
            if probability > 0
        ]
        self._rewards: list[list[float]] = tree.rewards_so_far[histories].tolist()
        self._infostates = [
            [infostates.infostate_at(number) for number in numbers.tolist()]
            for infostates, numbers in zip(tree.infostate_trees, belief.infostates, strict=True)
        ]

    def initial_world(self) -> World:
        return SubgameWorld(self.belief)

    def actors(self, world: World) -> Sequence[Player]:
        return () if self._is_initial(world) else self.base.actors(self._inner(world))

    def legal_actions(self, world: World, player: Player) -> Sequence[Action]:
        return self.base.legal_actions(self._inner(world), player)

    def transitions(
        self, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        if self._is_initial(world):
            return self._entries
        return self.base.transitions(self._inner(world), joint_action)

    def rewards(self, world: World, joint_action: JointAction, next_world: Any) -> Sequence[float]:
        if self._is_initial(world):
            return self._rewards[next_world.entered]
        return self.base.rewards(self._inner(world), joint_action, next_world)

    def observe(self, world: World, joint_action: JointAction, next_world: Any) -> Observation:
        if not self._is_initial(world):
            return self.base.observe(self._inner(world), joint_action, next_world)
        position = self.belief.position[next_world.entered].tolist()
        known = [self._infostates[player][place] for player, place in enumerate(position)]
        return Observation(public=self.belief, private=known)

    def sample_transition(
        self, world: World, joint_action: JointAction, rng: np.random.Generator
    ) -> World:
        if self._is_initial(world):
            return super().sample_transition(world, joint_action, rng)
        return self.base.sample_transition(self._inner(world), joint_action, rng)

    def __str__(self) -> str:
        return f"subgame({self.base},public_state={self.belief.public_state})"

    def _is_initial(self, world: Any) -> bool:
        return self._is_own(world) and bool(world.entered < 0)

    def _inner(self, world: Any) -> Any:
        """Return the world state of the base game."""
        return world.world if self._is_own(world) else world

    def _is_own(self, world: Any) -> bool:
        return isinstance(world, SubgameWorld) and world.belief == self.belief


def value_form(
    part: TreePart, belief: PublicBeliefState, leaf_utilities: FloatArray | None = None
) -> SequenceForm:
    """Return the value-solving subgame of a part of a tree as a sequence form, for any solver.

    It equals the sequence form of `value_subgame(belief)`: chance draws a history from
    `belief.history_distribution`, and utilities are those of whole plays. Policies at infostates of
    range zero have no effect in this game; if they should, use `counterfactual_form`.

    Parameters
    ----------
    belief
        A public belief state at the root of the part.
    leaf_utilities
        [L, N] expected utility of each player at each of `part.leaf_histories`; required if and
        only if the part has leaves.

    Raises
    ------
    UnsupportedGameError
        If no history at the root has positive reach.

    Notes
    -----
    Source: Kovařík et al. (2022), Appendix A.2.
    """
    part.check_belief(belief)
    if not belief.probability > 0:
        raise UnsupportedGameError(
            f"no history at {belief.label!r} is reached with these ranges, so chance cannot draw "
            f"one; use counterfactual_form(part, belief), which does not draw a history"
        )
    # Chance draws the history at the root, so that all reach before it counts as chance.
    reach = part.ends.chance_reach * _range_product(part, belief) / belief.probability
    return _form(part, reach, _utilities(part, leaf_utilities))


def counterfactual_form(
    part: TreePart, belief: PublicBeliefState, leaf_utilities: FloatArray | None = None
) -> SequenceForm:
    """Return a part of a tree with counterfactual payoffs, as a sequence form.

    The payoffs of each player are weighted by chance reach and the ranges of the other players, but
    not by its own range. Gradients on this form are therefore counterfactual values of the whole
    game, even at infostates of range zero. The payoffs are not normalized, and the form is not
    zero-sum even if the game is.

    Parameters
    ----------
    part, belief, leaf_utilities
        As in `value_form`; ranges may be zero.

    Notes
    -----
    Source: Kovařík et al. (2022), Remark A.2.
    """
    part.check_belief(belief)
    weights = [_range_product(part, belief, without=p) for p in range(part.tree.num_players)]
    utilities = _utilities(part, leaf_utilities) * np.stack(weights, axis=1)
    return _form(part, part.ends.chance_reach, utilities)


def counterfactual_values(
    part: TreePart,
    belief: PublicBeliefState,
    policy: TabularPolicy,
    leaf_utilities: FloatArray | None = None,
) -> tuple[FloatArray, ...]:
    """Return every player's counterfactual values at the root, `v_cf(s_i) = P_-i(s_i) v_i(s_i)`.

    The values count only future rewards. Adding `belief.counterfactual_rewards(player)` gives
    values that count whole utilities, as in sequence forms. The values scale with the utilities and
    with the ranges of the other players.

    Parameters
    ----------
    part, belief, leaf_utilities
        As in `value_form`; ranges may be zero.
    policy
        A policy for the part, on either of its forms.

    Returns
    -------
    tuple[FloatArray, ...]
        Per player [S_p], in the order of its range.

    Raises
    ------
    PolicyMismatchError
        If the policy is not for the part; `part.restrict_policy` restricts a policy of the whole
        game.

    Notes
    -----
    Source: Kovařík et al. (2022), Section 4.2 and Remark A.2.
    """
    part.check_belief(belief)
    part.check_policy(policy)
    # v_cf(s_i) = Σ_z [z extends s_i] π_c(z) r_-i(z) x(z) u_i(z) - Σ_h P_-i(h) R_i(h), where x is
    # the product of all players' plans from the root. The player's own range r_i is left out.
    last = enumerate(part.ends.sequence.T)
    reach = part.ends.chance_reach * prod(policy.realization_plan(p)[own] for p, own in last)
    utilities = _utilities(part, leaf_utilities)
    values = []
    for player, player_range in enumerate(belief.ranges):
        weight = reach * _range_product(part, belief, without=player) * utilities[:, player]
        entry = part.ends.entry[:, player]
        total = np.bincount(entry, weights=weight, minlength=len(player_range))
        values.append(total - belief.counterfactual_rewards(player))
    return tuple(values)


def _form(part: TreePart, reach: FloatArray, utilities: FloatArray) -> SequenceForm:
    return contract_terminals(
        name=part.name,
        infostate_trees=part.infostate_trees,
        sequence=part.ends.sequence,
        chance_reach=reach,
        utility=utilities,
        num_steps=len(part.tree.level_offsets) - 2,
    )


def _utilities(part: TreePart, leaf_utilities: FloatArray | None) -> FloatArray:
    """Return [Z, N] the utilities at the ends of the part."""
    expected = (len(part.leaf_histories), part.tree.num_players)
    given = np.zeros((0, expected[1])) if leaf_utilities is None else leaf_utilities
    if given.shape != expected:
        raise ParameterError(
            f"leaf_utilities have shape {given.shape}, but {part.name} has {expected[0]} leaf "
            f"histories; give an array of shape {expected}"
        )
    return np.concatenate([part.tree.rewards_so_far[part.terminals], given])


def _range_product(
    part: TreePart, belief: PublicBeliefState, without: Player | None = None
) -> FloatArray:
    """Return [Z] the product of the players' ranges at each end, except for one player."""
    entered = part.ends.entry.T
    factors = [values[entered[p]] for p, values in enumerate(belief.ranges) if p != without]
    return np.asarray(prod(factors, start=np.ones(len(part.ends.histories))))
