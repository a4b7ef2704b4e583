"""The tree of one player's infostates, and the tree of public states, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from infoset.efg import TERMINAL
from infoset.forms import InfostateTree
from infoset.game import player_name
from infoset.game.player_names import shown_names
from infoset.plotting.history_view import public_text
from infoset.plotting.picture import OBSERVING, Picture, PictureNode, PictureStep
from infoset.plotting.sibling_order import sibling_ranks
from infoset.plotting.step_probabilities import StepProbabilities
from infoset.plotting.truncation import (
    CONTINUES,
    Limits,
    TruncatedTree,
    choose_part,
    truncated_nodes,
)
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, IntArray, Player
from infoset.views.labels import (
    MAX_STEP_LENGTH,
    count_text,
    observation_text,
    private_order,
    private_texts,
    probability_text,
    shorten,
    utilities_text,
)

MAX_UTILITIES = 3


def infostate_picture(
    truncated: TruncatedTree, player: Player, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of one player's infostates, including those at which it does not act.

    Parameters
    ----------
    policy
        Source of the probabilities of the steps: the probability of the player's own action, if
        any, times that of the next observation given the parent infostate.
    """
    tree = truncated.tree
    infostates = tree.infostate_trees[player]
    part = choose_part(infostates.parent, limits)
    probabilities = (
        None if policy is None else StepProbabilities(tree, policy).of_infostates(player)
    )
    groups = _group_histories(tree.infostate[:, player], part.size)
    view = _InfostateView(
        truncated,
        infostates,
        truncated_nodes(infostates.parent, part),
        probabilities,
        sibling_ranks(tree, tree.infostate[:, player], groups),
    )
    total = infostates.num_infostates if truncated.is_whole else None
    return Picture(
        kind="infostate",
        title=f"{tree.game}: infostates of {player_name(tree, player)}",
        nodes=tuple(view.node(number, histories) for number, histories in enumerate(groups)),
        player_names=shown_names(tree),
        remark=part.remark("infostate", "infostates", total),
    )


def _group_histories(group: IntArray, size: int) -> list[list[int]]:
    """Return the histories of each of the first `size` groups. `group` [H]."""
    order = np.argsort(group, kind="stable")
    # The sorted histories of group g are those from bounds[g] up to bounds[g + 1].
    bounds = np.searchsorted(group[order], np.arange(size + 1))
    return [order[start:stop].tolist() for start, stop in pairwise(bounds.tolist())]


def _size_note(histories: Sequence[int]) -> str:
    """Return the number of histories as text; empty for one."""
    return f"×{len(histories):,}" if len(histories) > 1 else ""


def _observed_step(
    text: str, movers: tuple[Player, ...], probabilities: FloatArray | None, number: int
) -> PictureStep:
    """Return the step to an infostate or public state, with its probability if it has one."""
    if probabilities is None or np.isnan(probabilities[number]):
        return PictureStep(text, movers)
    probability = float(probabilities[number])
    return PictureStep(text, movers, probability_text(probability), probability)


@dataclass(frozen=True)
class _InfostateView:
    """The data from which the nodes are made."""

    truncated: TruncatedTree
    infostates: InfostateTree
    continued: set[int]
    probabilities: FloatArray | None
    ranks: Sequence[int]

    def node(self, number: int, histories: Sequence[int]) -> PictureNode:
        actor = self._actor(histories)
        return PictureNode(
            parent=int(self.infostates.parent[number]),
            actors=(actor,),
            step=self._step(number),
            note=self._note(number, histories, actor),
            rank=self.ranks[number],
        )

    def _actor(self, histories: Sequence[int]) -> Player:
        """Return the player if it acts, `TERMINAL` at the end of the game, else `OBSERVING`."""
        player = self.infostates.player
        if player in self.truncated.actors(histories[0]):
            return player
        is_over = self.truncated.actors_among(histories) == {TERMINAL}
        return TERMINAL if is_over else OBSERVING

    def _step(self, number: int) -> PictureStep:
        if number == 0:
            return PictureStep()
        is_own = self.infostates.action[number] >= 0
        movers = (self.infostates.player,) if is_own else ()
        return _observed_step(
            observation_text(self.infostates, number), movers, self.probabilities, number
        )

    def _note(self, number: int, histories: Sequence[int], actor: Player) -> str:
        utilities = self._utilities(histories) if actor == TERMINAL else ""
        is_cut = number in self.continued or self.truncated.is_cut_off(histories)
        parts = (utilities, _size_note(histories), CONTINUES if is_cut else "")
        return "  ".join(filter(None, parts))

    def _utilities(self, histories: Sequence[int]) -> str:
        values = np.unique(self.truncated.tree.rewards_so_far[histories, self.infostates.player])
        if len(values) <= MAX_UTILITIES:
            return " or ".join(utilities_text([value]) for value in values.tolist())
        return f"{utilities_text(values[:1])} to {utilities_text(values[-1:])}"


MAX_LISTED, MAX_LIST_LENGTH = 8, 26


def public_picture(
    truncated: TruncatedTree, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of public states, with the infostates of each player there.

    Parameters
    ----------
    policy
        Source of the probabilities of the steps: the probability of the next public observation
        given the public state and the policies.
    """
    tree = truncated.tree
    part = choose_part(tree.public_tree.parent, limits)
    probabilities = None if policy is None else StepProbabilities(tree, policy).of_public_states()
    groups = _group_histories(tree.public_state, part.size)
    view = _PublicView(
        truncated,
        truncated_nodes(tree.public_tree.parent, part),
        probabilities,
        sibling_ranks(tree, tree.public_state, groups),
    )
    total = tree.public_tree.num_public_states if truncated.is_whole else None
    return Picture(
        kind="public",
        title=f"{tree.game}: public states, and the infostates of every player there",
        nodes=tuple(view.node(number, histories) for number, histories in enumerate(groups)),
        player_names=shown_names(tree),
        columns=tuple(range(tree.num_players)),
        remark=part.remark("public state", "public states", total),
    )


@dataclass(frozen=True)
class _PublicView:
    """The data from which the nodes are made."""

    truncated: TruncatedTree
    continued: set[int]
    probabilities: FloatArray | None
    ranks: Sequence[int]

    def node(self, number: int, histories: Sequence[int]) -> PictureNode:
        tree = self.truncated.tree.public_tree
        found = self.truncated.actors_among(histories)
        text = "" if number == 0 else shorten(public_text(tree, number), MAX_STEP_LENGTH)
        return PictureNode(
            parent=int(tree.parent[number]),
            actors=tuple(sorted(found, key=lambda actor: (actor < 0, actor))),
            step=_observed_step(text, (), self.probabilities, number) if number else PictureStep(),
            cells=tuple(self._infostates(number, player) for player in range(len(tree.infostates))),
            note=self._note(number, histories),
            rank=self.ranks[number],
        )

    def _infostates(self, number: int, player: Player) -> str:
        """Return the private parts of a player's infostates, or their number if there are many."""
        tree = self.truncated.tree.public_tree
        first, last = tree.first_infostate[player][number : number + 2]
        inside = tree.infostates[player][first:last].tolist()
        if len(inside) <= MAX_LISTED:
            infostates = self.truncated.tree.infostate_trees[player]
            inside.sort(key=lambda infostate: private_order(infostates, infostate))
            texts = private_texts(infostates, inside)
            if len(listed := "  ".join(texts.values())) <= MAX_LIST_LENGTH:
                return listed
        return count_text(len(inside), "infostate")

    def _note(self, number: int, histories: Sequence[int]) -> str:
        is_cut = number in self.continued or self.truncated.is_cut_off(histories)
        return "  ".join(filter(None, (_size_note(histories), CONTINUES if is_cut else "")))
