"""Draw the pictures of the pages `forms.md` and `checks.md`, beside this file.

    python docs/images/draw_forms.py

Needs the extra `draw`. The counterexamples are those of the tests:
`tests/support/example_forms.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import infoset
from infoset.plotting import draw

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.support import example_forms  # noqa: E402


def forms() -> dict[str, infoset.ExtensiveForm]:
    """Return what is drawn, by the name of its file."""
    pennies = infoset.efg.build_extensive_form(infoset.load("matrix_mp"))
    early, late = example_forms.two_augmentations()
    return {
        "form-augmented": pennies,
        "form-classical": infoset.efg.forget_non_acting(pennies),
        "form-early": early,
        "form-late": late,
        "form-staircase": example_forms.staircase(4),
        "form-staircase-padded": infoset.efg.pad_timing(example_forms.staircase(4)),
        "check-action-mismatch": example_forms.action_mismatch(),
        "check-forgetful": example_forms.forgetful(),
        "check-absent-minded-driver": example_forms.absent_minded_driver(),
        "check-not-timeable": example_forms.not_timeable(),
        "check-thick-infoset": example_forms.thick_infoset(),
        "check-public-mismatch": example_forms.public_mismatch(),
        "check-hidden-reward": example_forms.hidden_reward(),
        "check-levels": example_forms.levels_apart(),
    }


if __name__ == "__main__":
    for name, form in forms().items():
        draw(form).save(HERE / f"{name}.svg")
