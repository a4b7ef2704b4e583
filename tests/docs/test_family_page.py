"""The page on the CFR family shows the schemes of the library."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

from infoset.regret import SCHEMES, LinearSchedule
from tests.docs.snippets import ROOT

PAGE = ROOT / "docs" / "solvers" / "cfr_family.md"


def exponent_text(exponent):
    if exponent is None:
        return "–"
    if isinstance(exponent, LinearSchedule):
        return f"{exponent.start:g} → {exponent.end:g}"
    return f"{exponent:g}"


def row_text(scheme):
    """Return the row of a scheme in the table of the page."""
    positive = exponent_text(scheme.positive_discount)
    if scheme.discount_offset != 1:
        positive += f", offset {scheme.discount_offset:g}"
    adaptive = scheme.adaptive_limit is not None
    cells = (
        f"`{scheme.name}`",
        f"{scheme.regret_exponent:g}",
        positive,
        exponent_text(scheme.negative_discount) if scheme.regret_floor == -inf else "",
        "−∞" if scheme.regret_floor == -inf else f"{scheme.regret_floor:g}",
        "adaptive" if adaptive else str(Fraction(scheme.prediction).limit_denominator(9)),
        exponent_text(scheme.average_exponent),
    )
    return "| " + " | ".join(cells) + " |"


def test_the_table_of_the_page_shows_schemes_of_the_library_as_they_are():
    """Rows have the order of the library. A new scheme need not be in the table."""
    section = PAGE.read_text(encoding="utf-8").split("## The schemes")[1].split("\n## ")[0]
    shown = [line for line in section.splitlines() if line.startswith("| `")]
    assert shown == [text for text in map(row_text, SCHEMES.values()) if text in shown]


SUFFIXES = {
    "-simultaneous": {"alternating": False},
    "-quadratic": {"average_exponent": 2.0},
    "-quintic": {"average_exponent": 5.0},
    "-15": {"average_exponent": LinearSchedule(15, 10)},
}
"""What a suffix of a name changes, as the page says."""


def test_names_with_a_suffix_change_one_number():
    found = [name for name in SCHEMES if name.endswith(tuple(SUFFIXES))]
    assert len(found) == 7
    for name in found:
        base, suffix = name.rsplit("-", 1)
        changed = {"name": name, "description": SCHEMES[name].description}
        assert replace(SCHEMES[base], **changed, **SUFFIXES[f"-{suffix}"]) == SCHEMES[name]


def test_what_the_table_leaves_out_is_the_same_in_all_rows():
    for scheme in SCHEMES.values():
        assert (scheme.average_delay, scheme.averages_next) == (0, False)
        assert scheme.alternating != scheme.name.endswith("-simultaneous")
