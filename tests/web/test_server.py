"""The server of a page: what it answers, and what its guard refuses."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
from collections.abc import Iterator
from socket import IPPROTO_TCP, TCP_NODELAY

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect

import infoset
from infoset.errors import ParameterError
from infoset.web import Exploration, LocalAddress

STATE = {"ask": "state", "policy": 0, "state": 0}


@pytest.fixture(scope="module")
def page() -> Iterator[Exploration]:
    with infoset.explore("kuhn_poker", ["uniform", "lp"], open_browser=False) as found:
        yield found


def send(page, method="POST", path="/ask", body=STATE, *, without=(), **headers):
    """Send a request as the page does, with other headers; return the status, headers and body."""
    port, token = page._address.port, page._address.token
    given = {"Host": f"127.0.0.1:{port}", "X-Infoset-Token": token, **headers}
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        if name not in without:
            link.putheader(name, value)
    link.putheader("Content-Length", str(len(text)))
    link.endheaders(text)
    answer = link.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    link.close()
    return found


def test_the_page_and_its_answers(page):
    for path, kind in (("/", "html"), ("/infoset.js", "javascript"), ("/infoset.css", "css")):
        status, headers, body = send(page, "GET", path, b"", without=["X-Infoset-Token"])
        assert (status, len(body) > 200) == (200, True)
        assert kind in headers["content-type"]
    status, headers, body = send(page)
    assert status == 200
    assert json.loads(body) == json.loads(json.dumps(page.explorer.ask(STATE)))
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_it_is_bound_to_this_machine_alone(page):
    found = [
        link.laddr.ip
        for link in psutil.Process().net_connections()
        if link.status == "LISTEN" and link.laddr.port == page._address.port
    ]
    assert found == ["127.0.0.1"]


def test_answers_are_sent_without_delay(page):
    link = http.client.HTTPConnection("127.0.0.1", page._address.port, timeout=20)
    link.request("GET", "/")
    link.getresponse().read()
    with socket(page):
        held = [one.transport for one in page._server.server_state.connections]
        options = [
            transport.get_extra_info("socket").getsockopt(IPPROTO_TCP, TCP_NODELAY)
            for transport in held
            if not transport.is_closing()
        ]
    link.close()
    assert len(options) >= 2  # a page's questions, and a run that is watched
    assert all(options)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Host": "localhost:PORT"}, 200),
        ({"Origin": "http://127.0.0.1:PORT"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://127.0.0.1:PORT"}, 403),
        ({"Host": "evil.example:PORT", "Origin": "http://evil.example:PORT"}, 421),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"X-Infoset-Token": ""}, 403),
        ({"X-Infoset-Token": "x" * 32}, 403),
    ],
)
def test_requests_of_others_are_refused(page, headers, status):
    port = str(page._address.port)
    given = {name: value.replace("PORT", port) for name, value in headers.items()}
    found, sent, body = send(page, **given)
    assert found == status
    if status != 200:
        assert body == b""
        assert "content-security-policy" in sent


def test_a_missing_host_or_token_is_refused(page):
    # Without a body: the server closes the connection, and a body that it has not read resets it.
    assert send(page, "GET", "/", b"", without=["Host"])[0] in (400, 421)
    assert send(page, without=["X-Infoset-Token"])[0] == 403


def test_tokens_are_random_and_compared_whole():
    first, second = LocalAddress(1), LocalAddress(1)
    assert first.token != second.token
    assert len(first.token) == 32  # 24 bytes in base 64
    assert first.knows(first.token.encode())
    assert not first.knows(first.token[:-1].encode())
    assert not first.knows(b"")


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/ask", b"x" * (64 * 1024 + 1), 413),
        ("POST", "/ask", b"", 400),
        ("POST", "/ask", b"[" * 5000, 400),
        ("POST", "/ask", b'{"ask":"state","policy":1e99,"state":0}', 400),
        ("POST", "/ask", b'{"ask":"state","policy":NaN,"state":0}', 400),
        ("POST", "/ask", b'{"method":"load","params":{"game":"evil.py:Evil"}}', 400),
        ("POST", "/ask", b"\xff\xfe", 400),
        ("GET", "/ask", b"", 405),
        ("POST", "/", b"", 405),
        ("GET", "/../pyproject.toml", b"", 404),
        ("GET", "/static/index.html", b"", 404),
    ],
)
def test_wrong_requests_get_a_status_and_no_traceback(page, method, path, body, status):
    found, _, text = send(page, method, path, body)
    assert found == status
    assert b"Traceback" not in text


def socket(page, *, origin="own", token=None, protocol="infoset"):
    address = page._address
    return connect(
        f"ws://127.0.0.1:{address.port}/live",
        origin=f"http://127.0.0.1:{address.port}" if origin == "own" else origin,
        subprotocols=[protocol, token or address.token],
        open_timeout=10,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": None},
        {"origin": "http://evil.example"},
        {"token": "x" * 32},
        {"protocol": "other"},
    ],
)
def test_sockets_of_others_are_refused(page, wrong):
    with pytest.raises(WebSocketException), socket(page, **wrong) as link:
        link.recv(5)


def test_a_run_is_watched_and_its_policy_can_be_shown(page):
    method = [one.name for one in page.explorer.methods].index("cfr+")
    before = len(page.explorer.policy_names)
    points = []
    with socket(page) as link:
        link.send(json.dumps({"run": method, "state": 1}))
        while len(points) < 4:
            points.append(json.loads(link.recv(60)))
        link.send(json.dumps({"state": 2}))
        link.send(json.dumps({"stop": 1}))
        last = points[-1]
        while "policy" not in last:
            last = json.loads(link.recv(60))
    assert [point["iteration"] for point in points] == sorted(p["iteration"] for p in points)
    assert points[-1]["nash_conv"] < points[0]["nash_conv"]
    assert last["policy"] == before
    assert page.explorer.policy_names[before].startswith("cfr+, ")


@pytest.mark.parametrize(
    "message", ["", "[]", "{}", '{"run":"cfr+","state":0}', '{"run":999,"state":0}', "[" * 5000]
)
def test_wrong_messages_of_a_socket_are_answered_with_an_error(page, message):
    with socket(page) as link:
        link.send(message)
        assert "error" in json.loads(link.recv(20))


def mutated(rng, texts):
    """One of the texts with up to three stretches replaced by random bytes."""
    text = bytearray(rng.choice(texts).encode())
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(text))
        text[place : place + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
    return bytes(text)


@pytest.mark.parametrize(
    "number",
    [pytest.param(2_000, marks=pytest.mark.broad), pytest.param(9_000, marks=pytest.mark.long)],
)
def test_mutated_requests_and_messages_do_no_harm(page, number):
    rng = random.Random(0)
    questions = [
        json.dumps(STATE),
        '{"ask":"play","opponent":0,"player":0,"seed":1}',
        '{"ask":"act","play":1,"action":0}',
        '{"ask":"beliefs","policy":0,"state":1,"row":0,"column":1}',
        '{"ask":"differences","first":0,"second":1,"start":0}',
    ]
    messages = ['{"run":0,"state":0}', '{"run":1,"state":99999}', '{"state":1}', '{"stop":1}']
    process = psutil.Process()
    before = process.memory_info().rss
    seen = set()
    for _ in range(number):
        status, _, text = send(page, body=mutated(rng, questions))
        seen.add(status)
        assert b"Traceback" not in text
    assert seen <= {200, 400}
    for _ in range(number // 18):
        with socket(page) as link, contextlib.suppress(ConnectionClosed):
            for _ in range(2):
                link.send(mutated(rng, messages).decode("latin-1"))
            assert "Traceback" not in link.recv(60)
    assert process.memory_info().rss - before < 50e6
    assert send(page)[0] == 200


def test_a_taken_port_is_refused(page):
    port = page._address.port
    with pytest.raises(ParameterError, match=f"port={port} cannot be used"):
        infoset.explore("kuhn_poker", port=port, open_browser=False)
    with pytest.raises(ParameterError, match="out of range"):
        infoset.explore("kuhn_poker", port=70_000, open_browser=False)
