"""The page as a widget of a notebook. The module needs the extra `notebook`."""

from __future__ import annotations

import threading
import time
from typing import Any

import anywidget

from infoset.errors import InfosetError
from infoset.views import Explorer
from infoset.web.server import static_file
from infoset.web.watched_runs import SECONDS_BETWEEN_POINTS, WatchedRun


class ExplorationWidget(anywidget.AnyWidget):
    """The page of a game in a notebook, whose kernel answers the questions of the page.

    A message of the page has an `id` and either a question as `ask`, or as `live` what it asks of
    a run (see `WatchedRun`). Answers have the same `id` and an `answer` or `error`; a run sends its
    messages as `live`, and at last `over`.
    """

    _esm = static_file("infoset.js").decode()
    _css = static_file("infoset.css").decode()

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._watched: dict[str, WatchedRun] = {}
        super().__init__()
        self.on_msg(lambda _, content, buffers: self._hear(content))

    def __repr__(self) -> str:
        """Return the game; notebooks show this text if they cannot show the widget."""
        return f"ExplorationWidget({self._explorer.game}; run the cell again to see the page)"

    def close(self) -> None:
        """Remove the page from the notebook, and end its runs."""
        for watched in list(self._watched.values()):
            watched.stop()
        super().close()

    def _hear(self, content: Any) -> None:
        """Answer a message of the page."""
        if not isinstance(content, dict) or not isinstance(content.get("id"), str):
            return
        number = content["id"]
        try:
            if "ask" in content:
                self._tell(number, answer=self._explorer.ask(content["ask"]))
            elif number in self._watched:
                self._watched[number].hear(content.get("live"))
            else:
                self._watch(number, content.get("live"))
        except InfosetError as error:
            self._tell(number, error=str(error))
        except Exception:
            self._tell(number, error="the question failed; the kernel's log has the error")
            raise

    def _watch(self, number: str, request: object) -> None:
        """Start a run whose messages a thread sends, so that they come while cells run."""
        try:
            watched = WatchedRun(self._explorer, request)
        except InfosetError as error:
            self._tell(number, live={"error": str(error)})
            self._tell(number, over=True)
            return
        self._watched[number] = watched
        threading.Thread(
            target=self._send_news, args=(number, watched), name="infoset widget", daemon=True
        ).start()

    def _send_news(self, number: str, watched: WatchedRun) -> None:
        is_over = False
        while not is_over:
            messages, is_over = watched.news()
            for message in messages:
                self._tell(number, live=message)
            if not is_over:
                time.sleep(SECONDS_BETWEEN_POINTS)
        del self._watched[number]
        self._tell(number, over=True)

    def _tell(self, number: str, **content: Any) -> None:
        self.send({"id": number, **content})
