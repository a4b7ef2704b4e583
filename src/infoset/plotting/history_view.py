"""The tree of histories, of a game or of an extensive form, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from infoset.efg import TERMINAL, ExtensiveForm
from infoset.forms import PublicTree
from infoset.game.infostate import value_text
from infoset.game.player_names import shown_names
from infoset.plotting.picture import Picture, PictureInfoset, PictureNode, PictureStep, Region
from infoset.plotting.step_probabilities import StepProbabilities
from infoset.plotting.truncation import (
    CONTINUES,
    DrawnPart,
    Limits,
    TruncatedTree,
    choose_part,
    truncated_nodes,
)
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import CHANCE, FloatArray, IntArray, Player
from infoset.views.form_views import FormValues
from infoset.views.labels import (
    EMPTY,
    MAX_CELL_LENGTH,
    MAX_STEP_LENGTH,
    move_texts,
    number_duplicates,
    private_texts,
    probability_text,
    shorten,
    utilities_text,
)

START = "start"


def history_picture(
    truncated: TruncatedTree, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of histories, with the infosets of all players and public states as regions.

    Parameters
    ----------
    policy
        Source of the probabilities of all steps; without it only chance moves have probabilities.
    """
    tree = truncated.tree
    part = choose_part(tree.parent, limits)
    groups = _group_nodes(tree.public_state[: part.size])
    return Picture(
        kind="history",
        title=f"{tree.game}: histories, infosets of every player, public states",
        nodes=_nodes(truncated, part, policy),
        player_names=shown_names(tree),
        columns=tuple(range(tree.num_players)),
        infosets=_picture_infosets(tree.infostate[: part.size]),
        regions=tuple(
            Region(public_text(tree.public_tree, state), nodes) for state, nodes in groups.items()
        ),
        remark=part.remark("history", "histories", truncated.histories, truncated.is_exact),
    )


def _nodes(
    truncated: TruncatedTree, part: DrawnPart, policy: TabularPolicy | None
) -> tuple[PictureNode, ...]:
    tree = truncated.tree
    drawn = tree.infostate[: part.size]
    known = [
        private_texts(infostates, dict.fromkeys(drawn[:, player].tolist()))
        for player, infostates in enumerate(tree.infostate_trees)
    ]
    steps = _Steps.of(tree, part, policy)
    more = truncated_nodes(tree.parent, part)
    nodes = []
    for history, infostates in enumerate(drawn.tolist()):
        actors = truncated.actors(history)
        continues = history in more or truncated.is_cut_off([history])
        nodes.append(
            PictureNode(
                parent=int(tree.parent[history]),
                actors=actors,
                step=steps.step(history),
                cells=tuple(texts[at] for texts, at in zip(known, infostates, strict=True)),
                note=_note(tree, history, actors == (TERMINAL,), continues),
                rank=truncated.rank([history]),
            )
        )
    return tuple(nodes)


def _note(tree: GameTree, history: int, is_terminal: bool, continues: bool) -> str:
    if is_terminal:
        return utilities_text(tree.rewards_so_far[history].tolist())
    return CONTINUES if continues else ""


@dataclass(frozen=True)
class _Steps:
    """Labels of the steps of a tree by world state, and probabilities under a policy."""

    tree: GameTree
    texts: Mapping[int, list[str]]
    probabilities: Sequence[float] | None

    @classmethod
    def of(cls, tree: GameTree, part: DrawnPart, policy: TabularPolicy | None) -> _Steps:
        worlds = np.unique(tree.world[tree.parent[1 : part.size]]).tolist()
        texts = {world: move_texts(tree.graph, world) for world in worlds}
        probabilities = (
            None if policy is None else StepProbabilities(tree, policy).of_histories().tolist()
        )
        return cls(tree, texts, probabilities)

    def step(self, history: int) -> PictureStep:
        """Return the step to a history; an empty one at the root."""
        if history == 0:
            return PictureStep()
        graph, edge = self.tree.graph, int(self.tree.edge[history])
        world = int(self.tree.world[self.tree.parent[history]])
        movers = tuple(np.flatnonzero(graph.joint_action[edge] >= 0).tolist())
        probability = None if self.probabilities is None else self.probabilities[history]
        return PictureStep(
            # Edges are numbered world by world; the texts of a world are in the order of its edges.
            text=self.texts[world][edge - int(graph.first_edge[world])],
            movers=movers or (CHANCE,),
            probability_text=self._probability_text(edge, movers, probability),
            probability=probability,
        )

    def _probability_text(
        self, edge: int, movers: tuple[int, ...], probability: float | None
    ) -> str:
        """Return the probability as text; without a policy it is empty except at chance moves."""
        graph = self.tree.graph
        if movers and probability is not None:
            return probability_text(probability)
        if movers and graph.probability[edge] == 1:
            return ""
        exact = graph.exact_probability
        return probability_text(float(graph.probability[edge]) if exact is None else exact[edge])


def _group_nodes(labels: Sequence[int] | IntArray) -> dict[int, tuple[int, ...]]:
    """Return the nodes of each label, in order of first appearance; -1 means no label."""
    groups: dict[int, list[int]] = {}
    for node, label in enumerate(np.asarray(labels).tolist()):
        if label >= 0:
            groups.setdefault(label, []).append(node)
    return {label: tuple(nodes) for label, nodes in groups.items()}


def _picture_infosets(infoset: IntArray) -> tuple[PictureInfoset, ...]:
    """Return the infosets of two or more nodes. `infoset` [nodes, N], -1 for none."""
    return tuple(
        PictureInfoset(player, nodes)
        for player in range(infoset.shape[1])
        for nodes in _group_nodes(infoset[:, player]).values()
        if len(nodes) > 1
    )


def public_text(tree: PublicTree, public_state: int) -> str:
    """Return the last public observation."""
    if public_state == 0:
        return START
    seen = tree.observations[tree.observation[public_state]]
    return EMPTY if seen is None else value_text(seen)


def form_picture(
    form: ExtensiveForm, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of histories with the infosets that the form has.

    A classical form has infosets of the acting player only. An augmented form has infosets of all
    players, and public sets, which are drawn as regions.

    Parameters
    ----------
    policy
        Source of the probabilities of all moves; without it only chance moves have probabilities.
    """
    part = choose_part(form.parent, limits)
    probabilities = None if policy is None else FormValues(form, policy).move_probability
    view = _FormView(form, truncated_nodes(form.parent, part), probabilities)
    whose = "every player" if form.is_augmented else "the acting player"
    regions = _form_regions(form, part)
    public = ", public sets" if regions else ""
    return Picture(
        kind="history",
        title=f"{form.name}: histories, infosets of {whose}{public}",
        nodes=tuple(view.node(history) for history in range(part.size)),
        player_names=shown_names(form),
        columns=tuple(range(form.num_players)),
        cell_meaning="an infoset of {}",
        infosets=_picture_infosets(form.infoset[: part.size]),
        regions=regions,
        remark=part.remark("history", "histories", form.num_histories),
    )


@dataclass(frozen=True)
class _FormView:
    """An extensive form, and the probabilities to draw."""

    form: ExtensiveForm
    continued: set[int]
    probabilities: FloatArray | None

    def node(self, history: int) -> PictureNode:
        form, actor = self.form, int(self.form.actor[history])
        note = CONTINUES if history in self.continued else ""
        return PictureNode(
            parent=int(form.parent[history]),
            actors=(actor,),
            step=self._step(history) if history else PictureStep(),
            cells=tuple(self._cell(player, history) for player in range(form.num_players)),
            note=utilities_text(form.utility[history].tolist()) if actor == TERMINAL else note,
            rank=int(form.position[history]),
        )

    def _step(self, history: int) -> PictureStep:
        form, parent = self.form, int(self.form.parent[history])
        mover = int(form.actor[parent])
        probability = None if self.probabilities is None else float(self.probabilities[history])
        labels = number_duplicates(str(action) for action in form.legal_actions(parent))
        return PictureStep(
            text=shorten(labels[form.position[history]], MAX_STEP_LENGTH),
            movers=(mover,),
            probability_text=self._probability_text(history, mover, probability),
            probability=probability,
        )

    def _probability_text(self, history: int, mover: Player, probability: float | None) -> str:
        if mover == CHANCE:
            return probability_text(self.form.probabilities[self.form.chance[history]])
        return "" if probability is None else probability_text(probability)

    def _cell(self, player: Player, history: int) -> str:
        """Return the name of an infoset, or its number if the name is long."""
        infoset = int(self.form.infoset[history, player])
        if infoset < 0:
            return ""
        name = self.form.infoset_name(player, infoset)
        return name if len(name) <= MAX_CELL_LENGTH else f"#{infoset}"


def _form_regions(form: ExtensiveForm, part: DrawnPart) -> tuple[Region, ...]:
    """Return the public sets; a set that spans several depths is split by depth."""
    if form.public_set is None:
        return ()
    deepest = int(form.depth.max()) + 1
    # One label for each pair of public set and depth, from which division returns the set.
    public = form.public_set[: part.size].astype(np.int64)
    groups = _group_nodes(public * deepest + form.depth[: part.size])
    return tuple(
        Region(str(form.public_names[label // deepest]), nodes) for label, nodes in groups.items()
    )
