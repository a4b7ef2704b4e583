"""The tree of public states as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from infoset.plotting.history_view import player_names, public_text
from infoset.plotting.infostate_view import members, shared_step, size_note
from infoset.plotting.knowledge import private_order, private_texts
from infoset.plotting.picture import Picture, PictureNode, PictureStep
from infoset.plotting.reaches import Reaches
from infoset.plotting.subject import GOES_ON, Limits, Subject, choose_part, continued
from infoset.plotting.texts import count_text
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, Player

__all__ = ["public_picture"]

MOST_LISTED, LONGEST_LIST = 8, 26


def public_picture(
    subject: Subject, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of public states, with what each player may know there.

    Parameters
    ----------
    subject : Subject
    limits : Limits
    policy : TabularPolicy, optional
        Gives every step a probability: that of seeing it next, to an outsider who knows what
        is public and the policy.
    """
    tree = subject.tree
    part = choose_part(tree.public_tree.parent, limits)
    shares = None if policy is None else Reaches(tree, policy).of_public_states()
    view = _PublicView(subject, continued(tree.public_tree.parent, part), shares)
    groups = members(tree.public_state, part.size)
    total = tree.public_tree.num_public_states if subject.is_whole else None
    return Picture(
        kind="public",
        title=f"{tree.game}: public states, and the infostates of every player there",
        nodes=tuple(view.node(number, histories) for number, histories in enumerate(groups)),
        player_names=player_names(tree.num_players),
        columns=tuple(range(tree.num_players)),
        remark=part.remark("public state", "public states", total),
    )


@dataclass(frozen=True)
class _PublicView:
    """What the nodes are made from."""

    subject: Subject
    continued: set[int]
    shares: FloatArray | None

    def node(self, number: int, histories: Sequence[int]) -> PictureNode:
        tree = self.subject.tree.public_tree
        found = self.subject.actors_among(histories)
        text = "" if number == 0 else public_text(tree, number)
        return PictureNode(
            parent=int(tree.parent[number]),
            actors=tuple(sorted(found, key=lambda actor: (actor < 0, actor))),
            step=shared_step(text, (), self.shares, number) if number else PictureStep(),
            cells=tuple(self._infostates(number, player) for player in range(len(tree.infostates))),
            note=self._note(number, histories),
            rank=self.subject.rank(histories),
        )

    def _infostates(self, number: int, player: Player) -> str:
        """Return what a player may know besides what is public, or how many infostates it has."""
        tree = self.subject.tree.public_tree
        first, last = tree.first_infostate[player][number : number + 2]
        inside = tree.infostates[player][first:last].tolist()
        if len(inside) <= MOST_LISTED:
            infostates = self.subject.tree.infostate_trees[player]
            inside.sort(key=lambda infostate: private_order(infostates, infostate))
            texts = private_texts(infostates, inside)
            if len(listed := "  ".join(texts.values())) <= LONGEST_LIST:
                return listed
        return count_text(len(inside), "infostate")

    def _note(self, number: int, histories: Sequence[int]) -> str:
        is_cut = number in self.continued or self.subject.is_cut_off(histories)
        return "  ".join(filter(None, (size_note(histories), GOES_ON if is_cut else "")))
