"""The compiled source of episodes: a game tree as nodes, and the kernels that play on it."""

from infoset.learning.simulation._kernels import (
    CHANCE_NODE,
    TERMINAL_NODE,
    Infostates,
    Nodes,
    Paths,
    PlayState,
    add_step,
    draw_action,
    draw_mixed,
    draw_outcome,
    play,
)
from infoset.learning.simulation.simulator import (
    Simulator,
    infostate_depths,
    infostate_slots,
    make_simulator,
    number_infostates,
    uniform_slots,
)

__all__ = [
    "CHANCE_NODE",
    "TERMINAL_NODE",
    "Infostates",
    "Nodes",
    "Paths",
    "PlayState",
    "Simulator",
    "add_step",
    "draw_action",
    "draw_mixed",
    "draw_outcome",
    "infostate_depths",
    "infostate_slots",
    "make_simulator",
    "number_infostates",
    "play",
    "uniform_slots",
]
