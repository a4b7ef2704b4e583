"""A visitor of a page, with a mouse or with a keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

try:
    from playwright.sync_api import expect
except ImportError:  # the fixture `chromium` skips the tests
    expect = None

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MAX_TABS = 300
"""Presses of Tab after which a control counts as out of reach."""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


@dataclass
class Visitor:
    """A page, the hand that uses it, and a record of what it logged, asked and was sent.

    Attributes
    ----------
    page : Page
    url : str
    hand : str
        `mouse` clicks; `keyboard` reaches everything by Tab and keys.
    """

    page: Page
    url: str
    hand: str = "mouse"
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    responses: list[Any] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)

    @property
    def root(self) -> Locator:
        """The element of the page; in a notebook it is a part of the document."""
        return self.page.locator(".infoset")

    def open(self) -> Visitor:
        """Open the page and wait for the game."""
        page = self.page
        page.on("console", self._logged)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("response", lambda response: self.responses.append(response))
        page.on("websocket", self._connected)
        page.goto(self.url)
        return self

    def _logged(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _connected(self, socket: Any) -> None:
        self.requests.append(socket.url)
        socket.on("framereceived", lambda frame: self.frames.append(str(frame)))

    def problems(self) -> list[str]:
        """Return the errors of the page, and its requests to the outside."""
        own = self.url.split("#")[0].split("?")[0]
        places = (own, "data:", "blob:", "/".join(own.split("/")[:3]) + "/")
        places = (*places, places[-1].replace("http", "ws", 1))
        outside = [f"request to {url}" for url in self.requests if not url.startswith(places)]
        return self.errors + outside

    def answers(self) -> list[str]:
        """Return the texts of all messages that the page was sent, in order."""
        asked = [answer for answer in self.responses if answer.url.endswith("/ask")]
        return [answer.text() for answer in asked] + self.frames

    def wait_until(self, condition: Callable[[], bool], timeout: float = 10.0) -> None:
        """Wait for a condition on what the page was sent; an error after `timeout` seconds."""
        end = monotonic() + timeout
        while not condition():
            assert monotonic() < end, "what was waited for did not happen"
            self.page.wait_for_timeout(20)  # lets the events of the page arrive

    # What a person does.

    def focus(self, control: Locator) -> None:
        """Reach a control by Tab."""
        expect(control).to_be_visible()
        for _ in range(MAX_TABS):
            if control.evaluate("it => it === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{control} is out of reach of the keyboard")

    def press(self, control: Locator) -> None:
        """Press a button."""
        if self.hand == "mouse":
            control.click()
        else:
            self.focus(control)
            self.page.keyboard.press("Enter")

    def choose(self, name: str, option: str) -> None:
        """Choose an entry of a list."""
        control = self.root.get_by_role("combobox", name=name, exact=True)
        if self.hand == "mouse":
            control.select_option(label=option)
            return
        self.focus(control)
        labels = control.get_by_role("option").all_inner_texts()
        steps = labels.index(option) - int(control.evaluate("it => it.selectedIndex"))
        for _ in range(abs(steps)):
            self.page.keyboard.press("ArrowDown" if steps > 0 else "ArrowUp")
        expect(control.locator("option:checked")).to_have_text(option)

    def show(self, view: str) -> None:
        """Open a view by its tab."""
        tab = self.root.get_by_role("tab", name=view)
        if self.hand == "mouse":
            tab.click()
        else:
            self.focus(self.root.get_by_role("tab", selected=True))
            for _ in range(4):
                if tab.get_attribute("aria-selected") == "true":
                    break
                self.page.keyboard.press("ArrowRight")
            expect(tab).to_be_focused()
        expect(tab).to_have_attribute("aria-selected", "true")

    def open_beliefs(self) -> Locator:
        """Open what an onlooker believes, once all above it is there; return it."""
        expect(self.root.get_by_role("heading", name="It believes that")).to_be_visible()
        self.press(self.root.locator("summary", has_text="belief of an onlooker"))
        matrix = self.root.get_by_role("region", name="belief matrix")
        expect(matrix).to_be_visible()
        return matrix

    def explore(self, *labels: str) -> Locator:
        """Go from the root of the tree to a descendant, by the labels on the way; return it."""
        node = self.root.get_by_role("treeitem").first
        expect(node).to_have_attribute("aria-expanded", "true")
        if self.hand == "keyboard":
            self.focus(self.root.locator("[role=treeitem][tabindex='0']"))
            self.page.keyboard.press("Home")
            expect(node).to_be_focused()
        for level, label in enumerate(labels, start=2):
            # Elements of a tree are in depth-first order.
            below = node.locator(f"xpath=following-sibling::*[@aria-level='{level}']")
            child = below.filter(has_text=label).first
            if self.hand == "mouse":
                child.click()
            else:
                self._step_into(child)
            expect(child).to_have_attribute("aria-selected", "true")
            node = child
        return node

    def _step_into(self, child: Locator) -> None:
        """Go from the focused node to one of its children by arrow keys."""
        at = self.root.locator("[role=treeitem]:focus")
        expect(at).to_have_attribute("aria-expanded", "true")
        key = "ArrowRight"
        while not child.evaluate("it => it === document.activeElement"):
            before = at.get_attribute("data-node")
            self.page.keyboard.press(key)
            expect(at).not_to_have_attribute("data-node", before or "")
            key = "ArrowDown"

    # What can be seen.

    def barriers(self, axe: str) -> list[str]:
        """Return what axe finds against WCAG 2, levels A and AA."""
        self.page.evaluate(axe)
        found = self.page.evaluate(
            """async tags => (await axe.run(document.querySelector(".infoset"),
                {runOnly: {type: "tag", values: tags}})).violations""",
            WCAG,
        )
        return [
            f"{entry['id']}: {node['target']} {node['failureSummary']}"
            for entry in found
            for node in entry["nodes"]
        ]

    def overflow(self) -> list[str]:
        """Return the parts of the page that reach beyond its width."""
        for _ in range(20):  # charts are drawn anew after a moment
            if not (wide := self._wide()):
                break
            self.page.wait_for_timeout(50)
        return wide

    def _wide(self) -> list[str]:
        return self.page.evaluate(
            """() => {
                const width = document.documentElement.clientWidth;
                if (document.documentElement.scrollWidth <= width) return [];
                const wide = [...document.querySelectorAll("body *")].filter(
                    it => it.getBoundingClientRect().right > width + 0.5);
                const text = it => it.textContent.slice(0, 40);
                return wide.map(it => `${it.tagName} ${it.className} ${text(it)}`);
            }"""
        )

    def hidden_controls(self) -> list[str]:
        """Return the controls outside regions that scroll which are not fully within the width."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll(".infoset :is(button, select, summary)")]
                .filter(it => it.getClientRects().length && !it.closest(".scroll, .tree"))
                .filter(it => {
                    const box = it.getBoundingClientRect();
                    return box.left < 0 || box.right > document.documentElement.clientWidth + 0.5;
                }).map(it => it.textContent.slice(0, 40))"""
        )

    def small_text(self, pixels: float) -> list[str]:
        """Return the texts whose letters are smaller than a size."""
        return self.page.evaluate(
            """least => [...document.querySelectorAll(".infoset *")].filter(it =>
                [...it.childNodes].some(node => node.nodeType === 3 && node.data.trim())
                && it.getClientRects().length && parseFloat(getComputedStyle(it).fontSize) < least
            ).map(it => `${getComputedStyle(it).fontSize} ${it.textContent.slice(0, 40)}`)""",
            pixels,
        )


def parsed(messages: list[str]) -> list[Any]:
    """Return messages as JSON values."""
    return [json.loads(message) for message in messages]


def number_text(value: float, digits: int = 3) -> str:
    """Return a number as the page writes it."""
    size = abs(value)
    if size < 1e-9:
        return "0"
    if size >= 1e-3:
        return f"{value:.{digits}f}".replace("-", "−")
    mantissa, power = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(power)}".replace("-", "−")
