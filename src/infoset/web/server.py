"""The server of the explorer: a page, answers to its questions, and a socket for live runs."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from infoset.errors import InfosetError
from infoset.views import Explorer, RequestError
from infoset.web.guard import MAX_BODY, PROTOCOL, Guard, LocalAddress
from infoset.web.watched_runs import SECONDS_BETWEEN_POINTS, WatchedRun

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.websockets import WebSocket


STATIC: Final = {
    "/": ("index.html", "text/html"),
    "/infoset.js": ("infoset.js", "text/javascript"),
    "/infoset.css": ("infoset.css", "text/css"),
}


def make_app(explorer: Explorer, address: LocalAddress) -> Guard:
    """Return the ASGI application of an explorer, with its guard.

    Parameters
    ----------
    address
        Where the application will be served.
    """
    from starlette.applications import Starlette
    from starlette.routing import Route, WebSocketRoute

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        explorer.stop()

    routes = [
        *(Route(path, partial(_static, path)) for path in STATIC),
        Route("/ask", partial(_ask, explorer), methods=["POST"]),
        WebSocketRoute("/live", partial(_live, explorer)),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    return Guard(app, address, frozenset(STATIC))


@cache
def static_file(name: str) -> bytes:
    """Return a file of the page."""
    return (files("infoset.web") / "static" / name).read_bytes()


def json_text(answer: Any) -> str:
    """Return an answer as JSON text, without spaces; NaN is an error."""
    return json.dumps(answer, allow_nan=False, separators=(",", ":"), ensure_ascii=False)


async def _static(path: str, request: Request) -> Response:
    from starlette.responses import Response

    name, kind = STATIC[path]
    return Response(static_file(name), media_type=f"{kind}; charset=utf-8")


async def _ask(explorer: Explorer, request: Request) -> Response:
    """Answer a question; 400 for one that is not valid, 422 for one that failed."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import Response

    status, answer = 200, {}
    try:
        answer = await run_in_threadpool(explorer.ask, _parsed(await request.body()))
    except RequestError as error:
        status, answer = 400, {"error": str(error)}
    except InfosetError as error:
        status, answer = 422, {"error": str(error)}
    return Response(json_text(answer), status, media_type="application/json")


def _parsed(text: bytes | str) -> Any:
    """Return the JSON value of a request.

    Raises
    ------
    RequestError
        If the text is not JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError("a request is a JSON object") from error


async def _live(explorer: Explorer, socket: WebSocket) -> None:
    """Run a method and send its points until the page closes the socket or stops the run.

    At most ten points a second are sent, each of them the newest; `WatchedRun` has the messages.
    """
    from starlette.concurrency import run_in_threadpool
    from starlette.websockets import WebSocketDisconnect

    await socket.accept(subprotocol=PROTOCOL)
    watched: WatchedRun | None = None
    try:
        try:
            request = await _received(socket)
            watched = await run_in_threadpool(WatchedRun, explorer, request)
            listening = asyncio.create_task(_listen(socket, watched))
            try:
                await _send_news(socket, watched)
            finally:
                listening.cancel()
                with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RequestError):
                    await listening
        except InfosetError as error:
            await socket.send_text(json_text({"error": str(error)}))
        await socket.close()
    except (WebSocketDisconnect, RuntimeError):
        pass  # the page has gone
    finally:
        if watched is not None:
            watched.stop()


async def _received(socket: WebSocket) -> Any:
    text = await socket.receive_text()
    if len(text) > MAX_BODY:
        raise RequestError("the message is too long")
    return _parsed(text)


async def _listen(socket: WebSocket, watched: WatchedRun) -> None:
    """Pass on what the page asks of a run, until it closes the socket."""
    from starlette.websockets import WebSocketDisconnect

    with contextlib.suppress(WebSocketDisconnect, RequestError, KeyError, RuntimeError):
        while True:
            watched.hear(await _received(socket))
    watched.stop()


async def _send_news(socket: WebSocket, watched: WatchedRun) -> None:
    """Send what is new ten times a second, until the run is over."""
    from starlette.concurrency import run_in_threadpool

    is_over = False
    while not is_over:
        messages, is_over = await run_in_threadpool(watched.news)
        for message in messages:
            await socket.send_text(json_text(message))
        if not is_over:
            await asyncio.sleep(SECONDS_BETWEEN_POINTS)
