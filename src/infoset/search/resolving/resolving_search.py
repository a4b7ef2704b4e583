"""Searchers that solve the rest of the game again at each decision."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoset.beliefs import GADGETS
from infoset.beliefs.public_states import infostates_at
from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import TransformedValues, transformed_values
from infoset.evaluation.tree_reach import check_same_game
from infoset.game import Infostate
from infoset.policy import TRANSFORMATIONS, TabularPolicy, uniform_policy
from infoset.search.models import GraphModel
from infoset.search.resolving.opponent_values import OPPONENT_VALUES
from infoset.search.resolving.resolver import ITERATIONS, TreeResolver
from infoset.search.searcher import Searcher
from infoset.tree import GameTree
from infoset.typing import FloatArray
from infoset.utils.arguments import check_choice, check_count, check_type

__all__ = ["ContinualResolving", "DepthLimitedSearch"]


class ContinualResolving(Searcher):
    """Continual re-solving: each decision solves a depth-limited subgame with a gadget.

    The subgame starts at the public state of the decision. The searcher's range there is that of
    its own searches before, and the opponent is offered what those searches left it. Where the
    search stops, the opponent chooses one of its transformed blueprints at each of its infostates.

    Parameters
    ----------
    tree : GameTree
        A two-player constant-sum game.
    blueprint : TabularPolicy, optional
        The policy of both players; by default uniform.
    values : TransformedValues, optional
        Values of histories under transformed blueprints, such as those of a critic; by default
        exact ones with `TRANSFORMATIONS`.
    depth : int, optional
        A search stops where each player has acted at this many public states. None searches to the
        end of the game.
    gadget : str
        A name from `infoset.beliefs.GADGETS`.
    opponent : str
        A name from `OPPONENT_VALUES`.
    iterations : int
        Iterations of CFR+ in each search.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    PolicyMismatchError
        If the blueprint or the values belong to another game, or the values to another blueprint.
    UnknownNameError, ParameterError
        If a name is unknown, or a number out of range.

    Notes
    -----
    Source: Moravčík et al. (2017), Burch, Johanson, Bowling (2014); with transformations at the
    depth limit Kubíček, Burch, Lisý, arXiv 2312.15220 (2023). Differs: CFR+ alternates, and the
    opponent's choice at a leaf is part of the game that CFR+ solves.

    Examples
    --------
    >>> from infoset.evaluation import nash_conv
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> nash_conv(ContinualResolving(tree).search_policy()) < 0.1
    True
    """

    is_continual = True

    def __init__(
        self,
        tree: GameTree,
        blueprint: TabularPolicy | None = None,
        values: TransformedValues | None = None,
        *,
        depth: int | None = 1,
        gadget: str = "resolving",
        opponent: str = "previous",
        iterations: int = ITERATIONS,
    ) -> None:
        check_type("tree", tree, GameTree, "a GameTree, as from build_tree")
        super().__init__(GraphModel(tree))
        if not tree.sequence_form.is_two_player_constant_sum:
            raise UnsupportedGameError(
                f"re-solving needs a two-player constant-sum game, and {tree} is none"
            )
        blueprint = uniform_policy(tree.sequence_form) if blueprint is None else blueprint
        check_type("blueprint", blueprint, TabularPolicy, "a TabularPolicy")
        check_same_game(tree, blueprint.sequence_form)
        if values is None:
            values = transformed_values(tree, blueprint, TRANSFORMATIONS)
        check_type("values", values, TransformedValues, "as from transformed_values or a critic")
        if values.tree is not tree:
            raise PolicyMismatchError("the values are for another tree; give those of this tree")
        if values.blueprint != blueprint.digest:
            raise PolicyMismatchError(
                "the values are for another blueprint; train a critic for this blueprint, or omit "
                "values for exact ones"
            )
        if not np.isfinite(values.values).all():
            raise ParameterError("values has an entry that is NaN or infinite")
        if depth is not None:
            check_count("depth", depth, minimum=1)
        check_choice("gadget", gadget, GADGETS)
        check_choice("opponent", opponent, OPPONENT_VALUES)
        check_count("iterations", iterations, minimum=1)
        self.tree, self.blueprint, self.values = tree, blueprint, values
        self._settings = {
            "depth": depth, "gadget": gadget, "opponent": opponent, "iterations": iterations
        }  # fmt: skip
        self._resolvers = [
            TreeResolver(
                tree,
                player,
                blueprint,
                values,
                depth=depth,
                gadget=gadget,
                opponent=opponent,
                is_continual=self.is_continual,
                iterations=iterations,
            )
            for player in range(2)
        ]

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers by name, with the blueprint's digest."""
        return {**self._settings, "blueprint": self.blueprint.digest}

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action; the generator is not used.

        Where chance and the opponent's play cannot lead with the searcher's own range, this is the
        blueprint.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there.
        """
        actions = self.model.require_legal_actions(infostate)
        resolver = self._resolvers[infostate.player]
        own = self.tree.infostate_trees[infostate.player]
        number = own.index_of(infostate)
        policy = resolver.policy_at(int(own.public_state[number]))
        first = own.first_sequence[number]
        found: FloatArray = policy[first : first + len(actions)]
        return found

    def search_policy(self) -> TabularPolicy:
        """Return the policy of both players at all public states, by one search at each."""
        whole = []
        for player, resolver in enumerate(self._resolvers):
            policy = np.array(self.blueprint.probabilities[player])
            own = self.tree.infostate_trees[player]
            for state in np.unique(own.public_state[own.acting]).tolist():
                found = resolver.policy_at(state)
                for number in infostates_at(self.tree, state)[player].tolist():
                    first, size = own.first_sequence[number], own.num_actions[number]
                    policy[first : first + size] = found[first : first + size]
            whole.append(policy)
        return TabularPolicy(self.tree.sequence_form, tuple(whole))


class DepthLimitedSearch(ContinualResolving):
    """Depth-limited search: each decision alone, with the ranges of the blueprint.

    Parameters and errors are those of `ContinualResolving`. There are no earlier searches, so that
    `previous` is the same as `transformations`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> search = DepthLimitedSearch(build_tree(load_game("kuhn_poker")), depth=None)
    >>> search.settings()["opponent"]
    'previous'
    """

    is_continual = False
