"""The pictures of the documentation agree with the current code."""

from __future__ import annotations

import json
import re
import runpy
from fnmatch import fnmatch
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

import infoset
from infoset.efg import build_extensive_form, forget_non_acting
from infoset.plotting import draw, plot_convergence
from tests.plotting.svg_reader import Svg

pytestmark = pytest.mark.broad

DOCS = Path(__file__).parents[2] / "docs"
IMAGES = DOCS / "images"
FORMS = runpy.run_path(str(IMAGES / "draw_forms.py"))["FORMS"]


def classical():
    return forget_non_acting(build_extensive_form(infoset.load("kuhn_poker")))


def solved():
    return infoset.solve("kuhn_poker", "cfr+", iterations=1000).policy


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("history", lambda: draw("kuhn_poker")),
        ("infostate", lambda: draw("kuhn_poker", "infostate")),
        ("public", lambda: draw("kuhn_poker", "public")),
        ("policy", lambda: draw("kuhn_poker", "infostate", policy=solved())),
        ("classical", lambda: draw(classical())),
    ],
)
def test_a_picture_of_kuhn_poker_is_up_to_date(name, make):
    assert_up_to_date(f"kuhn_poker-{name}", make())


@pytest.mark.parametrize("name", FORMS)
def test_a_picture_of_a_form_is_up_to_date(name):
    assert_up_to_date(name, draw(FORMS[name]()))


def test_the_pages_on_forms_and_checks_show_all_pictures_of_forms():
    text = "".join((DOCS / page).read_text("utf-8") for page in ("forms.md", "checks.md"))
    assert set(re.findall(r"\]\(images/([\w-]+)\.svg\)", text)) == set(FORMS)


def assert_up_to_date(name, drawing):
    """Compare a stored picture with its drawing: elements, texts and size."""
    stored = Svg((IMAGES / f"{name}.svg").read_text("utf-8"))
    drawn = Svg(drawing.svg())
    assert stored.groups.keys() == drawn.groups.keys()
    assert [text for text, *_ in stored.text_places()] == [t for t, *_ in drawn.text_places()]
    assert stored.size == pytest.approx(drawn.size, abs=2)


def test_the_picture_of_the_packages_follows_the_contract():
    drawing = runpy.run_path(str(IMAGES / "draw_rooms.py"))
    stored = (IMAGES / "rooms.svg").read_text("utf-8")
    assert stored == drawing["picture"](drawing["layers"]())


COMMANDS = json.loads((IMAGES / "commands.json").read_text("utf-8"))
PICTURES = sorted(
    str(path.relative_to(DOCS)) for ending in ("svg", "png") for path in DOCS.rglob(f"*.{ending}")
)
PAGES = [path.read_text("utf-8") for path in (DOCS.parent / "README.md", *DOCS.rglob("*.md"))]


def shown_on(picture):
    """Return the pages that show a picture."""
    link = re.compile(rf"[(/]{re.escape(Path(picture).name)}\)")
    return [text for text in PAGES if link.search(text)]


@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_is_shown_and_has_one_command(picture):
    assert len([pattern for pattern in COMMANDS if fnmatch(picture, pattern)]) == 1
    assert shown_on(picture), "no page shows the picture"


@pytest.mark.parametrize("pattern", COMMANDS)
def test_the_command_of_a_picture_exists(pattern):
    command = COMMANDS[pattern]
    pictures = [picture for picture in PICTURES if fnmatch(picture, pattern)]
    assert pictures, "no picture has this command"
    if command.startswith("python "):
        assert (DOCS.parent / command.split()[1]).is_file()
    elif "*" not in pattern:
        pages = [" ".join(text.split()) for text in shown_on(pictures[0])]
        assert any(command in page for page in pages), "the page does not show the command"


def test_the_picture_of_the_first_solve_is_that_of_its_command():
    command = COMMANDS["images/leduc_poker-cfr-plus.png"].split()
    method, target = command[command.index("--method") + 1], float(command[-1])
    result = infoset.solve(command[2], method, target=target)
    drawn = plot_convergence(result.trace, game=result.game, method=method, target=None)
    buffer = BytesIO()
    drawn.savefig(buffer, format="png")
    stored = imread(IMAGES / "leduc_poker-cfr-plus.png")
    buffer.seek(0)
    redrawn = imread(buffer)
    assert stored.shape == redrawn.shape
    # Fonts are rendered slightly differently by other versions of the libraries.
    assert np.abs(stored - redrawn).mean() < 0.01


@pytest.mark.parametrize("page", sorted((DOCS / "games").glob("*.md")), ids=lambda page: page.stem)
def test_every_game_page_has_a_picture_with_a_text(page):
    assert re.search(r"!\[[^\]]{10,}\]\([^)]*\.svg\)", page.read_text("utf-8"))


def test_the_picture_of_the_public_tree_is_that_of_its_search():
    drawing = runpy.run_path(str(DOCS / "search" / "draw_public_tree.py"))
    assert drawing["picture"]() == (DOCS / "search" / "public-tree.svg").read_text("utf-8")


@pytest.mark.parametrize("name", ["goofspiel", "matrix_games"])
def test_pictures_of_games_are_those_of_their_script(name):
    shown = runpy.run_path(str(DOCS / "games" / "draw_games.py"))["PICTURES"][name]
    drawn = draw(shown.game, shown.view, depth=shown.depth, max_nodes=60).svg()
    assert drawn == (DOCS / "games" / f"{name}.svg").read_text("utf-8")
