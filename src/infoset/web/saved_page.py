"""Pages as single files, which open from disk without a server."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from html import escape
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final

from infoset.efg import ExtensiveForm
from infoset.errors import LimitError, UnsupportedGameError
from infoset.utils.arguments import check_count, check_path
from infoset.utils.files import write_output
from infoset.views import Explorer
from infoset.web.server import json_text, static_file

MAX_PAGE_BYTES: Final = 20_000_000
PAGE_SIZES: Final = {
    "children": 200,
    "histories": 200,
    "infostates": 500,
    "differences": 50,
    "leaks": 50,
    "state_leaks": 10,
}

TEMPLATE: Final = """<!doctype html>
<html lang="en" class="infoset-page">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="infoset-page"></div>
<script type="text/plain" id="infoset-answers">{answers}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def save_page(explorer: Explorer, path: str | Path, *, depth: int | None = None) -> None:
    """Save the page of a game as one file that opens from disk and needs no network.

    It has the public states, policies, beliefs and differences, but no play and no runs. The same
    explorer gives the same bytes.

    Parameters
    ----------
    path
        An HTML file; it is replaced if it exists.
    depth
        Number of public observations up to which public states are saved; by default all are.

    Raises
    ------
    UnsupportedGameError
        If the game is too large to build.
    LimitError
        If the file would have more than 20 MB.
    """
    check_path("path", path)
    if depth is not None:
        check_count("depth", depth)
    write_output(path, page_text(explorer, depth=depth).encode())


def page_text(explorer: Explorer, *, depth: int | None = None) -> str:
    """Return the page of a game as HTML; see `save_page`."""
    script = static_file("infoset.js").decode().replace("</script", "<\\/script")
    return TEMPLATE.format(
        title=escape(f"{explorer.game} · infoset"),
        style=static_file("infoset.css").decode(),
        answers=_packed(explorer, depth),
        script=script,
    )


def _packed(explorer: Explorer, depth: int | None) -> str:
    """Return all answers, compressed, in base 64."""
    packer = zlib.compressobj(9)
    parts: list[bytes] = []
    size = 0
    total, done = 0, 0

    def add(text: str) -> None:
        nonlocal size
        part = packer.compress(text.encode())
        parts.append(part)
        size += len(part)

    add("{")
    for done, total, question in _questions(explorer, depth):
        first = not parts[1:]
        answer = explorer.ask(question)
        if question["ask"] == "game":
            # With a small depth, the first decision is not saved.
            is_saved = depth is None or answer["start"] in _states(explorer, depth)
            start = answer["start"] if is_saved else 0
            answer = {**answer, "start": start, "opponents": [], "methods": [], "saved": True}
        # The page looks an answer up by the text of its question, whose keys are therefore sorted.
        entry = json_text(json.dumps(question, sort_keys=True, separators=(",", ":")))
        add(f"{'' if first else ','}{entry}:{json_text(answer)}")
        if size * 4 / 3 > MAX_PAGE_BYTES:  # base 64 writes four characters for three bytes
            likely = size * 4 / 3 * total / max(done, 1)
            raise LimitError(
                f"the page of {explorer.game} would have about {likely / 1e6:,.0f} MB, more than "
                f"{MAX_PAGE_BYTES / 1e6:.0f} MB: give a smaller depth, fewer policies, or a "
                "smaller game"
            )
    add("}")
    parts.append(packer.flush())
    return base64.b64encode(b"".join(parts)).decode()


def _questions(explorer: Explorer, depth: int | None) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield all questions that a saved page answers, with the part of them that is done."""
    yield 0, 1, {"ask": "game"}
    policies = range(len(explorer.policy_names))
    if explorer.kind in ("tree", "public"):
        yield from _place_questions(explorer, depth)
        for policy in policies:
            for name in ("state_leaks", "leaks"):
                total = explorer.ask({"ask": name, "policy": policy})["total"]
                for start in _starts(total, PAGE_SIZES[name]):
                    yield 1, 1, {"ask": name, "policy": policy, **start}
        for first in policies:
            for second in policies:
                if first != second:
                    pair = {"first": first, "second": second}
                    yield 1, 1, {"ask": "match", **pair}
                    total = explorer.ask({"ask": "differences", **pair})["total"]
                    for start in _starts(total, PAGE_SIZES["differences"]):
                        yield 1, 1, {"ask": "differences", **pair, **start}
    elif isinstance(explorer.game, ExtensiveForm):
        yield from _form_questions(explorer, explorer.game)
    else:
        raise UnsupportedGameError(
            f"{explorer.game} is too large to build, and a saved page has no play: choose smaller "
            "parameters"
        )


def _place_questions(
    explorer: Explorer, depth: int | None
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the questions about the public states of a tree, or the nodes and ends of a form."""
    players = range(explorer.game.num_players)
    states = [*_states(explorer, depth)]
    for done, state in enumerate(states):
        for policy in range(len(explorer.policy_names)):
            at = {"policy": policy, "state": state}
            found: list[dict[str, Any]] = [{"ask": "state", **at}]
            about = explorer.ask(found[0])
            counts = {"children": about["num_children"]}
            if about["num_histories"]:
                counts["histories"] = about["num_histories"]
            for name, count in counts.items():
                for start in _starts(count, PAGE_SIZES[name]):
                    found.append({"ask": name, **at, **start})
            for player, number in enumerate(about["num_infostates"]):
                first = {"ask": "infostates", **at, "player": player, "start": 0}
                found.append(first)
                held = explorer.ask(first)
                if held["are_hands"]:
                    found.append({"ask": "hands", **at, "player": player})
                for start in _starts(number, PAGE_SIZES["infostates"])[1:]:
                    if start["start"] >= len(held["infostates"]):
                        found.append({"ask": "infostates", **at, "player": player, **start})
                # Of hands, there are too many for an answer each.
                if player in about["actors"] and not held["are_hands"]:
                    for entry, other in product(held["infostates"], players):
                        if other != player:
                            belief = {"infostate": entry["infostate"], "other": other}
                            found.append({"ask": "player_belief", **at, "player": player, **belief})
            for row, column in combinations(players, 2):
                found.append({"ask": "beliefs", **at, "row": row, "column": column})
            for question in found:
                yield done, len(states), question


def _form_questions(
    explorer: Explorer, form: ExtensiveForm
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the questions about the histories and infostates of an extensive form."""
    for policy in range(len(explorer.policy_names)):
        for player in range(form.num_players):
            number = form.sequence_form.infostate_trees[player].num_acting
            for start in _starts(number, PAGE_SIZES["infostates"]):
                about = {"policy": policy, "player": player, **start}
                yield 0, 1, {"ask": "form_infostates", **about}
        for history in range(form.num_histories):
            about = {"policy": policy, "history": history}
            yield history, form.num_histories, {"ask": "form_history", **about}
            children = int(form.first_child[history + 1] - form.first_child[history])
            for start in _starts(children, PAGE_SIZES["children"]):
                yield history, form.num_histories, {"ask": "form_children", **about, **start}


def _starts(count: int, size: int) -> list[dict[str, int]]:
    """Return the arguments `start` of the answers that have all of `count` entries."""
    return [{"start": start} for start in range(0, max(count, 1), size)]


def _states(explorer: Explorer, depth: int | None) -> list[int]:
    """Return the public states up to a depth, in order."""
    found, level = [0], [0]
    while level and (depth is None or depth > 0):
        level = [child for state in level for child in explorer.children(state)]
        found += level
        depth = None if depth is None else depth - 1
    return sorted(found)
