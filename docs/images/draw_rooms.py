"""Draw the packages of the library, and the path of a game through them, beside this file.

    python docs/images/draw_rooms.py

The packages are those of the layer contract in `pyproject.toml`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

HERE = Path(__file__).parent
WIDTH, ROW, GAP, LEFT = 740, 34, 8, 300
INK, FILL, LINE, ACCENT = "#1a1a1a", "#f0f1f4", "#9aa0a8", "#1f5fa8"

STEPS = {
    "infoset.game": "rules: actors, legal actions, transitions, observations",
    "infoset.forms": "sequence form, public form: payoffs, gradients",
    "infoset.games | infoset.tree": "world graph, game tree; building the forms",
    "infoset.certificates | infoset.efg": "certificates; extensive forms enter here",
    "infoset.policy | infoset.regret": "policies and regret schemes",
    "infoset.beliefs | infoset.evaluation": "evaluation: best responses, beliefs",
    "infoset.runs": "budget, loop, checkpoint, result",
    "infoset.interop | infoset.matches | infoset.solvers": "solve, play, exchange",
    "infoset.resolving": "re-solve parts of a game",
    "infoset.learning": "learn from play",
    "infoset.search | infoset.teams": "search at play time, team games",
    "infoset.deep": "policy networks (extra `deep`)",
    "infoset.front": "the main functions",
    "infoset.views": "what pages show, as values",
    "infoset.plotting": "pictures",
    "infoset.benchmark | infoset.experiments": "score cards; run folders and studies",
    "infoset.web": "pages in the browser",
    "infoset.cli": "commands",
    "infoset.errors | infoset.typing": "errors, types",
    "infoset.utils": "helpers",
    "infoset_studies": "studies of the papers",
}


def layers() -> list[str]:
    """Return the layers of the contract, highest first."""
    project = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text("utf-8"))
    return list(project["tool"]["importlinter"]["contracts"][0]["layers"])


def picture(rows: list[str]) -> str:
    """Return the picture as SVG."""
    height = len(rows) * (ROW + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="DejaVu Sans, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{ACCENT}"/>'
        "</marker></defs>",
    ]
    for number, layer in enumerate(rows):
        packages = [
            name.strip().removeprefix("infoset.") for name in layer.split("|")
        ]
        top = GAP + number * (ROW + GAP)
        width = (LEFT - 2 * GAP - GAP * (len(packages) - 1)) / len(packages)
        for position, package in enumerate(packages):
            left = GAP + position * (width + GAP)
            parts.append(
                f'<rect x="{left:g}" y="{top}" width="{width:.1f}" height="{ROW}" rx="4" '
                f'fill="{FILL}" stroke="{LINE}"/>'
                f'<text x="{left + width / 2:.1f}" y="{top + ROW / 2 + 4}" fill="{INK}" '
                f'text-anchor="middle">{package}</text>'
            )
        parts.append(
            f'<text x="{LEFT + 32}" y="{top + ROW / 2 + 4}" fill="{INK}">{STEPS[layer]}</text>'
        )
    start = GAP + (rows.index("infoset.game") + 0.5) * (ROW + GAP)
    parts.append(
        f'<path d="M{LEFT + 12} {start:g} V{GAP + ROW / 2:g}" stroke="{ACCENT}" stroke-width="2" '
        'fill="none" marker-end="url(#tip)"/>'
    )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "rooms.svg").write_text(picture(layers()), encoding="utf-8")
