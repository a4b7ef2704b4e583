"""Rules that are asked again at some world states, because only then chance in them shows."""

from __future__ import annotations

from typing import Any, Final

from infoset.errors import GameRuleError
from infoset.game.answer_checks import DETERMINISTIC
from infoset.game.broken_rules import asked_again
from infoset.tree.world_graph import WorldGraph

MAX_ASKED: Final = 32
"""Number of world states at which rules are asked again."""

ASKED_FIRST: Final = 4
"""How often the rules are asked twice again at the initial world state."""

MAX_EDGES: Final = 200
"""Number of transitions above which a world state is left out."""


def check_repeated_answers(graph: WorldGraph) -> None:
    """Raise if the rules answer otherwise when they are asked again at some world states.

    A game that draws random numbers in its rules is another game at each call; its graph is that of
    none of them. `check_game` asks twice at all world states that it visits.

    Raises
    ------
    GameRuleError
    """
    stride = -(-graph.num_expanded // MAX_ASKED) or 1
    # At the first one several times: there, most games deal.
    for number in (*[0] * ASKED_FIRST, *range(stride, graph.num_expanded, stride)):
        begin, end = graph.first_edge[number : number + 2].tolist()
        if end - begin > MAX_EDGES:
            continue
        world = graph.worlds[number]
        again = asked_again(graph.game, world, MAX_EDGES)
        if again is None:  # longer now, which the comparison of two answers has to explain
            continue
        legal, edges = again
        then = {
            "the legal actions": legal,
            "the transitions": {edge[:2] for edge in edges},
            "the observations": {edge[:2]: edge.seen for edge in edges},
        }
        for what, first in _answers(graph, number, range(begin, end)).items():
            if first != then[what]:
                raise GameRuleError(
                    DETERMINISTIC, found=f"{what} are other ones when asked again", world=world
                )


def _answers(graph: WorldGraph, number: int, edges: range) -> dict[str, Any]:
    """Return the answers at a world state from which the graph was made."""
    legal = tuple(graph.legal_actions(number, player) for player in range(graph.num_players))
    seen = {}
    for edge in edges:
        labels = graph.public_observation[edge], *graph.private_observation[edge]
        public, *private = (graph.observations[label] for label in labels)
        joint, after = graph.joint_action_of(number, edge), graph.worlds[graph.next_world[edge]]
        seen[joint, after] = public, tuple(private)
    return {
        "the legal actions": legal,
        "the transitions": {*seen},
        "the observations": seen,
    }
