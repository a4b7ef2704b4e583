"""Re-solving on a tree: the subclass of `PublicStateResolver` for trees."""

from __future__ import annotations

import numpy as np

from infoset.beliefs import PublicBeliefState, part_between
from infoset.beliefs.public_belief_state import infostates_at
from infoset.evaluation import TransformedValues
from infoset.game import Infostate
from infoset.policy import TabularPolicy
from infoset.resolving.leaf_rules import LEAF_RULES
from infoset.resolving.lookahead import Lookahead
from infoset.resolving.opponent_values import accumulated_gifts, mean_values
from infoset.resolving.public_state_resolver import Decision, PublicStateResolver
from infoset.resolving.range_values import RangeValues
from infoset.resolving.resolution import ResolvingSettings
from infoset.resolving.searched_part import ValuedTreePart
from infoset.runs.searcher import not_acting_error
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player


class TreeParts:
    """The parts of a tree that searches solve, from a public state down to their depth limit.

    The last ones are kept, because both players search from the same public states.

    Parameters
    ----------
    depth
        As in `Lookahead`.
    """

    def __init__(self, tree: GameTree, depth: int | None) -> None:
        self.tree, self.lookahead = tree, Lookahead.on_tree(tree, depth)
        self._root = PublicBeliefState.with_unit_ranges(tree)
        self._kept: dict[bool, ValuedTreePart] = {}

    def root(self, public_state: int) -> PublicBeliefState:
        """Return the histories of a public state, with ranges of ones."""
        root = self._root
        if root.public_state != public_state:
            self._root = root = PublicBeliefState.with_unit_ranges(self.tree, public_state)
        return root

    def part(
        self,
        public_state: int,
        is_whole: bool,
        values: FloatArray,
        range_values: RangeValues | None,
    ) -> ValuedTreePart:
        """Return the part to search from a public state, or without leaves if `is_whole`.

        values : of all histories, as `ValuedTreePart.leaf_values`.
        """
        kept = self._kept.get(is_whole)
        if kept is None or kept.root != public_state:
            leaves = [] if is_whole else self.lookahead.leaves(public_state)
            part = part_between(self.tree, public_state, leaves)
        elif len(kept.part.leaves):
            part = kept.part
        else:
            return kept  # values at leaves are all that depends on the player
        found = ValuedTreePart(part, values[part.leaf_histories], range_values=range_values)
        self._kept[is_whole] = found
        return found


class TreeResolver(PublicStateResolver):
    """Searches of one player on a tree; see `PublicStateResolver`.

    Parameters
    ----------
    parts
        The parts of the tree of a two-player constant-sum game.
    blueprint
        The policy of both players outside searches.
    values
        Values of histories under transformed blueprints.
    range_values
        Values at the depth limit by range; by default, players choose continuations there.
    """

    def __init__(
        self,
        parts: TreeParts,
        player: Player,
        blueprint: TabularPolicy,
        values: TransformedValues,
        settings: ResolvingSettings,
        range_values: RangeValues | None = None,
    ) -> None:
        tree = parts.tree
        payoffs = tree.sequence_form.centered.payoff_range
        super().__init__(player, blueprint, settings, parts.lookahead, payoffs)
        self.tree, self._parts = tree, parts
        own_values = values.against(player)
        constant = tree.sequence_form.constant_sum
        assert constant is not None  # `against` has raised otherwise
        self._constant, self._their_values = constant, constant - own_values
        both_choose = LEAF_RULES[settings.leaf_rule].both_choose
        self._leaf_values = values.by_pair(player) if both_choose else own_values
        self._range_values = range_values
        self._own = tree.infostate_trees[player]
        plex = tree.sequence_form.treeplexes[player]
        before = np.repeat(plex.parent_sequence, plex.num_actions)
        self._sequence_before = np.concatenate([np.zeros(1, np.int32), before])

    def find(self, infostate: Infostate) -> Decision:
        """Return the decision at an infostate of the player."""
        number = self._own.index_of(infostate)
        actions = self._own.legal_actions(number)
        if not actions:
            raise not_acting_error(infostate)
        state, first = self._own.public_state[number], self._own.first_sequence[number]
        return Decision(int(state), int(first), actions)

    def sequences_at(self, public_state: int) -> LongArray:
        """Return the sequences of the player's actions at a public state."""
        here = infostates_at(self.tree, public_state)[self.player]
        first, sizes = self._own.first_sequence[here], self._own.num_actions[here]
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        found: LongArray = np.repeat(first - (ends - sizes), sizes) + np.arange(total)
        return found

    def part(self, public_state: int, *, is_whole: bool = False) -> ValuedTreePart:
        """Return the part to search from a public state, or without leaves if `is_whole`."""
        return self._parts.part(public_state, is_whole, self._leaf_values, self._range_values)

    def range_of(self, policy: FloatArray, public_state: int) -> FloatArray:
        """Return [S_i] the player's range at a public state under a policy [Q]."""
        here = infostates_at(self.tree, public_state)[self.player]
        found, sequence = np.ones(len(here)), self._own.last_sequence[here]
        # All paths to the root are followed together, one decision in each pass.
        while sequence.any():
            found *= np.where(sequence > 0, policy[sequence], 1.0)
            sequence = self._sequence_before[sequence]
        return found

    def weight(self, public_state: int, own_range: FloatArray) -> float:
        """Return the reach of a public state by chance and the player's range."""
        root = self._parts.root(public_state)
        return float((own_range[root.position[:, self.player]] * root.chance_reach).sum())

    def opponent_range(self, public_state: int) -> FloatArray:
        """Return [S_j] the opponent's range under the blueprint."""
        belief = PublicBeliefState.from_policy(self.tree, self.blueprint, public_state)
        return belief.ranges[1 - self.player]

    def continuation_values(self, public_state: int, own_range: FloatArray) -> FloatArray:
        """Return [S_j, n] the opponent's value for each of its continuations."""
        root = self._parts.root(public_state)
        values = self._values_after_choices(public_state, root.histories)
        if values is None:
            values = self._their_values[root.histories]
        return mean_values(root, self.player, own_range, values)

    def _values_after_choices(self, public_state: int, histories: IntArray) -> FloatArray | None:
        """Return [R, n] the opponent's values if the player follows its choices at a leaf.

        None if the last solution did not choose them, or the player has left it since.
        """
        played = self._played_above(public_state) if self.settings.opponent == "previous" else []
        if not played:
            return None
        last, part = played[-1][0], played[-1][1].part
        if not isinstance(part, ValuedTreePart) or part.choices is None:
            return None
        # After the leaf, the player has played the blueprint at decisions without a solution.
        decisions = [state for state in self._searched_above(public_state) if state >= last]
        if not part.public_states.issuperset(decisions):
            return None
        leaf = histories.copy()
        while not (found := np.isin(self.tree.public_state[leaf], part.part.leaves)).all():
            leaf[~found] = self.tree.parent[leaf[~found]]
        choices = part.choices[np.searchsorted(part.part.leaf_histories, leaf)]
        theirs = self._constant - self._leaf_values[histories]
        mixed: FloatArray = np.einsum("ra,ran->rn", choices, theirs)
        return mixed

    def gifts(self, policy: TabularPolicy, public_state: int, since: int) -> FloatArray:
        """Return [S_j] the opponent's gifts since a public state; see `accumulated_gifts`."""
        return accumulated_gifts(self.tree, self.player, policy, public_state, since)
