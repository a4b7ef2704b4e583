"""The examples run, and print what their readers expect."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.broad

SAYS = {
    "first_solve": ["player 0 wins -0.0857 chips per game", "uniform play loses 2.37 chips"],
    "own_game": ["Auction: no rule violations found", "an item worth 4: bid"],
    "own_scheme": ["dcfr-milder"],
    "match_searchers": ["wins"],
    "train_on_pgx": ["chips per play against uniform play: "],
    "train_with_sb3": [" 1 rounds: exploitability 0.", "12 rounds: exploitability 0.1"],
}
"""Parts of what each program prints."""

NEEDS = {"train_on_pgx": "pgx", "train_with_sb3": "sb3_contrib"}
"""Libraries that no extra installs; without them the program is not run."""


def test_every_program_is_listed():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*SAYS}


@pytest.mark.parametrize("name", SAYS)
def test_programs_print_what_they_say(name, tmp_path, monkeypatch, capsys, empty_charts):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    for text in SAYS[name]:
        assert text in printed
    assert {path.name for path in tmp_path.iterdir()} <= {"comparison.png"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_cells_of_notebooks_run(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 4
    assert all(cell["outputs"] == [] for cell in code), "saved without outputs"
    names: dict[str, object] = {}
    for cell in code:
        exec(compile(cell["source"], str(path), "exec"), names)
    assert names["result"].exploitability < 1e-9  # type: ignore[attr-defined]
    assert "Q {'pass': 1.0, 'bet': 0.0}" in capsys.readouterr().out
