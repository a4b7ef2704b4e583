"""Pages as single files, which open from disk without a server."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, Final

from infoset.errors import LimitError, UnsupportedGameError
from infoset.utils.arguments import check_count, check_path
from infoset.utils.files import write_output
from infoset.views import Explorer
from infoset.web.server import json_text, static_file

__all__ = ["MAX_PAGE_BYTES", "page_text", "save_page"]

MAX_PAGE_BYTES: Final = 20_000_000
PAGE_SIZES: Final = {"children": 200, "histories": 200, "infostates": 500, "differences": 50}

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
    explorer : Explorer
    path : str or Path
        An HTML file; it is replaced if it exists.
    depth : int, optional
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
            answer = {**answer, "opponents": [], "methods": [], "saved": True}
        entry = json_text(json.dumps(question, sort_keys=True, separators=(",", ":")))
        add(f"{'' if first else ','}{entry}:{json_text(answer)}")
        if size * 4 / 3 > MAX_PAGE_BYTES:
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
    if explorer.tree is not None or explorer.public_form is not None:
        tree = explorer.tree
        yield from _tree_questions(explorer, depth) if tree else _public_questions(explorer, depth)
        for first in policies:
            for second in policies:
                if first != second:
                    pair = {"first": first, "second": second}
                    yield 1, 1, {"ask": "match", **pair}
                    total = explorer.ask({"ask": "differences", **pair})["total"]
                    for start in _starts(total, PAGE_SIZES["differences"]):
                        yield 1, 1, {"ask": "differences", **pair, **start}
    elif explorer.form is not None:
        form = explorer.form
        for policy in policies:
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
    else:
        raise UnsupportedGameError(
            f"{explorer.game} is too large to build, and a saved page has no play: choose smaller "
            "parameters"
        )


def _tree_questions(
    explorer: Explorer, depth: int | None
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    tree = explorer.tree
    assert tree is not None
    public = tree.public_tree
    states = _states(public.parent.tolist(), depth)
    pairs = [(a, b) for a in range(tree.num_players) for b in range(a + 1, tree.num_players)]
    for done, state in enumerate(states):
        begin, end = tree.public_state_histories[1][state : state + 2].tolist()
        counts = {"children": len(public.children(state)), "histories": end - begin}
        for policy in range(len(explorer.policy_names)):
            at = {"policy": policy, "state": state}
            found: list[dict[str, Any]] = [{"ask": "state", **at}]
            for name, count in counts.items():
                for start in _starts(count, PAGE_SIZES[name]):
                    found.append({"ask": name, **at, **start})
            for player, first in enumerate(public.first_infostate):
                number = int(first[state + 1] - first[state])
                for start in _starts(number, PAGE_SIZES["infostates"]):
                    found.append({"ask": "infostates", **at, "player": player, **start})
                if explorer.ask(found[-1])["are_hands"]:
                    found.append({"ask": "hands", **at, "player": player})
            for row, column in pairs:
                found.append({"ask": "beliefs", **at, "row": row, "column": column})
            for question in found:
                yield done, len(states), question


def _public_questions(
    explorer: Explorer, depth: int | None
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the questions about the public nodes and ends of a public form."""
    form = explorer.public_form
    assert form is not None
    states = _states([*form.parent.tolist(), *form.terminals.node.tolist()], depth)
    for done, state in enumerate(states):
        for policy in range(len(explorer.policy_names)):
            at = {"policy": policy, "state": state}
            found: list[dict[str, Any]] = [{"ask": "state", **at}]
            about = explorer.ask(found[0])
            for start in _starts(about["num_children"], PAGE_SIZES["children"]):
                found.append({"ask": "children", **at, **start})
            for player, number in enumerate(about["num_infostates"]):
                for start in _starts(number, PAGE_SIZES["infostates"]):
                    found.append({"ask": "infostates", **at, "player": player, **start})
                if explorer.ask(found[-1])["are_hands"]:
                    found.append({"ask": "hands", **at, "player": player})
            found.append({"ask": "beliefs", **at, "row": 0, "column": 1})
            for question in found:
                yield done, len(states), question


def _starts(count: int, size: int) -> list[dict[str, int]]:
    """Return the arguments `start` of the answers that have all of `count` entries."""
    return [{"start": start} for start in range(0, max(count, 1), size)]


def _states(parents: list[int], depth: int | None) -> list[int]:
    """Return the public states up to a depth; parents come before children."""
    if depth is None:
        return list(range(len(parents)))
    depths = [0] * len(parents)
    for state, parent in enumerate(parents):
        depths[state] = depths[parent] + 1 if parent >= 0 else 0
    return [state for state, at in enumerate(depths) if at <= depth]
