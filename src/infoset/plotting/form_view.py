"""The tree of histories of an extensive form as a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.efg import ExtensiveForm
from infoset.plotting.history_view import alike_nodes, group_nodes
from infoset.plotting.knowledge import LONGEST_CELL, LONGEST_STEP
from infoset.plotting.picture import TERMINAL, Picture, PictureNode, PictureStep, Region
from infoset.plotting.subject import GOES_ON, Limits, Part, choose_part, continued
from infoset.plotting.texts import number_apart, odds_text, shorten, utilities_text
from infoset.policy import TabularPolicy
from infoset.typing import CHANCE, FloatArray, Player

__all__ = ["form_picture"]


def form_picture(
    form: ExtensiveForm, limits: Limits, policy: TabularPolicy | None = None
) -> Picture:
    """Return the tree of histories with the infosets that the form has.

    Those are the infosets of whoever acts in a classical form, and everyone's in an augmented
    one, with public sets as regions.

    Parameters
    ----------
    form : ExtensiveForm
    limits : Limits
    policy : TabularPolicy, optional
        Gives every move a probability; without it only nature's have one.
    """
    part = choose_part(form.parent, limits)
    shares = None if policy is None else _shares(form, policy)
    view = _FormView(form, continued(form.parent, part), shares)
    whose = "every player" if form.is_augmented else "whoever acts"
    regions = _regions(form, part)
    public = ", public sets" if regions else ""
    return Picture(
        kind="history",
        title=f"{form.name}: histories, infosets of {whose}{public}",
        nodes=tuple(view.node(history) for history in range(part.size)),
        player_names=form.player_names,
        columns=tuple(range(form.num_players)),
        cell_meaning="an infoset of {}",
        alike=alike_nodes(form.infoset[: part.size]),
        regions=regions,
        remark=part.remark("history", "histories", form.num_histories),
    )


def _shares(form: ExtensiveForm, policy: TabularPolicy) -> FloatArray:
    """Return [H] the probability of the move that leads to each history."""
    shares = form.chance_probability.copy()
    for player, infostates in enumerate(policy.sequence_form.infostate_trees):
        moved = np.flatnonzero(form.actor[form.parent] == player)
        moved = moved[moved > 0]
        acting = form.acting_infoset[:, player]
        position = np.searchsorted(np.unique(acting[acting >= 0]), acting[form.parent[moved]])
        first = infostates.first_sequence[infostates.acting[position]]
        shares[moved] = policy.probabilities[player][first + form.position[moved]]
    return shares


@dataclass(frozen=True)
class _FormView:
    """What the nodes are made from."""

    form: ExtensiveForm
    continued: set[int]
    shares: FloatArray | None

    def node(self, history: int) -> PictureNode:
        form, actor = self.form, int(self.form.actor[history])
        note = GOES_ON if history in self.continued else ""
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
        share = None if self.shares is None else float(self.shares[history])
        labels = number_apart(str(action) for action in form.legal_actions(parent))
        return PictureStep(
            text=shorten(labels[form.position[history]], LONGEST_STEP),
            movers=(mover,),
            odds=self._odds(history, mover, share),
            share=share,
        )

    def _odds(self, history: int, mover: Player, share: float | None) -> str:
        if mover == CHANCE:
            return odds_text(self.form.probabilities[self.form.chance[history]])
        return "" if share is None else odds_text(share)

    def _cell(self, player: Player, history: int) -> str:
        """Return the name of an infoset, or its number where the name is long."""
        infoset = int(self.form.infoset[history, player])
        if infoset < 0:
            return ""
        name = self.form.infoset_name(player, infoset)
        return name if len(name) <= LONGEST_CELL else f"#{infoset}"


def _regions(form: ExtensiveForm, part: Part) -> tuple[Region, ...]:
    """Return the public sets, those of several depths in pieces."""
    if form.public_set is None:
        return ()
    deepest = int(form.depth.max()) + 1
    public = form.public_set[: part.size].astype(np.int64)
    groups = group_nodes(public * deepest + form.depth[: part.size])
    return tuple(
        Region(shorten(str(form.public_names[label // deepest]), LONGEST_STEP), nodes)
        for label, nodes in groups.items()
    )
