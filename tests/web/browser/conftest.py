"""Chromium and its pages. Without it the tests are skipped; on a CI machine they fail."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from typing import Any, NoReturn

import pytest

import infoset
from infoset.web import Exploration
from tests.web.browser.jupyterlab import JupyterLab, run_jupyterlab
from tests.web.browser.visitor import Visitor

SCREENSHOTS = Path(__file__).parent / "screenshots"
WEB = Path(__file__).parents[3] / "web"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


def missing(what: str) -> NoReturn:
    """Skip a test that needs something; in CI that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}; tests of the page are not skipped in CI")
    pytest.skip(what)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running Chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright is missing: pip install -e '.[browser]'")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        missing("Chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The text of axe-core, which looks for barriers to people with disabilities."""
    file = WEB / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        missing("axe-core is missing: cd web && npm ci")
    return file.read_text("utf-8")


@pytest.fixture
def visit(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visitor]]:
    """A function that opens an address; at the end every page must be free of errors."""
    visitors: list[Visitor] = []

    def open_page(url: str, hand: str = "mouse", **options: Any) -> Visitor:
        context = chromium.new_context(**options)
        context.set_default_timeout(10_000)
        visitors.append(Visitor(context.new_page(), url, hand))
        return visitors[-1].open()

    request.node.visitors = visitors
    yield open_page
    problems = [problem for visitor in visitors for problem in visitor.problems()]
    for visitor in visitors:
        visitor.page.context.close()
    assert not problems


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any) -> Any:
    """Keep a screenshot of each page of a failed test, and name its file in the failure."""
    report = yield
    if report.when == "call" and report.failed:
        name = re.sub(r"[^-.\w]+", "_", item.name)
        for number, visitor in enumerate(getattr(item, "visitors", [])):
            SCREENSHOTS.mkdir(exist_ok=True)
            path = SCREENSHOTS / f"{name}-{number}.png"
            visitor.page.screenshot(path=path, full_page=True, timeout=20_000)
            report.sections.append(("screenshot", str(path)))
    return report


@pytest.fixture(scope="session")
def kuhn() -> Iterator[Exploration]:
    """Kuhn poker with two policies."""
    with infoset.explore("kuhn_poker", ["uniform", "lp"], open_browser=False) as page:
        yield page


@pytest.fixture(scope="session")
def leduc() -> Iterator[Exploration]:
    """Leduc poker with two policies, and a searcher to play against."""
    with infoset.explore("leduc_poker", ["uniform", "lp"], ["pimc"], open_browser=False) as page:
        yield page


@pytest.fixture(scope="session")
def form() -> Iterator[Exploration]:
    """An extensive form without public states."""
    file = Path(__file__).parents[2] / "efg" / "files" / "games" / "one_card_poker.efg"
    with infoset.explore(str(file), open_browser=False) as page:
        yield page


@pytest.fixture(scope="session")
def rules() -> Iterator[Exploration]:
    """A game that is too large to build."""
    with infoset.build_limits(max_worlds=1000):
        page = infoset.explore("hanabi", open_browser=False)
    yield page
    page.close()


@pytest.fixture(scope="session")
def saved(kuhn: Exploration, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a saved page."""
    path = tmp_path_factory.mktemp("saved") / "kuhn_poker.html"
    kuhn.save(path)
    return path.as_uri()


@pytest.fixture(scope="session")
def lab(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    """JupyterLab, with the extra `notebook`."""
    for module in ("jupyterlab", "anywidget"):
        if find_spec(module) is None:
            missing(f"{module} is missing: pip install -e '.[browser]'")
    with run_jupyterlab(tmp_path_factory.mktemp("jupyterlab")) as found:
        yield found


@pytest.fixture
def notebook(visit: Callable[..., Visitor], lab: JupyterLab) -> Callable[..., Visitor]:
    """A function that runs the cells of a new notebook, and waits for the page in it."""

    def open_notebook(*cells: str, hand: str = "mouse") -> Visitor:
        visitor = visit(lab.write(f"{token_hex(4)}.ipynb", cells), hand)
        page = visitor.page
        page.get_by_text("| Idle").wait_for(timeout=30_000)  # cells run before would be forgotten
        page.locator(".jp-CodeCell").first.click()
        for _ in cells:
            page.keyboard.press("Shift+Enter")
        visitor.root.wait_for(timeout=60_000)
        return visitor

    return open_notebook
