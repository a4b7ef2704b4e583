"""The command `warm`: it compiles the kernels that later processes use."""

from __future__ import annotations

import pytest

from infoset.forms import behavior_to_plan
from infoset.front import kernel_cache
from infoset.learning import LEARNERS
from infoset.search import SEARCHERS
from infoset.solvers import METHODS
from infoset.teams import TEAM_METHODS


def test_kernels_of_a_method_are_compiled(command):
    ran = command("warm", "lp")
    assert ran.code == 0
    assert ran.out.startswith("compiled or loaded the kernels of lp in ")
    assert behavior_to_plan.overloads  # which a small game would run uncompiled


def test_the_names_are_those_of_four_registries(command, monkeypatch):
    known = {*METHODS, *LEARNERS, *SEARCHERS, *TEAM_METHODS}
    assert set(kernel_cache._trials()) == known
    monkeypatch.setattr(kernel_cache, "_trials", lambda: dict.fromkeys(known, ()))
    assert set(command("warm", "--json").json["names"]) == known


def test_an_unknown_name_is_rejected(command):
    ran = command("warm", "cfr+", "pimk")
    assert ran.code == 2
    assert "'pimk'" in ran.complaint
    assert "pimc" in ran.complaint


@pytest.mark.long
@pytest.mark.parametrize("name", kernel_cache._trials())
def test_every_name_can_be_compiled(name):
    assert kernel_cache.compile_kernels([name]) == (name,)
