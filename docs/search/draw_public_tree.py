"""Draw the tree of IS-MCTS under a mixed belief, with a root for each own hand, beside this file.

    python docs/search/draw_public_tree.py

It is the tree of a search in Kuhn poker; visits are read from its arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import infoset
from infoset.game import Infostate, Step
from infoset.search import ISMCTS, RulesModel
from infoset.search._ismcts_kernels import NO_NODE, Playout, Tree, update_infostates
from infoset.search.models._model_kernels import choose_action, draw_outcome
from infoset.search.search_tree import SearchRoot

HERE = Path(__file__).parent
GAME, JACK = "kuhn_poker", Infostate(0, (Step(None, "J", None),))
PUBLIC_WEIGHT, SIMULATIONS, SEED = 0.5, 1000, 0
ACTIONS = ("pass", "bet")

WIDTH, HEIGHT, BOX, TALL = 860, 392, 132, 50
INK, LINE, FAINT = "#1a1a1a", "#9aa0a8", "#d5d9de"
FILLS = ("#e3edf8", "#e5f1e4")
"""Colors of the nodes of player 0 and player 1."""
COLORS = ("#2e8b6f", "#c2571a")
"""Colors of a pass and a bet."""
TOPS = (10, 112, 300)
"""Top of the belief, of the roots, and of the nodes of player 1."""


def edges() -> Iterator[tuple[str, float, str, list[int], int, list[int]]]:
    """Yield every edge from a root to a node of player 1.

    Each has the own hand, the probability of the world, the other hand, the visits of the root, the
    number of the action, and the visits of the node below it.
    """
    model = RulesModel(infoset.load(GAME))
    searcher = ISMCTS(model, belief=PUBLIC_WEIGHT, num_simulations=SIMULATIONS)
    searcher.search(JACK, np.random.default_rng(SEED))
    roots = SearchRoot.at(
        model, searcher.belief, JACK, np.random.default_rng(SEED)
    ).kernel_roots
    belief = searcher.belief.at(model.game, JACK)
    tree, playout = searcher._tree.tree, searcher._tree.playout
    for number, world in enumerate(belief.worlds):
        own, other = map(str, world.cards)
        at_root = visits(tree, int(roots.infostates[number, 0]))
        for action in range(len(ACTIONS)):
            go_to(playout, roots.states[number], roots.infostates[number])
            choose_action(model, playout.position, action)
            draw_outcome(model, playout.position, np.zeros(1, np.uint64))
            update_infostates(tree, playout)
            below = visits(tree, int(playout.infostates[1]))
            probability = float(belief.probability[number])
            yield own, probability, other, at_root, action, below


def go_to(playout: Playout, state: np.ndarray, infostates: np.ndarray) -> None:
    """Set a playout to a position."""
    playout.position.state[:] = state
    playout.position.rewards_so_far[:] = 0.0
    playout.infostates[:] = infostates


def visits(tree: Tree, infostate: int) -> list[int]:
    """Return the visits of both actions at a node."""
    first = tree.first_entry[infostate]
    assert first != NO_NODE
    return tree.entry_visits[first : first + len(ACTIONS)].tolist()


def box(x: float, top: float, fill: str, *lines: str, bold: bool = False) -> str:
    """Return a box with lines of text."""
    edge, width = (INK, 2) if bold else (LINE, 1)
    found = [
        f'<rect x="{x - BOX / 2:g}" y="{top}" width="{BOX}" height="{TALL}" rx="5" '
        f'fill="{fill}" stroke="{edge}" stroke-width="{width}"/>'
    ]
    for number, line in enumerate(lines):
        weight = ' font-weight="bold"' if number == 0 else ""
        found.append(
            f'<text x="{x:g}" y="{top + 21 + 18 * number}" text-anchor="middle" '
            f'fill="{INK}"{weight}>{line}</text>'
        )
    return "\n".join(found)


def line(x: float, y: float, to_x: float, to_y: float, color: str) -> str:
    """Return a line."""
    return (
        f'<line x1="{x:.1f}" y1="{y}" x2="{to_x:.1f}" y2="{to_y}" stroke="{color}" '
        'stroke-width="1.5"/>'
    )


def label(x: float, y: float, text: str, anchor: str = "middle") -> str:
    """Return a text on white, so that lines do not cross it."""
    return (
        f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" fill="{INK}" stroke="white" '
        f'stroke-width="4" paint-order="stroke">{text}</text>'
    )


def picture() -> str:
    """Return the picture as SVG."""
    found = list(edges())
    cards = list(dict.fromkeys(own for own, *_ in found))
    chance = {card: sum(e[1] for e in found if e[0] == card) / 2 for card in cards}
    hands = sorted({other for _, _, other, *_ in found}, key=cards.index)
    roots = {card: WIDTH * (0.2 + 0.3 * n) for n, card in enumerate(cards)}
    nodes = {
        (action, hand): WIDTH * (0.5 * action + (0.5 + n) / 6)
        for action in range(len(ACTIONS))
        for n, hand in enumerate(hands)
    }
    lines, boxes, texts = [], {}, []
    for card, x in roots.items():
        lines.append(line(WIDTH / 2, TOPS[0] + TALL, x, TOPS[1], LINE))
        texts.append(
            label((WIDTH / 2 + x) / 2, TOPS[1] - 20, f"{chance[card]:.3f}")
        )
    for own, _, other, at_root, action, below in found:
        shift = (action - 0.5) * BOX / 2
        lines.append(
            line(
                roots[own] + shift,
                TOPS[1] + TALL,
                nodes[action, other],
                TOPS[2],
                COLORS[action],
            )
        )
        boxes["root", own] = box(
            roots[own],
            TOPS[1],
            FILLS[0],
            f"player 0: {own}" + (", true" if own == cards[0] else ""),
            f"{at_root[0]} pass, {at_root[1]} bet",
            bold=own == cards[0],
        )
        boxes[action, other] = box(
            nodes[action, other],
            TOPS[2],
            FILLS[1],
            f"player 1: {other}",
            f"{below[0]} pass, {below[1]} bet",
        )
    start = box(
        WIDTH / 2, TOPS[0], "white", "belief", f"public weight {PUBLIC_WEIGHT:g}"
    )
    texts += [
        f'<text x="{WIDTH * (0.25 + 0.5 * n):g}" y="{HEIGHT - 12}" text-anchor="middle" '
        f'fill="{COLORS[n]}">after a {name}</text>'
        for n, name in enumerate(ACTIONS)
    ]
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    return "\n".join([*head, *lines, start, *boxes.values(), *texts, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "public-tree.svg").write_text(picture(), encoding="utf-8")
