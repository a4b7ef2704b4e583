"""Progress while a game is built: its stages, and counts that grow to the known totals."""

from __future__ import annotations

from itertools import groupby

import pytest

from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.tree import BuildPoint, build_sequence_form, build_tree

WORLDS, HISTORIES, TERMINALS = 5071, 9451, 5520


def stages_of(build) -> dict[str, list[BuildPoint]]:
    points: list[BuildPoint] = []
    build(load_game("leduc_poker"), progress=points.append)
    stages = [(name, [*group]) for name, group in groupby(points, key=lambda point: point.stage)]
    assert len({name for name, _ in stages}) == len(stages)
    for _, found in stages:
        assert [point.done for point in found] == sorted(point.done for point in found)
        assert [point.seconds for point in found] == sorted(point.seconds for point in found)
    return dict(stages)


def test_a_sequence_form_is_built_in_three_stages():
    stages = stages_of(build_sequence_form)
    assert [*stages] == ["world graph", "histories", "payoffs"]
    assert 0 < stages["world graph"][-1].done <= WORLDS
    assert {point.total for point in stages["world graph"]} == {None}
    numbered = stages["histories"]
    assert numbered[-1].done == numbered[-1].total == HISTORIES
    assert len(numbered) > 10
    assert {(point.done, point.total) for point in stages["payoffs"]} == {(0, TERMINALS)}


def test_a_tree_is_built_in_two_stages():
    stages = stages_of(build_tree)
    assert [*stages] == ["world graph", "histories"]
    assert stages["histories"][-1].done == stages["histories"][-1].total == HISTORIES


def test_progress_is_a_function():
    with pytest.raises(ParameterError, match=r"progress=5.*BuildPoint"):
        build_tree(load_game("kuhn_poker"), progress=5)
