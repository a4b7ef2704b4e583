"""Values of histories if one or both of two players transform their policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation.tree_reach import acting_histories, reach_without
from infoset.evaluation.tree_values import history_values
from infoset.policy import (
    TabularPolicy,
    Transformation,
    check_transformations,
    transfer_policy,
    transform_policy,
)
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player, check_type

BATCH: Final = 64
"""Profiles that are evaluated together, which needs several times the memory of their values."""


@dataclass(frozen=True, eq=False)
class TransformedValues:
    """Values of all histories of a two-player constant-sum game under M profiles.

    If M = 2n - 1, one player transforms the blueprint: in profile 0 both players play it, in the
    next n - 1 profiles, player 1 plays transformations 1 to n - 1 of it, and in the last n - 1,
    player 0 does. If M = n², in profile `a * n + b` player 0 plays transformation a and player 1
    transformation b. Transformation 0 is the identity.
    """

    tree: GameTree
    transformations: tuple[Transformation, ...]
    """The n transformations."""
    blueprints: tuple[str, ...]
    """Digests of the blueprint, see `TabularPolicy.digest`; a network has one of its own."""
    values: FloatArray
    """[H, M] expected utility of player 0 from each history, including rewards before it."""

    def against(self, player: Player) -> FloatArray:
        """Return [H, n] the values for a player if the opponent plays each transformation.

        Raises
        ------
        ParameterError
            If there is no such player.
        """
        check_player(player, 2, str(self.tree))
        if self.has_pairs:
            return self.by_pair(player)[:, 0]
        if player == 0:
            return self.values[:, : len(self.transformations)]
        # Left are the identity and the profiles in which player 0, the opponent, is transformed.
        own = np.delete(self.values, range(1, len(self.transformations)), axis=1)
        return _constant_sum(self.tree) - own

    @property
    def has_pairs(self) -> bool:
        """Whether there are values for each pair of transformations."""
        return bool(self.values.shape[1] == len(self.transformations) ** 2)

    def by_pair(self, player: Player) -> FloatArray:
        """Return [H, n, n] the values for a player, by its transformation and the opponent's.

        Raises
        ------
        ParameterError
            If there is no such player, or there are only profiles in which one player transforms.
        """
        check_player(player, 2, str(self.tree))
        size = len(self.transformations)
        if not self.has_pairs:
            raise ParameterError(
                f"the values are for {self.values.shape[1]} profiles, in which one player plays a "
                f"transformation, but both do in {size}² of them; give transformed_values(tree, "
                "blueprint, transformations, pairs=True)"
            )
        pairs = self.values.reshape(len(self.values), size, size)
        return pairs if player == 0 else _constant_sum(self.tree) - pairs.transpose(0, 2, 1)

    def errors(self, exact: TransformedValues, blueprint: TabularPolicy) -> FloatArray:
        """Return [M] the root mean squared errors, with histories weighted by reach.

        Only histories at which a player acts count.

        Parameters
        ----------
        exact
            The values to compare with.
        blueprint
            The policy whose reach is the weight.
        """
        tree = self.tree
        acting = acting_histories(tree)
        weight = reach_without(tree, blueprint)[acting]
        squares = (self.values[acting] - exact.values[acting]) ** 2
        found: FloatArray = np.sqrt(weight @ squares / weight.sum())
        return found


def transformed_profiles(
    blueprint: TabularPolicy, transformations: Sequence[Transformation], pairs: bool = False
) -> tuple[TabularPolicy, ...]:
    """Return the 2n - 1 profiles of `TransformedValues`, or the n² profiles if `pairs`."""
    check_transformations(transformations)
    if pairs:
        first, second = (
            [transform_policy(blueprint, player, row).probabilities for row in transformations]
            for player in range(2)
        )
        return tuple(
            TabularPolicy(blueprint.form, (one[0], two[1])) for one in first for two in second
        )
    changed = transformations[1:]
    return (
        blueprint,
        *(transform_policy(blueprint, player, row) for player in (1, 0) for row in changed),
    )


def transformed_values(
    tree: GameTree,
    blueprint: TabularPolicy,
    transformations: Sequence[Transformation],
    *,
    pairs: bool = False,
) -> TransformedValues:
    """Return the exact values of all histories under all transformed profiles.

    Parameters
    ----------
    tree
        A two-player constant-sum game.
    blueprint
        On any form of the game.
    transformations
        Transformations, the first of which is the identity.
    pairs
        Whether to evaluate all n² pairs of transformations, instead of the 2n - 1 profiles in which
        at most one player transforms the blueprint.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    ParameterError, PolicyMismatchError
        If the first transformation is not the identity, or the policy is for another game.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import constant_transformations, uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> rows = constant_transformations(["pass", "bet"])
    >>> values = transformed_values(kuhn, uniform_policy(kuhn.sequence_form), rows)
    >>> values.values.shape, values.against(0)[0].round(3).tolist()
    ((55, 5), [0.125, 0.5, -0.25])
    """
    check_type("tree", tree, GameTree, "a GameTree, as from build_tree")
    check_type("blueprint", blueprint, TabularPolicy, "a TabularPolicy")
    blueprint = transfer_policy(blueprint, tree)
    _constant_sum(tree)
    profiles = transformed_profiles(blueprint, transformations, pairs)
    batches = (profiles[at : at + BATCH] for at in range(0, len(profiles), BATCH))
    values = np.concatenate([history_values(tree, batch)[..., 0] for batch in batches], axis=1)
    return TransformedValues(tree, tuple(transformations), (blueprint.digest,), values)


def _constant_sum(tree: GameTree) -> float:
    """Return the sum of the utilities of two players, or raise."""
    form = tree.sequence_form
    if form.num_players != 2 or form.constant_sum is None:
        raise UnsupportedGameError(
            "values under transformed profiles need a two-player constant-sum game, "
            f"which {form.name} is not"
        )
    return form.constant_sum
