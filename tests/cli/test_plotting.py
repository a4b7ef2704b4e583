"""`infoset plot`."""

from shutil import copytree

import pytest

import infoset
from infoset.experiments import save_comparison, save_run

MINE = "iteration,exploitability\n1,0.5\n100,0.02\n"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Save a comparison, two runs of different games, and a file of another program."""
    folder = tmp_path_factory.mktemp("saved")
    save_comparison(infoset.compare("kuhn_poker", ["cfr", "lp"], iterations=20), folder / "both")
    save_run(infoset.solve("kuhn_poker", "dcfr", iterations=20), folder / "runs" / "dcfr")
    save_run(infoset.solve("matrix_mp", "dcfr", iterations=20), folder / "runs" / "other")
    (folder / "mine.csv").write_text(MINE)
    return folder


@pytest.fixture
def runs(saved, tmp_path):
    """Copy what is saved to the folder of a test."""
    copytree(saved, tmp_path, dirs_exist_ok=True)


def test_runs_are_drawn_with_their_names(command, runs, tmp_path):
    given = ["both", "mine=mine.csv", "first=runs/dcfr", "--out", "figure.svg"]
    options = ["--title", "A title", "--y-label", "an error", "--target", "1%", "--size", "7x4"]
    ran = command("plot", *given, *options)
    assert ran.err == ""
    assert "saved in figure.svg" in ran.out
    text = (tmp_path / "figure.svg").read_text()
    texts = ("cfr", "lp", "mine", "first", "A title", "an error", "target 0.04")
    assert [shown for shown in texts if f">{shown}</text>" not in text] == []
    assert 'width="504pt" height="288pt"' in text


def test_runs_of_several_games_have_a_panel_each(command, runs, tmp_path):
    ran = command("plot", "runs/dcfr", "runs/other", "--out", "figure.svg")
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[0][:2] == ["game", "name"]
    assert [row[0] for row in rows[2:4]] == ["kuhn_poker", "matrix_mp"]
    text = (tmp_path / "figure.svg").read_text()
    assert all(f">{game}</text>" in text for game in ("kuhn_poker", "matrix_mp"))


def test_the_object_of_json(command, runs):
    ran = command("plot", "both", "mine=mine.csv", "--out", "figure.pdf", "--json")
    assert ran.json["file"] == "figure.pdf"
    assert [one["name"] for one in ran.json["runs"]] == ["cfr", "lp", "mine"]
    assert ran.json["runs"][2] == {
        "name": "mine",
        "game": None,
        "seed": None,
        "measurements": 2,
        "iterations": 100,
        "error": "exploitability",
        "last_error": 0.02,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs", "--out", "a.pdf"], "folders in it do; give these: runs/dcfr runs/other"),
        (["runs/dcr", "--out", "a.pdf"], "did you mean runs/dcfr?"),
        (["x=runs/dcr", "--out", "a.pdf"], "there is no file or folder runs/dcr"),
        (["x=both", "--out", "a.pdf"], "'x' names one line"),
        (["runs/dcfr", "runs/other", "--out", "a.pdf", "--x-label", "t"], "one chart for each"),
        (["runs/dcfr", "runs/other", "--out", "a.pdf", "--against", "both"], "give iterations or"),
        (["both", "--out", "a.doc"], "use a name that ends in"),
        (["both", "--out", "missing/a.pdf"], "there is no folder missing"),
        (["both", "--out", "a.pdf", "--size", "6"], "a width and a height in inches"),
        (["both", "--out", "a.pdf", "--band", "std"], "unknown band 'std'"),
        (["both", "--out", "a.pdf", "--against", "time"], "unknown axis 'time'"),
        (["mine.csv", "--out", "a.pdf", "--percent"], "--payoff-width"),
        (["both"], "--out"),
        (["--out", "a.pdf"], "RUN"),
    ],
)
def test_mistakes_are_reported_and_nothing_is_written(command, runs, tmp_path, arguments, message):
    assert message in command("plot", *arguments).complaint
    assert not list(tmp_path.glob("a.*"))
