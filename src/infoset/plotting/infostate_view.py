"""The tree of one player's infostates as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from infoset.plotting.history_view import player_names
from infoset.plotting.knowledge import seen_text
from infoset.plotting.picture import TERMINAL, WATCHING, Picture, PictureNode, PictureStep
from infoset.plotting.reaches import Reaches
from infoset.plotting.subject import GOES_ON, Limits, Subject, choose_part, continued
from infoset.plotting.texts import odds_text, utilities_text
from infoset.policy import TabularPolicy
from infoset.tree import InfostateTree
from infoset.typing import FloatArray, IntArray, Player

__all__ = ["infostate_picture", "members", "shared_step", "size_note"]

MOST_UTILITIES = 3


def infostate_picture(
    subject: Subject, player: Player, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of what one player may know, on and off turn.

    Parameters
    ----------
    subject : Subject
    player : Player
    limits : Limits
    policy : TabularPolicy, optional
        Gives every step a probability: that of the player's own action, if any, times that of
        what it sees then, given what it knew.
    """
    tree = subject.tree
    infostates = tree.infostate_trees[player]
    part = choose_part(infostates.parent, limits)
    shares = None if policy is None else Reaches(tree, policy).of_infostates(player)
    view = _InfostateView(subject, infostates, continued(infostates.parent, part), shares)
    groups = members(tree.infostate[:, player], part.size)
    total = infostates.num_infostates if subject.is_whole else None
    return Picture(
        kind="infostate",
        title=f"{tree.game}: infostates of player {player}",
        nodes=tuple(view.node(number, histories) for number, histories in enumerate(groups)),
        player_names=player_names(tree.num_players),
        remark=part.remark("infostate", "infostates", total),
    )


def members(group: IntArray, size: int) -> list[list[int]]:
    """Return the histories of each of the first `size` groups. group [H]."""
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(size + 1))
    return [order[start:stop].tolist() for start, stop in pairwise(bounds.tolist())]


def size_note(histories: Sequence[int]) -> str:
    """Return how many histories there are; nothing for one."""
    return f"×{len(histories):,}" if len(histories) > 1 else ""


def shared_step(
    text: str, movers: tuple[Player, ...], shares: FloatArray | None, number: int
) -> PictureStep:
    """Return the step to an infostate or public state, with its probability if it has one."""
    if shares is None or np.isnan(shares[number]):
        return PictureStep(text, movers)
    share = float(shares[number])
    return PictureStep(text, movers, odds_text(share), share)


@dataclass(frozen=True)
class _InfostateView:
    """What the nodes are made from."""

    subject: Subject
    infostates: InfostateTree
    continued: set[int]
    shares: FloatArray | None

    def node(self, number: int, histories: Sequence[int]) -> PictureNode:
        actor = self._actor(histories)
        return PictureNode(
            parent=int(self.infostates.parent[number]),
            actors=(actor,),
            step=self._step(number),
            note=self._note(number, histories, actor),
            rank=self.subject.rank(histories),
        )

    def _actor(self, histories: Sequence[int]) -> Player:
        """Return the player where it acts, `TERMINAL` where all is over, else `WATCHING`."""
        player = self.infostates.player
        if player in self.subject.actors(histories[0]):
            return player
        is_over = self.subject.actors_among(histories) == {TERMINAL}
        return TERMINAL if is_over else WATCHING

    def _step(self, number: int) -> PictureStep:
        if number == 0:
            return PictureStep()
        is_own = self.infostates.action[number] >= 0
        movers = (self.infostates.player,) if is_own else ()
        return shared_step(seen_text(self.infostates, number), movers, self.shares, number)

    def _note(self, number: int, histories: Sequence[int], actor: Player) -> str:
        utilities = self._utilities(histories) if actor == TERMINAL else ""
        is_cut = number in self.continued or self.subject.is_cut_off(histories)
        parts = (utilities, size_note(histories), GOES_ON if is_cut else "")
        return "  ".join(filter(None, parts))

    def _utilities(self, histories: Sequence[int]) -> str:
        values = np.unique(self.subject.tree.rewards_so_far[histories, self.infostates.player])
        if len(values) <= MOST_UTILITIES:
            return " or ".join(utilities_text([value]) for value in values.tolist())
        return f"{utilities_text(values[:1])} to {utilities_text(values[-1:])}"
