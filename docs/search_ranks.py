"""A hook of MkDocs that ranks the pages of the site's search by their part of the navigation.

Readers look for explanations more often than for signatures, and for those more often than for
tables of times. `docs/search_questions.mjs` checks what the search then finds first.
"""

from __future__ import annotations

from typing import Any

RANKS = {
    "See it": 4.0,
    "Learn it": 6.0,
    "Use it": 3.0,
    "Extend it": 2.0,
    "Background": 1.0,
    "Reference": 0.3,
    "Benchmarks and studies": 0.1,
}


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Set the rank of a page, unless it sets its own, and return its text as it is."""
    part = page.ancestors[-1].title if page.ancestors else "Use it"
    page.meta.setdefault("search", {}).setdefault("boost", RANKS[part])
    return markdown
