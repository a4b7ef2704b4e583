"""Draw the pictures of the pages `forms.md` and `checks.md`, beside this file.

    python docs/images/draw_forms.py

Needs the extra `draw`. The counterexamples are those of the tests:
`tests/support/example_forms.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import infoset
from infoset.plotting import draw

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from tests.support import example_forms  # noqa: E402


def pennies() -> infoset.ExtensiveForm:
    """Return the form of matching pennies, with time steps for both players."""
    return infoset.efg.build_extensive_form(infoset.load("matrix_mp"))


FORMS: dict[str, Callable[[], infoset.ExtensiveForm]] = {
    "form-augmented": pennies,
    "form-classical": lambda: infoset.efg.forget_non_acting(pennies()),
    "form-early": lambda: example_forms.two_augmentations()[0],
    "form-late": lambda: example_forms.two_augmentations()[1],
    "form-staircase": lambda: example_forms.staircase(4),
    "form-staircase-padded": lambda: infoset.efg.pad_timing(
        example_forms.staircase(4)
    ),
    "check-action-mismatch": example_forms.action_mismatch,
    "check-forgetful": example_forms.forgetful,
    "check-absent-minded-driver": example_forms.absent_minded_driver,
    "check-not-timeable": example_forms.not_timeable,
    "check-thick-infoset": example_forms.thick_infoset,
    "check-public-mismatch": example_forms.public_mismatch,
    "check-hidden-reward": example_forms.hidden_reward,
    "check-levels": example_forms.levels_apart,
}
"""What is drawn, by the name of its file."""


if __name__ == "__main__":
    for name, make in FORMS.items():
        draw(make()).save(HERE / f"{name}.svg")
