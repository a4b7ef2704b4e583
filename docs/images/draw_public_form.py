"""Draw the public form of Kuhn poker, a public tree times hands, beside this file.

    python docs/images/draw_public_form.py

Nodes, hands, sequences and payoffs are read from the form that the library builds.
"""

from __future__ import annotations

from pathlib import Path

import infoset
from infoset.forms import PublicForm

HERE = Path(__file__).parent
WIDTH, HEIGHT = 760, 470
CELL, ROW = 46, 20
INK, LINE, MUTED = "#1a1a1a", "#9aa0a8", "#5b626b"
FILLS = ("#e3edf8", "#e5f1e4")
"""Colors of the decisions of player 0 and player 1."""

PLACES = {
    "(start)": (300, 34),
    "pass": (80, 178),
    "bet": (490, 178),
    "pass / bet": (230, 322),
}
"""Where the table of each decision begins, by its line."""


def picture(form: PublicForm) -> str:
    """Return the picture as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    boxes = {
        node: PLACES[form.label(node)]
        for own in form.decisions
        for node in own.tolist()
    }
    for node in boxes:
        parts += edges(form, node, boxes)
    for node, place in boxes.items():
        parts += table(form, node, *place)
    return "\n".join([*parts, "</svg>", ""])


def edges(
    form: PublicForm, node: int, boxes: dict[int, tuple[int, int]]
) -> list[str]:
    """Return the lines from a decision to what follows each of its actions."""
    left, top = boxes[node]
    hands = len(form.hands[int(form.player[node])])
    bottom = top + ROW * (1 + len(form.legal_actions(node)))
    found = []
    for number, action in enumerate(form.legal_actions(node)):
        start = left + CELL + hands * CELL * (0.25 + 0.5 * number)
        child = form.children.get((node, action))
        if child is None:
            end, low = start + (-36 if number == 0 else 36), bottom + 46
            found.append(text(end, low + 14, ending(form, node, number), MUTED))
        else:
            end, low = boxes[child][0] + CELL * 2.5, boxes[child][1] - 20
        found.append(
            f'<line x1="{start:g}" y1="{bottom}" x2="{end:g}" y2="{low}" stroke="{LINE}"/>'
        )
        middle = start + 0.4 * (end - start), bottom + 0.4 * (low - bottom) + 4
        found.append(
            text(middle[0] + (-34 if number == 0 else 30), middle[1], str(action))
        )
    return found


def ending(form: PublicForm, node: int, action: int) -> str:
    """Return what is paid at the terminal after an action."""
    ends = form.terminals
    [number] = [
        at
        for at in range(len(ends))
        if (int(ends.node[at]), int(ends.action[at])) == (node, action)
    ]
    begin, end = ends.first_payoff[number : number + 2]
    paid = [f"{value:+g}" for value in ends.payoff[begin:end, 0]]
    kind = "showdown" if len(paid) == 3 else "fold"
    return f"{kind}: {paid[-1] if kind == 'fold' else '±' + paid[-1][1:]}"


def table(form: PublicForm, node: int, left: int, top: int) -> list[str]:
    """Return the sequences of the player who acts at a node, by action and hand."""
    player = int(form.player[node])
    _, places = form.places_of_node(node)
    title = f"player {player} at {form.label(node)}"
    found = [text(left + CELL * 2.5, top - 6, title, INK, bold=True)]
    for column, hand in enumerate(form.hands[player]):
        found.append(text(left + CELL * (column + 1.5), top + 14, str(hand), MUTED))
    for row, action in enumerate(form.legal_actions(node)):
        line = top + ROW * (row + 1)
        found.append(text(left + CELL / 2, line + 14, str(action), MUTED))
        for column in range(len(form.hands[player])):
            x = left + CELL * (column + 1)
            found.append(
                f'<rect x="{x}" y="{line}" width="{CELL}" height="{ROW}" '
                f'fill="{FILLS[player]}" stroke="{LINE}"/>'
            )
            found.append(
                text(x + CELL / 2, line + 14, str(int(places[row, column])))
            )
    return found


def text(
    x: float, y: float, label: str, color: str = INK, bold: bool = False
) -> str:
    """Return a centered label."""
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{color}" text-anchor="middle"{weight}>{label}</text>'


if __name__ == "__main__":
    made = picture(infoset.build_public_form("kuhn_poker"))
    (HERE / "public_form.svg").write_text(made, encoding="utf-8")
