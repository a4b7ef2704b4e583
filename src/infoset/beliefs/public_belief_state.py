"""Public belief states, and what one player believes of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from infoset.beliefs._names import check_public_state
from infoset.beliefs._selection import histories_at, infostates_at, sum_by
from infoset.beliefs.player_ranges import normalized_range, ranges
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player

__all__ = ["PublicBeliefState"]


@dataclass(frozen=True, eq=False, repr=False)
class PublicBeliefState:
    """What everybody knows of a play, and of everybody's policy so far: β = (s_pub, r).

    Nature's part is not in the ranges; it follows from the rules, and is joint over histories.
    Two public belief states are equal when game, public state and ranges are.

    Attributes
    ----------
    tree : GameTree
        The game.
    public_state : int
        Its number in the public tree.
    ranges : tuple[FloatArray, ...]
        Per player [S_p], its own reach of each of its infostates at the public state, in
        increasing order of their numbers; in units of its own choice, such as a sum of one.

    Raises
    ------
    ParameterError
        If there is no such public state, or a range has the wrong shape, is negative or not
        finite.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 4.3.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> belief = PublicBeliefState(kuhn, 3, ([1 / 16, 3 / 16, 1], [1, 1, 1]))
    >>> print(belief)
    ⟨. / bet⟩
    >>> belief.marginals[0].round(2).tolist()
    [0.05, 0.15, 0.8]
    """

    tree: GameTree
    public_state: int
    ranges: tuple[FloatArray, ...]

    def __post_init__(self) -> None:
        check_public_state(self.tree, self.public_state)
        held = tuple(np.array(given, dtype=np.float64) for given in self.ranges)
        self._check(held)
        for player_range in held:
            player_range.flags.writeable = False
        object.__setattr__(self, "ranges", held)

    def _check(self, given: Sequence[FloatArray]) -> None:
        expected = [(len(numbers),) for numbers in self.infostates]
        shapes = [player_range.shape for player_range in given]
        if shapes != expected:
            raise ParameterError(
                f"the ranges have shapes {shapes}; at {self.label!r} the players have "
                f"{[size for (size,) in expected]} infostates: ranges(policy, public_state) "
                "makes them from a policy"
            )
        for player, player_range in enumerate(given):
            if not (np.isfinite(player_range) & (player_range >= 0)).all():
                raise ParameterError(
                    f"the range of player {player} has an entry that is negative or not finite"
                )

    @classmethod
    def from_policy(
        cls, tree: GameTree, policy: TabularPolicy, public_state: int
    ) -> PublicBeliefState:
        """Return the public belief state that a policy leads to, its ranges not normalised."""
        check_public_state(tree, public_state)
        return cls(tree, public_state, ranges(policy, public_state))

    @classmethod
    def with_unit_ranges(cls, tree: GameTree, public_state: int = 0) -> PublicBeliefState:
        """Return the belief whose ranges are all one; at the root, where every play begins."""
        check_public_state(tree, public_state)
        return cls(tree, public_state, tuple(map(np.ones_like, infostates_at(tree, public_state))))

    @cached_property
    def label(self) -> str:
        """The public state as text."""
        return self.tree.public_tree.label(self.public_state)

    @property
    def infostates(self) -> tuple[IntArray, ...]:
        """Per player [S_p] the numbers of the infostates that the ranges are over."""
        return infostates_at(self.tree, self.public_state)

    @cached_property
    def histories(self) -> IntArray:
        """[R] the histories of the public state, in increasing order."""
        return histories_at(self.tree, self.public_state)

    @cached_property
    def position(self) -> LongArray:
        """[R, N] where the infostate of each player at each history stands in its range."""
        there = self.tree.infostate[self.histories]
        columns = [np.searchsorted(n, there[:, p]) for p, n in enumerate(self.infostates)]
        return np.stack(columns, axis=1)

    @property
    def chance_reach(self) -> FloatArray:
        """[R] nature's reach of each history."""
        return np.take(self.tree.chance_reach, self.histories)

    @cached_property
    def reach(self) -> FloatArray:
        """[R] reach of each history: nature's times the entries of all ranges."""
        return self._reach_without(None)

    @property
    def probability(self) -> float:
        """Reach of the public state; a probability where the ranges are not normalised."""
        return float(self.reach.sum())

    @property
    def history_distribution(self) -> FloatArray:
        """[R] probability of each history, given the public state.

        Raises
        ------
        UnsupportedGameError
            If no history is reached.
        """
        if not self.probability > 0:
            raise UnsupportedGameError(
                f"no history at {self.label!r} is reached with these ranges, so that their "
                "distribution is not defined; counterfactual reach and values still are"
            )
        return self.reach / self.probability

    @property
    def marginals(self) -> tuple[FloatArray, ...]:
        """Per player [S_p] the probability of each infostate, given the public state.

        Nature is in, and so are the other players: what somebody without cards believes.

        Raises
        ------
        UnsupportedGameError
            If no history is reached.
        """
        joint = self.history_distribution
        return tuple(self._sum_by_infostate(p, joint) for p in range(self.tree.num_players))

    def counterfactual_reach(self, player: Player) -> FloatArray:
        """Return [S_p] `P_-i`: reach of each infostate but for the player's own range."""
        return self._sum_by_infostate(player, self._reach_without(player))

    def counterfactual_rewards(self, player: Player) -> FloatArray:
        """Return [S_p] `Σ_h P_-i(h) R_i(h)`: what was paid before, by counterfactual reach.

        Counterfactual values are of future rewards. Where whole utilities are counted, as in the
        payoffs of a sequence form, these are the difference.
        """
        paid = self.tree.rewards_so_far[self.histories, player]
        return self._sum_by_infostate(player, self._reach_without(player) * paid)

    def history_beliefs(self, player: Player, infostate: int) -> FloatArray:
        """Return [R] the probability of each history for a player who is at an infostate.

        `P(h | s_i) = P_-i(h) / P_-i(s_i)`, zero for histories outside the infostate. The
        player's own range does not matter, even where it is zero.

        Parameters
        ----------
        player : Player
        infostate : int
            Its number in the player's infostate tree.

        Raises
        ------
        ParameterError
            If the infostate is not at the public state.
        UnsupportedGameError
            If the others and nature never lead there.
        """
        numbers = self.infostates[player].tolist()
        if infostate not in numbers:
            raise ParameterError(
                f"infostate {infostate} of player {player} is not at {self.label!r}; those there "
                f"are {numbers}"
            )
        here = self.position[:, player] == numbers.index(infostate)
        weight = np.where(here, self._reach_without(player), 0.0)
        total = float(weight.sum())
        if not total > 0:
            raise UnsupportedGameError(
                "the ranges of the others never lead to the infostate "
                f"{self.tree.infostate_trees[player].label(infostate)!r} of player {player}, so "
                "that it has no belief there"
            )
        return weight / total

    def infostate_beliefs(self, player: Player, infostate: int) -> tuple[FloatArray, ...]:
        """Return what a player at an infostate believes of everybody's infostates.

        Per player [S_p] a distribution; the player's own is one at the infostate. With three
        players and more the others' are marginals, their joint is in `history_beliefs`, which
        has the parameters and errors too.
        """
        joint = self.history_beliefs(player, infostate)
        return tuple(self._sum_by_infostate(p, joint) for p in range(self.tree.num_players))

    def normalize(self) -> PublicBeliefState:
        """Return the belief with every range divided by its sum.

        Distributions over histories and infostates stay the same.

        Raises
        ------
        ParameterError
            If a range is zero.
        """
        return replace(self, ranges=tuple(map(normalized_range, self.ranges)))

    def _reach_without(self, player: Player | None) -> FloatArray:
        """Return [R] nature's reach times the entries of all ranges but the player's."""
        reach = self.chance_reach
        for other, player_range in enumerate(self.ranges):
            if other != player:
                reach = reach * player_range[self.position[:, other]]
        return reach

    def _sum_by_infostate(self, player: Player, values: FloatArray) -> FloatArray:
        return sum_by(self.position[:, player], values, len(self.ranges[player]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PublicBeliefState):
            return NotImplemented
        return (
            self.public_state == other.public_state
            and len(self.ranges) == len(other.ranges)
            and all(map(np.array_equal, self.ranges, other.ranges))
            and _same_game(self.tree, other.tree)
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.public_state, *(tuple(values.tolist()) for values in self.ranges)))

    def __str__(self) -> str:
        return f"⟨{self.label}⟩"

    def __repr__(self) -> str:
        shown = ", ".join(map(str, (values.tolist() for values in self.ranges)))
        return f"<PublicBeliefState of {self.tree.game} at {self.label!r}: {shown}>"


def _same_game(first: GameTree, second: GameTree) -> bool:
    return first is second or first.sequence_form.fingerprint == second.sequence_form.fingerprint
