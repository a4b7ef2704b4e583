"""A hook of MkDocs that lets long names break after dots, underscores and commas.

Browsers break `accumulated_gifts` anywhere if it does not fit a line. A `<wbr>` after each
separator of a name in a heading or in inline code gives them better places.
"""

from __future__ import annotations

import re

BLOCK = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
NAME = re.compile(
    r"(?P<open><(?P<tag>h[1-6]|code)\b[^>]*>)(?P<inner>.*?)(?P<close></(?P=tag)>)",
    re.DOTALL,
)
TEXT = re.compile(r"(<[^>]*>)|((?<=\w)[._,/=]+(?=\w))")


def on_page_content(html: str, **_: object) -> str:
    """Return the page with places to break in its names; blocks of code are left alone."""
    parts, end = [], 0
    for block in BLOCK.finditer(html):
        parts += [NAME.sub(with_breaks, html[end : block.start()]), block.group()]
        end = block.end()
    return "".join([*parts, NAME.sub(with_breaks, html[end:])])


def with_breaks(name: re.Match[str]) -> str:
    """Return a heading or inline code with `<wbr>` after each separator of its text."""
    inner = TEXT.sub(lambda found: found[1] or f"{found[2]}<wbr>", name["inner"])
    return f"{name['open']}{inner}{name['close']}"
