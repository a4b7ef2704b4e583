"""Tables B and C: what tuned learners were found to reach, and with which constants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from infoset.experiments.reports import Expected

__all__ = ["COLUMNS", "ENTRIES", "OURS", "SHARES", "Column", "Entry", "constant_of", "expected_of"]

SHARES: Final = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
"""Of exploration, in outcome sampling."""


class Column(NamedTuple):
    """A game and a number of episodes.

    Attributes
    ----------
    name : str
        Of its files.
    title, game : str
    episodes : int
    width : float
        The payoff range.
    num_roots : int
        First infostates of the first player.
    """

    name: str
    title: str
    game: str
    episodes: int
    width: float
    num_roots: int


COLUMNS: Final = (
    Column("kuhn-1e6", "Kuhn poker", "kuhn_poker", 1_000_000, 4.0, 3),
    Column("leduc-1e6", "Leduc poker", "leduc_poker", 1_000_000, 26.0, 6),
    Column("leduc-1e7", "Leduc poker", "leduc_poker", 10_000_000, 26.0, 6),
    Column("dice-1e6", "Liar's dice", "liars_dice", 1_000_000, 2.0, 6),
    Column("kuhn-1e7", "Kuhn poker", "kuhn_poker", 10_000_000, 4.0, 3),
    Column("dice-1e7", "Liar's dice", "liars_dice", 10_000_000, 2.0, 6),
)
"""The first four are those of the tables."""


@dataclass(frozen=True)
class Entry:
    """A learner of the tables.

    Attributes
    ----------
    label, learner : str
    tuned : str
        What its constant is: `rate`, of which implicit exploration is a twentieth;
        `exploration`; empty where it has none.
    published : tuple[str, ...]
        By column, NashConv and the constant in parentheses; `-` for nothing.
    changes : tuple[tuple[str, float], ...]
        Fields of the row that are set otherwise.
    preset : str or None
    plain : str
        The label of the same learner without what makes its noise less.
    is_drawn : bool
        Whether it is in the figures.
    weighs_roots : bool
        Whether the constants are for a balanced transition that is 1 at each first infostate, and
        not 1 for all of them together, as it is here.
    """

    label: str
    learner: str
    tuned: str = ""
    published: tuple[str, ...] = ()
    changes: tuple[tuple[str, float], ...] = ()
    preset: str | None = None
    plain: str = ""
    is_drawn: bool = False
    weighs_roots: bool = False

    def rate(self, constant: float, column: Column) -> float:
        """Return the learning rate of a constant."""
        return constant / column.num_roots if self.weighs_roots else constant


HALF: Final = (("center", 0.5),)

TABLE_B: Final = (
    Entry(
        "IXOMD",
        "ixomd",
        "rate",
        ("0.0156 (.003)", "1.050 (.01)", "0.344 (.003)", "0.392 (.01)"),
        is_drawn=True,
    ),
    Entry(
        "Balanced OMD",
        "balanced-omd",
        "rate",
        ("0.0145 (.01)", "1.203 (.1)", "0.431 (.03)", "0.430 (.3)"),
        is_drawn=True,
    ),
    Entry(
        "Balanced FTRL",
        "balanced-ftrl",
        "rate",
        ("0.0164 (.003)", "1.105 (.001)", "0.404 (.0003)", "0.395 (.003)"),
        is_drawn=True,
        weighs_roots=True,
    ),
    Entry("Adaptive FTRL", "adaptive-ftrl", "rate", ("0.0184 (316)", "1.467 (32)", "-", "-")),
    Entry(
        "Tweaked Adaptive FTRL",
        "tweaked-ftrl",
        "rate",
        ("0.0140 (.3)", "1.050 (1)", "-", "0.315 (1)"),
        is_drawn=True,
    ),
    Entry(
        "Balanced CFR Hedge",
        "balanced-cfr-hedge",
        "rate",
        ("0.0137 (3.2)", "1.344 (32)", "0.434 (10)", "0.779 (100)"),
    ),
    Entry("Balanced CFR RM", "balanced-cfr-rm", "", ("0.0110", "1.424", "0.457", "-")),
    Entry(
        "LocalOMD fixed",
        "local-omd",
        "rate",
        ("0.0097 (1)", "0.871 (1)", "0.286 (.3)", "0.629 (10)"),
    ),
    Entry(
        "LocalOMD adaptive",
        "local-omd-adaptive",
        "rate",
        ("0.0093 (3.2)", "0.914 (10)", "0.282 (3.2)", "0.613 (32)"),
        is_drawn=True,
    ),
    Entry(
        "OS-MCCFR uniform",
        "os-mccfr",
        "exploration",
        ("0.0054 (.4)", "0.363 (.6)", "0.102 (.6)", "0.427 (.6)"),
        is_drawn=True,
    ),
    Entry(
        "OS-MCCFR balanced",
        "os-mccfr-balanced",
        "exploration",
        ("0.0075 (.8)", "0.287 (.8)", "0.084 (.6)", "0.271 (.8)"),
        is_drawn=True,
    ),
    Entry(
        "ES-MCCFR (not bandit)",
        "es-mccfr",
        "",
        ("0.0030", "0.182", "0.051", "0.230"),
        is_drawn=True,
    ),
)


def _halved(label: str, learner: str, *published: str) -> Entry:
    """Return a learner of table B whose losses have 1/2 taken off."""
    return Entry(f"{label}, loss - 1/2", learner, "rate", published, HALF, plain=label)


TABLE_C: Final = (
    _halved("IXOMD", "ixomd", "0.0080", "0.690", "-", "0.472"),
    _halved("Balanced OMD", "balanced-omd", "0.0085", "0.999", "-", "0.704"),
    replace(
        _halved("Balanced FTRL", "balanced-ftrl", "0.0092", "0.469", "0.299", "0.513"),
        weighs_roots=True,
    ),
    _halved("Tweaked Adaptive FTRL", "tweaked-ftrl", "0.0047", "0.579", "0.229", "0.236"),
    _halved("Balanced CFR Hedge", "balanced-cfr-hedge", "0.0099", "0.532", "-", "-"),
    Entry(
        "Balanced CFR RM, loss - 1/2",
        "balanced-cfr-rm",
        "",
        ("0.0057", "0.570", "-", "0.597"),
        HALF,
    ),
    Entry(
        "Balanced CFR RM, running baseline",
        "balanced-cfr-baseline",
        "",
        ("0.0031", "0.424", "0.113", "0.628"),
        is_drawn=True,
    ),
    Entry(
        "Balanced CFR Hedge, running baseline",
        "balanced-cfr-hedge",
        "rate",
        ("0.0044", "0.434", "-", "-"),
        (*HALF, ("baseline_window", 1000)),
        plain="Balanced CFR Hedge",
    ),
    _halved("LocalOMD adaptive", "local-omd-adaptive", "0.0045", "0.275", "0.068", "0.482"),
    Entry(
        "LocalOMD adaptive, running baseline",
        "local-omd-adaptive",
        "rate",
        ("0.0043", "0.203", "0.051", "0.586"),
        (*HALF, ("baseline_window", 200)),
        plain="LocalOMD adaptive",
        is_drawn=True,
    ),
)


def _ours(label: str, learner: str, preset: str | None = None) -> Entry:
    return Entry(label, learner, preset=preset, is_drawn=True)


OURS: Final = (
    _ours("IXOMD, recommended (ours)", "ixomd", "recommended"),
    _ours("Balanced FTRL, recommended (ours)", "balanced-ftrl", "recommended"),
    _ours("Adaptive FTRL, recommended (ours)", "adaptive-ftrl", "recommended"),
    _ours("Tweaked Adaptive FTRL, recommended (ours)", "tweaked-ftrl", "recommended"),
    _ours("Perturbed FTRL (ours)", "perturbed-ftrl"),
    _ours("LocalOMD, baseline by action (ours)", "local-omd-action-baseline"),
    _ours("VR-MCCFR", "vr-mccfr"),
    _ours("VR-MCCFR balanced (ours)", "vr-mccfr-balanced"),
)
"""As the library has them, with no constants to tune."""

ENTRIES: Final = (*TABLE_B, *TABLE_C, *OURS)


def _published(entry: Entry, column: Column) -> str:
    """Return what the tables say, or nothing."""
    number = COLUMNS.index(column)
    text = entry.published[number] if number < len(entry.published) else "-"
    return "" if text == "-" else text


def expected_of(entry: Entry, column: Column) -> Expected | None:
    """Return NashConv as published; None where it is not.

    Examples
    --------
    >>> expected_of(ENTRIES[0], COLUMNS[0])
    Expected(mean=0.0156, sd=None, rounding=5e-05)
    """
    text = _published(entry, column).partition("(")[0]
    return Expected.read(text) if text else None


def constant_of(entry: Entry, column: Column) -> tuple[float | None, bool]:
    """Return the constant published for a learner, or else for its plain kind; and which it is.

    Examples
    --------
    >>> constant_of(ENTRIES[0], COLUMNS[0])
    (0.003, True)
    """
    constant = _published(entry, column).partition("(")[2].rstrip(")")
    if constant or not entry.plain:
        return (float(constant) if constant else None), True
    plain = next(known for known in ENTRIES if known.label == entry.plain)
    return constant_of(plain, column)[0], False
