"""The tree of histories as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from infoset.game.infostate import value_text
from infoset.plotting.knowledge import LONGEST_STEP, move_texts, private_texts
from infoset.plotting.picture import TERMINAL, Alike, Picture, PictureNode, PictureStep, Region
from infoset.plotting.reaches import Reaches
from infoset.plotting.subject import GOES_ON, Limits, Part, Subject, choose_part, continued
from infoset.plotting.texts import EMPTY, odds_text, shorten, utilities_text
from infoset.policy import TabularPolicy
from infoset.tree import GameTree, PublicTree
from infoset.typing import CHANCE, IntArray

__all__ = ["alike_nodes", "group_nodes", "history_picture", "player_names", "public_text"]

START = "start"


def history_picture(
    subject: Subject, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of histories, with everyone's infosets, and public states as regions.

    Parameters
    ----------
    subject : Subject
    limits : Limits
    policy : TabularPolicy, optional
        Gives every step a probability; without it only nature's have one.
    """
    tree = subject.tree
    part = choose_part(tree.parent, limits)
    return Picture(
        kind="history",
        title=f"{tree.game}: histories, infosets of every player, public states",
        nodes=_nodes(subject, part, policy),
        player_names=player_names(tree.num_players),
        columns=tuple(range(tree.num_players)),
        alike=alike_nodes(tree.infostate[: part.size]),
        regions=_regions(tree, part),
        remark=part.remark("history", "histories", subject.histories, subject.is_exact),
    )


def _nodes(subject: Subject, part: Part, policy: TabularPolicy | None) -> tuple[PictureNode, ...]:
    tree = subject.tree
    drawn = tree.infostate[: part.size]
    known = [
        private_texts(infostates, dict.fromkeys(drawn[:, player].tolist()))
        for player, infostates in enumerate(tree.infostate_trees)
    ]
    steps = _Steps.of(tree, part, policy)
    more = continued(tree.parent, part)
    nodes = []
    for history, infostates in enumerate(drawn.tolist()):
        actors = subject.actors(history)
        goes_on = history in more or subject.is_cut_off([history])
        nodes.append(
            PictureNode(
                parent=int(tree.parent[history]),
                actors=actors,
                step=steps.step(history),
                cells=tuple(texts[at] for texts, at in zip(known, infostates, strict=True)),
                note=_note(tree, history, actors == (TERMINAL,), goes_on),
                rank=subject.rank([history]),
            )
        )
    return tuple(nodes)


def _note(tree: GameTree, history: int, is_terminal: bool, goes_on: bool) -> str:
    if is_terminal:
        return utilities_text(tree.rewards_so_far[history].tolist())
    return GOES_ON if goes_on else ""


@dataclass(frozen=True)
class _Steps:
    """The steps of a tree: labels by world state, and probabilities under a policy."""

    tree: GameTree
    texts: Mapping[int, list[str]]
    shares: Sequence[float] | None

    @classmethod
    def of(cls, tree: GameTree, part: Part, policy: TabularPolicy | None) -> _Steps:
        worlds = np.unique(tree.world[tree.parent[1 : part.size]]).tolist()
        texts = {world: move_texts(tree.graph, world) for world in worlds}
        shares = None if policy is None else Reaches(tree, policy).of_histories().tolist()
        return cls(tree, texts, shares)

    def step(self, history: int) -> PictureStep:
        """Return the step to a history; an empty one at the root."""
        if history == 0:
            return PictureStep()
        graph, edge = self.tree.graph, int(self.tree.edge[history])
        world = int(self.tree.world[self.tree.parent[history]])
        movers = tuple(np.flatnonzero(graph.joint_action[edge] >= 0).tolist())
        share = None if self.shares is None else self.shares[history]
        return PictureStep(
            text=self.texts[world][edge - int(graph.first_edge[world])],
            movers=movers or (CHANCE,),
            odds=self._odds(edge, movers, share),
            share=share,
        )

    def _odds(self, edge: int, movers: tuple[int, ...], share: float | None) -> str:
        """Return the probability as text; without a policy only where nature has a choice."""
        graph = self.tree.graph
        if movers and share is not None:
            return odds_text(share)
        if movers and graph.probability[edge] == 1:
            return ""
        exact = graph.exact_probability
        return odds_text(float(graph.probability[edge]) if exact is None else exact[edge])


def player_names(num_players: int) -> tuple[str, ...]:
    """Return what the players of a game are called, whose rules give them no names."""
    return tuple(f"player {player}" for player in range(num_players))


def group_nodes(labels: Sequence[int] | IntArray) -> dict[int, tuple[int, ...]]:
    """Return the nodes of each label, both in the order of first appearance; -1 is no label."""
    groups: dict[int, list[int]] = {}
    for node, label in enumerate(np.asarray(labels).tolist()):
        if label >= 0:
            groups.setdefault(label, []).append(node)
    return {label: tuple(nodes) for label, nodes in groups.items()}


def alike_nodes(infoset: IntArray) -> tuple[Alike, ...]:
    """Return the infosets of two or more nodes. infoset [nodes, N], -1 for none."""
    return tuple(
        Alike(player, nodes)
        for player in range(infoset.shape[1])
        for nodes in group_nodes(infoset[:, player]).values()
        if len(nodes) > 1
    )


def public_text(tree: PublicTree, public_state: int) -> str:
    """Return what everybody saw last."""
    if public_state == 0:
        return START
    seen = tree.observations[tree.observation[public_state]]
    return EMPTY if seen is None else shorten(value_text(seen), LONGEST_STEP)


def _regions(tree: GameTree, part: Part) -> tuple[Region, ...]:
    groups = group_nodes(tree.public_state[: part.size])
    return tuple(
        Region(public_text(tree.public_tree, state), nodes) for state, nodes in groups.items()
    )
