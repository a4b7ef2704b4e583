"""Draw how a world form sums plans: the ways in which an opponent fills three cells, unseen.

python docs/images/draw_world_form.py
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from pathlib import Path

from draw_public_form import FILLS, INK, LINE, text

HERE = Path(__file__).parent
WIDTH, HEIGHT = 760, 310
CELLS = "abc"
TOP, STEP = 64, 72
"""Vertical position of the first row of nodes, and distance of the next."""

Row = dict[str, float]
"""The horizontal position of each node of a row, by its stones."""


def picture() -> str:
    """Return the picture as SVG."""
    orders = [
        ["".join(own) for own in permutations(CELLS, size)] for size in range(4)
    ]
    stones = [
        ["".join(own) for own in combinations(CELLS, size)] for size in range(4)
    ]
    histories = [
        placed(row, 190, width)
        for row, width in zip(orders, (0, 124, 62, 62), strict=True)
    ]
    worlds = [placed(row, 570, 124) for row in stones]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(190, 26, "histories: orders of the stones", INK, bold=True),
        text(570, 26, "worlds: the stones, with sums of plans", INK, bold=True),
        *drawing(
            histories, FILLS[1], 26, lambda before, after: after[:-1] == before
        ),
        *drawing(
            worlds, FILLS[0], 56, lambda before, after: set(before) < set(after)
        ),
    ]
    return "\n".join([*parts, "</svg>", ""])


def placed(keys: list[str], middle: float, width: float) -> Row:
    """Return a row of nodes at equal distances."""
    left = middle - width * (len(keys) - 1) / 2
    return {key: left + width * place for place, key in enumerate(keys)}


def drawing(rows: list[Row], fill: str, half: float, leads_to) -> list[str]:
    """Return the lines between the nodes, and the nodes with the plans that are summed there."""
    found = []
    for level, (above, below) in enumerate(pairwise(rows)):
        y = TOP + level * STEP + 12
        found += [
            f'<line x1="{left:g}" y1="{y}" x2="{x:g}" y2="{y + STEP - 24}" stroke="{LINE}"/>'
            for before, left in above.items()
            for after, x in below.items()
            if leads_to(before, after)
        ]
    for level, row in enumerate(rows):
        y = TOP + level * STEP
        for key, x in row.items():
            orders = (
                ["".join(own) for own in permutations(key)] if half > 30 else [key]
            )
            name = " + ".join(f"x({own or '∅'})" for own in orders)
            found.append(
                f'<rect x="{x - half:g}" y="{y - 12}" width="{2 * half:g}" height="24" rx="5" '
                f'fill="{fill}" stroke="{LINE}"/>'
            )
            found.append(text(x, y + 4, name if len(orders) < 3 else "sum of six"))
    return found


if __name__ == "__main__":
    (HERE / "world_form.svg").write_text(picture(), encoding="utf-8")
