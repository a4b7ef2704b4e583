"""The guard in front of the server: which requests reach it.

A page of another site can send requests to a server on this machine, and its own host name can be
made to point here (DNS rebinding). The guard therefore compares `Host`, `Origin` and
`Sec-Fetch-Site` with fixed lists, and asks for a token that only the printed address contains.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_BYTES: Final = 24
TOKEN_HEADER: Final = b"x-infoset-token"
PROTOCOL: Final = "infoset"
"""Subprotocol of sockets; the client offers it together with the token."""
MAX_BODY: Final = 64 * 1024
POLICY_REFUSED: Final = 1008

HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True)
class LocalAddress:
    """The address of a server on this machine, with the token of this run."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES))
    """192 random bits, as text; part of the address after `#`, which browsers never send."""

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://127.0.0.1:{self.port}/#{self.token}"

    @property
    def hosts(self) -> frozenset[bytes]:
        """Accepted values of the header `Host`."""
        names = ("127.0.0.1", "localhost", "[::1]")
        return frozenset(f"{name}:{self.port}".encode() for name in names)

    @property
    def origins(self) -> frozenset[bytes]:
        """Accepted values of the header `Origin`."""
        return frozenset(b"http://" + host for host in self.hosts)

    def knows(self, token: bytes) -> bool:
        """Return whether a token is that of this run, in a time that does not depend on it."""
        return hmac.compare_digest(token, self.token.encode())


class Guard:
    """ASGI middleware that refuses requests which do not come from the page of this server.

    Parameters
    ----------
    app : ASGI application
    open_paths
        Paths that need no token: the page itself, which then reads the token from its address.
    """

    def __init__(self, app: App, address: LocalAddress, open_paths: frozenset[str]) -> None:
        self._app = app
        self._address = address
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            # A header that is sent twice could be read differently further on.
            headers[name] = b"" if name in headers else value
        status = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if status:
                await send({"type": "websocket.close", "code": POLICY_REFUSED})
            else:
                await self._app(scope, receive, send)
            return
        if status:
            await _answer(send, status)
            return
        body = await _body(receive)
        if body is None:
            await _answer(send, 413)
            return
        await self._app(scope, _replay(body, receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> int:
        """Return the status of a refusal; 0 if the request may pass."""
        if headers.get(b"host", b"").lower() not in self._address.hosts:
            return 421
        origin = headers.get(b"origin")
        is_socket = scope["type"] == "websocket"
        if is_socket and origin is None:  # browsers send it with every socket
            return 403
        if origin is not None and origin.lower() not in self._address.origins:
            return 403
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return 403
        if not is_socket and scope["path"] in self._open_paths:
            return 0 if scope["method"] in ("GET", "HEAD") else 405
        # Browsers cannot add headers to a socket's request, so the token is a subprotocol.
        offered = scope.get("subprotocols") or ["", ""]
        token = offered[-1].encode() if is_socket else headers.get(TOKEN_HEADER, b"")
        if is_socket and offered[0] != PROTOCOL:
            return 403
        return 0 if self._address.knows(token) else 403


async def _body(receive: Receive) -> bytes | None:
    """Return the body of a request; None if it is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        part = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives the body again, and then further messages."""
    is_read = False

    async def again() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *HEADERS]}
        await send(message)

    return sent


async def _answer(send: Send, status: int) -> None:
    """Answer with a status and nothing else."""
    headers = [(b"content-length", b"0"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
