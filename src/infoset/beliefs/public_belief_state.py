"""Public states of a tree, ranges, and public belief states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.forms import as_sequence_form
from infoset.game import PublicState
from infoset.policy import TabularPolicy, transfer_policy
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player


def check_public_state(tree: GameTree, public_state: int) -> None:
    """Raise an error if an index is not that of a public state of the tree."""
    last = tree.public_tree.num_public_states - 1
    if not 0 <= public_state <= last:
        raise ParameterError(
            f"{tree.game} has public states 0 to {last}, not {public_state}; "
            "get an index from tree.public_state[history], or from find_public_state(tree, "
            "public_state)"
        )


def find_public_state(tree: GameTree, public_state: PublicState) -> int:
    """Return the index of a public state in a tree.

    Raises
    ------
    UnknownNameError
        If no history of the game leads to the public state.

    Examples
    --------
    >>> from infoset.game import PublicState
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> kuhn.public_tree.label(find_public_state(kuhn, PublicState((None, "bet"))))
    '. / bet'
    """
    public = tree.public_tree
    number = 0
    for seen in public_state.observations:
        children = public.children(number).tolist()
        shown = [public.observations[at] for at in public.observation[children].tolist()]
        if seen not in shown:
            raise UnknownNameError(
                f"no history of {tree.game} leads to the public state {public_state}; the public "
                f"observations after {public.label(number)!r} are {shown}"
            )
        number = children[shown.index(seen)]
    return number


def histories_at(tree: GameTree, public_state: int) -> IntArray:
    """Return [R] the histories of a public state, in increasing order."""
    histories, first = tree.public_state_histories
    return histories[first[public_state] : first[public_state + 1]]


def infostates_at(tree: GameTree, public_state: int) -> tuple[IntArray, ...]:
    """Return each player's [S_p] infostates at a public state, in increasing order."""
    return tuple(
        numbers[first[public_state] : first[public_state + 1]]
        for numbers, first in zip(
            tree.public_tree.infostates, tree.public_tree.first_infostate, strict=True
        )
    )


def ranges(
    policy: TabularPolicy, public_state: int, *, normalized: bool = False
) -> tuple[FloatArray, ...]:
    """Return every player's range at a public state: its own reach of each infostate.

    The entry of an infostate is the probability that the player's own actions lead to it. Chance is
    not included; `PublicBeliefState.marginals` includes it.

    Parameters
    ----------
    public_state
        Index of the public state in the public tree.
    normalized
        Whether to divide the range of each player by its sum.

    Returns
    -------
    tuple[FloatArray, ...]
        Per player [number of its infostates at the public state], in the order of
        `PublicTree.infostates`.

    Raises
    ------
    ParameterError
        If `normalized` is true and a range is zero, because the player's policy never reaches the
        public state.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 4.2 and footnote 34.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> [r.tolist() for r in ranges(uniform_policy(kuhn.sequence_form), 3)]
    [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]]
    """
    found = []
    for player, tree in enumerate(as_sequence_form(policy.form).infostate_trees):
        here = np.flatnonzero(tree.public_state == public_state)
        found.append(policy.realization_plan(player)[tree.last_sequence[here]])
    return tuple(map(normalized_range, found)) if normalized else tuple(found)


def normalized_range(player_range: FloatArray) -> FloatArray:
    """Return a range divided by its sum.

    Raises
    ------
    ParameterError
        If the range is zero.
    """
    total = float(player_range.sum())
    if not total > 0:
        raise ParameterError(
            "a range of zeros cannot be normalized: the player's own actions never lead to this "
            "public state; use the range without normalizing it"
        )
    return player_range / total


@dataclass(frozen=True, eq=False, repr=False)
class PublicBeliefState:
    """A public belief state β = (s_pub, r): a public state and the range of every player there.

    The ranges do not include chance: chance reach is a joint function of histories and follows from
    the rules. Two public belief states are equal if their games, public states, and ranges are
    equal.

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
    """The game."""
    public_state: int
    """Index of the public state in the public tree."""
    ranges: tuple[FloatArray, ...]
    """Per player [S_p] its own reach of each of its infostates at the public state, in increasing
    order of their indices. Any scale is allowed, such as a sum of one."""

    def __post_init__(self) -> None:
        check_public_state(self.tree, self.public_state)
        copies = tuple(np.array(given, dtype=np.float64) for given in self.ranges)
        sizes = [len(numbers) for numbers in self.infostates]
        shapes = [player_range.shape for player_range in copies]
        if shapes != [(size,) for size in sizes]:
            raise ParameterError(
                f"the ranges have shapes {shapes}; at {self.label!r} the players have {sizes} "
                "infostates; compute the ranges of a policy with ranges(policy, public_state)"
            )
        for player, player_range in enumerate(copies):
            if not (np.isfinite(player_range) & (player_range >= 0)).all():
                raise ParameterError(
                    f"the range of player {player} has an entry that is negative or not finite; "
                    f"give nonnegative finite numbers"
                )
            player_range.flags.writeable = False
        object.__setattr__(self, "ranges", copies)

    @classmethod
    def from_policy(
        cls, tree: GameTree, policy: TabularPolicy, public_state: int
    ) -> PublicBeliefState:
        """Return the public belief state of a policy, with unnormalized ranges."""
        check_public_state(tree, public_state)
        return cls(tree, public_state, ranges(transfer_policy(policy, tree), public_state))

    @classmethod
    def with_unit_ranges(cls, tree: GameTree, public_state: int = 0) -> PublicBeliefState:
        """Return the public belief state whose ranges are all one, by default at the root."""
        check_public_state(tree, public_state)
        return cls(tree, public_state, tuple(map(np.ones_like, infostates_at(tree, public_state))))

    @cached_property
    def label(self) -> str:
        """The public state as text."""
        return self.tree.public_tree.label(self.public_state)

    @property
    def infostates(self) -> tuple[IntArray, ...]:
        """Per player [S_p] the indices of its infostates at the public state."""
        return infostates_at(self.tree, self.public_state)

    @cached_property
    def histories(self) -> IntArray:
        """[R] the histories of the public state, in increasing order."""
        return histories_at(self.tree, self.public_state)

    @cached_property
    def position(self) -> LongArray:
        """[R, N] position in the range of each player's infostate at each history."""
        there = self.tree.infostate[self.histories]
        columns = [np.searchsorted(n, there[:, p]) for p, n in enumerate(self.infostates)]
        return np.stack(columns, axis=1)

    @property
    def chance_reach(self) -> FloatArray:
        """[R] chance reach of each history."""
        return np.take(self.tree.chance_reach, self.histories)

    @cached_property
    def reach(self) -> FloatArray:
        """[R] reach of each history: chance reach times the range entries of all players."""
        return self._reach_without(None)

    @property
    def probability(self) -> float:
        """Reach of the public state: a probability if the ranges are not normalized."""
        return float(self.reach.sum())

    @property
    def history_distribution(self) -> FloatArray:
        """[R] probability of each history given the public state.

        Raises
        ------
        UnsupportedGameError
            If no history has positive reach.
        """
        if not self.probability > 0:
            raise UnsupportedGameError(
                f"no history at {self.label!r} is reached with these ranges, so the distribution "
                f"of histories is undefined; give ranges that reach a history, or use "
                f"counterfactual reach and values, which are still defined"
            )
        return self.reach / self.probability

    @property
    def marginals(self) -> tuple[FloatArray, ...]:
        """Per player [S_p] the probability of each infostate given the public state.

        This is the belief of an observer without private information; it includes chance and the
        ranges of all players.

        Raises
        ------
        UnsupportedGameError
            If no history has positive reach.
        """
        joint = self.history_distribution
        return tuple(self._sum_by_infostate(p, joint) for p in range(self.tree.num_players))

    def counterfactual_reach(self, player: Player) -> FloatArray:
        """Return [S_p] `P_-i(s_i)`: the reach of each infostate without the player's own range."""
        return self._sum_by_infostate(player, self._reach_without(player))

    def counterfactual_rewards(self, player: Player) -> FloatArray:
        """Return [S_p] `Σ_h P_-i(h) R_i(h)`: earlier rewards, weighted by counterfactual reach.

        Counterfactual values count only future rewards. The result is their difference from values
        that count whole utilities, such as the payoffs of a sequence form.
        """
        paid = self.tree.rewards_so_far[self.histories, player]
        return self._sum_by_infostate(player, self._reach_without(player) * paid)

    def history_beliefs(self, player: Player, infostate: int) -> FloatArray:
        """Return [R] the probability of each history for a player at an infostate.

        `P(h | s_i) = P_-i(h) / P_-i(s_i)`, and zero for histories outside the infostate. The
        player's own range has no effect and may be zero.

        Parameters
        ----------
        infostate
            Index in the player's infostate tree.

        Raises
        ------
        UnsupportedGameError
            If chance and the other players never lead to the infostate.
        """
        numbers = self.infostates[player].tolist()
        if infostate not in numbers:
            raise ParameterError(
                f"infostate {infostate} of player {player} is not at {self.label!r}; give one of "
                f"its infostates there: {numbers}"
            )
        here = self.position[:, player] == numbers.index(infostate)
        weight = np.where(here, self._reach_without(player), 0.0)
        total = float(weight.sum())
        if not total > 0:
            raise UnsupportedGameError(
                "the ranges of the other players never lead to the infostate "
                f"{self.tree.infostate_trees[player].label(infostate)!r} of player {player}, so "
                f"its belief there is undefined; give ranges that reach the infostate"
            )
        return weight / total

    def infostate_beliefs(self, player: Player, infostate: int) -> tuple[FloatArray, ...]:
        """Return the belief at an infostate over each player's [S_p] infostates.

        The player's own distribution is concentrated at the infostate. With three or more players,
        the distributions of the others are marginals; `history_beliefs` returns the joint
        distribution. Parameters and errors are the same as there.
        """
        joint = self.history_beliefs(player, infostate)
        return tuple(self._sum_by_infostate(p, joint) for p in range(self.tree.num_players))

    def normalize(self) -> PublicBeliefState:
        """Return the belief state with every range divided by its sum.

        Distributions over histories and infostates do not change.

        Raises
        ------
        ParameterError
            If a range is zero.
        """
        return replace(self, ranges=tuple(map(normalized_range, self.ranges)))

    def _reach_without(self, player: Player | None) -> FloatArray:
        """Return [R] chance reach times the range entries of all players except one."""
        reach = self.chance_reach
        for other, player_range in enumerate(self.ranges):
            if other != player:
                reach = reach * player_range[self.position[:, other]]
        return reach

    def _sum_by_infostate(self, player: Player, values: FloatArray) -> FloatArray:
        size = len(self.ranges[player])
        return np.bincount(self.position[:, player], values, size).astype(np.float64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PublicBeliefState):
            return NotImplemented
        return (
            self.public_state == other.public_state
            and len(self.ranges) == len(other.ranges)
            and all(map(np.array_equal, self.ranges, other.ranges))
            and (
                self.tree is other.tree
                or self.tree.sequence_form.fingerprint == other.tree.sequence_form.fingerprint
            )
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Without the tree: belief states of equal games are equal. Cached, because world states of
        # subgames contain theirs.
        return hash((self.public_state, *(tuple(values.tolist()) for values in self.ranges)))

    def __str__(self) -> str:
        return f"⟨{self.label}⟩"

    def __repr__(self) -> str:
        shown = ", ".join(map(str, (values.tolist() for values in self.ranges)))
        return f"<PublicBeliefState of {self.tree.game} at {self.label!r}: {shown}>"
