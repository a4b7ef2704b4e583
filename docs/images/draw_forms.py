"""Draw the pictures of the pages `forms.md` and `checks.md`, beside this file.

    python docs/images/draw_forms.py

Needs the extra `draw`. The counterexamples are those of the tests, in `tests/figures.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import infoset
from infoset.plotting import draw

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

import figures  # noqa: E402


def forms() -> dict[str, infoset.ExtensiveForm]:
    """Return what is drawn, by the name of its file."""
    pennies = infoset.efg.build_extensive_form(infoset.load("matrix_mp"))
    early, late = figures.two_augmentations()
    return {
        "form-augmented": pennies,
        "form-classical": infoset.efg.forget_non_acting(pennies),
        "form-early": early,
        "form-late": late,
        "form-staircase": figures.staircase(4),
        "form-staircase-padded": infoset.efg.pad_timing(figures.staircase(4)),
        "check-action-mismatch": figures.action_mismatch(),
        "check-forgetful": figures.forgetful(),
        "check-absent-minded-driver": figures.absent_minded_driver(),
        "check-not-timeable": figures.not_timeable(),
        "check-thick-infoset": figures.thick_infoset(),
        "check-public-mismatch": figures.public_mismatch(),
        "check-hidden-reward": figures.hidden_reward(),
        "check-levels": figures.levels_apart(),
    }


if __name__ == "__main__":
    for name, form in forms().items():
        draw(form).save(HERE / f"{name}.svg")
