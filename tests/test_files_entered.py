"""The number of files that a call enters, which a reader opens to follow it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import numpy as np
import pytest

import infoset
from infoset.game import Infostate, Step
from infoset.search import search_model

PACKAGE = infoset.__file__.removesuffix("__init__.py")


def files_entered(call: Callable[[], object]) -> list[str]:
    """Return the files of the library whose functions a call runs, in the order of entry.

    The first calls may compile or load kernels, so the result is the shortest of three later ones.
    """
    entered: dict[str, None] = {}

    def note(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            entered.setdefault(frame.f_code.co_filename.removeprefix(PACKAGE))

    call()
    found, before = [], sys.getprofile()
    for _ in range(3):
        entered.clear()
        sys.setprofile(note)
        try:
            call()
        finally:
            sys.setprofile(before)
        found.append(list(entered))
    return min(found, key=len)


@pytest.mark.broad
def test_a_solve_by_name_enters_at_most_55_files():
    endgame = "nolimit_endgame(board=Ks9d8h4s2c,pot=100,stack=200)"
    entered = files_entered(lambda: infoset.solve(endgame, iterations=3))
    assert "regret/_cfr_kernels.py" in entered
    assert len(entered) <= 55, "\n".join(entered)


@pytest.mark.broad
def test_a_decision_by_pimc_enters_at_most_16_files():
    searcher = infoset.PIMC(search_model(infoset.build_tree("kuhn_poker")), num_worlds=50)
    infostate = Infostate(1, (Step(None, "J", None), Step(None, None, "bet")))
    entered = files_entered(lambda: searcher.search(infostate, np.random.default_rng(0)))
    assert "search/_perfect_information_kernels.py" in entered
    assert len(entered) <= 16, "\n".join(entered)
