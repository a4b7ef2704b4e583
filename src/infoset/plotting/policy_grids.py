"""Tables of a policy in card games: what a player holds, by public state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.forms import InfostateTree, as_public_form, as_sequence_form
from infoset.game.infostate import Infostate, value_text
from infoset.policy import PolicyRow, TabularPolicy
from infoset.typing import NOOP, Player
from infoset.views.labels import EMPTY

MAX_HANDS: Final = 24
MIN_DENSITY: Final = 0.5
"""Smallest fraction of cells with an infostate in a table that is worth its space."""

MAX_SCANNED: Final = 5000
"""Number of infostates of a player, early ones first, from which its table is made."""


@dataclass(frozen=True, eq=False)
class PolicyGrid:
    """The infostates of a player as a table."""

    player: Player
    hands: tuple[str, ...]
    """Columns: what only the player knows, that is its private observations and hidden actions."""
    public_states: tuple[str, ...]
    """Rows: the public observations, those of early decisions first."""
    cells: dict[tuple[int, int], PolicyRow]
    """The policy by row and column; impossible combinations are missing."""

    @property
    def is_readable(self) -> bool:
        """Whether the table is small, has both dimensions, and is mostly filled."""
        num_rows, num_columns = len(self.public_states), len(self.hands)
        is_table = num_rows > 1 and 1 < num_columns <= MAX_HANDS
        return is_table and len(self.cells) >= MIN_DENSITY * num_rows * num_columns


def find_grids(policy: TabularPolicy) -> tuple[PolicyGrid, ...]:
    """Return the tables of all players who act; empty if that of any player is not readable.

    In card games, a player holds one of a few hands at every public state. Where private
    information grows with each step, as in phantom games, tables would be mostly empty.
    """
    rows, grids = policy.sorted_rows(), list[PolicyGrid]()
    for tree in as_sequence_form(policy.form).infostate_trees:
        own, rows = rows[: tree.num_acting], rows[tree.num_acting :]
        if not own:
            continue
        grid = _grid(tree, own[:MAX_SCANNED])
        if grid is None or not grid.is_readable:
            return ()
        grids.append(grid)
    return tuple(grids)


def find_public_grids(policy: TabularPolicy) -> tuple[PolicyGrid, ...]:
    """Return the tables of the players of a public form; empty if a player has too many hands."""
    grids: list[PolicyGrid] = []
    form = as_public_form(policy.form)
    plans = policy.realization_plans()
    for player in range(2):
        nodes, hands = form.decisions[player].tolist(), [*map(value_text, form.hands[player])]
        if not 1 < len(hands) <= MAX_HANDS:
            return ()
        cells, depth = {}, form.treeplexes[player].own_depth
        for place, node in enumerate(nodes[:MAX_SCANNED]):
            chosen, alive = policy.at_node(node), form.possible_hands(node, player)
            # The own reach of each hand is its plan at the player's last sequence before the node.
            before = form.sequences[player].last[[node]].astype(np.int64)
            reach = plans[player][form.places(player, before)[0]]
            for hand in np.flatnonzero(alive).tolist():
                cells[place, hand] = PolicyRow(
                    player,
                    f"[{hands[hand]}] / {form.label(node)}",
                    float(reach[hand]),
                    int(depth[form.infostate_of_hand(node, hand)]),
                    form.legal_actions(node),
                    chosen[:, hand],
                    form.infostate_of_hand(node, hand),
                )
        lines = tuple(form.label(node) for node in nodes)
        grids.append(PolicyGrid(player, tuple(hands), lines, cells))
    return tuple(grids)


def _grid(tree: InfostateTree, rows: list[PolicyRow]) -> PolicyGrid | None:
    """Return the table of the first rows of a player.

    None if the player holds nothing or too much, or if a cell would have two infostates.
    """
    if tree.names is not None:  # infostates of extensive forms are names, not observations
        return None
    numbers = tree.acting[tree.reading_order()].tolist()
    hands, found = dict[str, int](), dict[tuple[int, str], dict[int, PolicyRow]]()
    for number, row in zip(numbers, rows, strict=False):
        hand, public_state = _parts(tree.infostate_at(number))
        line = found.setdefault((int(tree.public_state[number]), public_state), {})
        column = hands.setdefault(hand, len(hands))
        if not hand or column in line or len(hands) > MAX_HANDS:
            return None
        line[column] = row
    lines = sorted(found.items(), key=lambda item: item[0][0])
    cells = {
        (place, column): row
        for place, (_, line) in enumerate(lines)
        for column, row in line.items()
    }
    return PolicyGrid(tree.player, tuple(hands), tuple(text for (_, text), _ in lines), cells)


def _parts(infostate: Infostate) -> tuple[str, str]:
    """Return what only the player knows, and what everybody knows."""
    own, public = [], []
    for step in infostate.steps:
        if step.action is not NOOP and step.action != step.public:
            own.append(f"!{value_text(step.action)}")
        if step.private is not None:
            own.append(value_text(step.private))
        if step.public is not None:
            public.append(value_text(step.public))
    return " ".join(own), " / ".join(public) or EMPTY
