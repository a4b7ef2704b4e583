"""The messages between a page and a run that it watches, the same in a socket and in a notebook."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from infoset.views import Explorer, RequestError

SECONDS_BETWEEN_POINTS: Final = 0.1


class WatchedRun:
    """A run, what the page asks of it, and the messages that the page has not seen yet.

    The page begins with `{"run": method, "state": state}`, sends `{"state": state}` when it looks
    at another public state, and `{"stop": 1}` at the end. It receives points, and at last
    `{"policy": position}` or `{"error": text}`.

    Parameters
    ----------
    request
        The first message of the page.

    Raises
    ------
    RequestError
        If the message is not a method and a public state of the game, or two runs are in progress.
    InfosetError
        If the method does not apply to the game.
    """

    def __init__(self, explorer: Explorer, request: object) -> None:
        if not isinstance(request, dict) or request.keys() != {"run", "state"}:
            raise RequestError("the first message is a run and a state")
        method, state = request["run"], request["state"]
        if type(method) is not int or type(state) is not int:
            raise RequestError("run and state are whole numbers")
        self._explorer = explorer
        self._run = explorer.start_run(method, state)
        self._sent: tuple[Any, ...] = ()

    def hear(self, message: object) -> None:
        """Look at another public state, or stop.

        Raises
        ------
        RequestError
            If the message is not a JSON object.
        """
        if not isinstance(message, dict):
            raise RequestError("a message is a JSON object")
        if "stop" in message:
            self.stop()
        state = message.get("state")
        if type(state) is int and 0 <= state < self._run.num_states:
            self._run.state = state

    def stop(self) -> None:
        """End the run at the next opportunity."""
        self._run.stop()

    def news(self) -> tuple[list[dict[str, Any]], bool]:
        """Return the newest point if the page has not seen it, and whether the run is over.

        The messages at the end include the position of the policy in the list of policies.
        """
        is_over = self._run.is_over
        messages: list[dict[str, Any]] = []
        point = self._run.newest()
        if point is not None:
            seen = point.iteration, point.outcome, self._run.state
            if seen != self._sent:
                self._sent = seen
                messages.append(asdict(point))
        if is_over and self._run.error:
            messages.append({"error": self._run.error})
        elif is_over:
            messages.append({"policy": self._explorer.keep_policy(self._run)})
        return messages, is_over
