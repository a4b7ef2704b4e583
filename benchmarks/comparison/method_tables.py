"""Tables of the times of all methods, and of `auto` compared with the fastest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf, log
from statistics import fmean

from report import table

from comparison.games import GAMES
from comparison.ours import TARGETS, Result

__all__ = ["AUTO", "KEYS", "TITLES", "auto_table", "given_table", "ranking_table", "times_table"]

TITLES = {game.name: game.title for game in GAMES}
KEYS = [f"{target:g}" for target in TARGETS]
AUTO = "auto"

Cells = Mapping[tuple[str, str], Result]
"""Results by game and method."""


def given_table(games: Sequence[Result]) -> str:
    """Return the table of games, with their sizes, building times and time limits."""
    rows = [
        [TITLES[game["game"]], f"{game['histories']:,}", seconds_text(game["build"]), f"{limit:g}"]
        for game in games
        for limit in [game["limit"]]
    ]
    return table(["game", "histories", "build time, s", "time limit, s"], rows)


def times_table(games: Sequence[Result], cells: Cells, key: str) -> str:
    """Return the table of times to one target, including building, with one row per method."""
    methods = dict.fromkeys(method for _, method in cells)
    texts = {method: [f"`{method}`"] for method in methods}
    for game in games:
        column = {method: cells.get((game["game"], method), {}) for method in methods}
        best = min((row[key] for row in column.values() if row.get(key)), default=inf)
        for method, row in column.items():
            text = cell(row, key, game["build"])
            texts[method].append(f"**{text}**" if row.get(key) == best else text)
    return table(["method", *(TITLES[game["game"]] for game in games)], list(texts.values()))


def cell(row: Result, key: str, building: float) -> str:
    """Return a time in seconds, or the final exploitability in parentheses."""
    if not row or "failure" in row:
        return "–"
    seconds = row[key]
    return f"({row['gap']:.0e})" if seconds is None else seconds_text(building + seconds)


def seconds_text(seconds: float) -> str:
    """Return a time with three digits, without its unit."""
    return f"{seconds:.3g}" if seconds >= 1e-3 else f"{seconds:.1g}"


def best_method(game: Result, cells: Cells, key: str) -> tuple[str, float]:
    """Return the fastest method except `auto`, and its seconds; infinity if there is none."""
    times = {
        method: row.get(key)
        for (name, method), row in cells.items()
        if name == game["game"] and method != AUTO
    }
    reached = {method: time for method, time in times.items() if time is not None}
    method = min(reached, key=reached.__getitem__, default="none")
    return method, reached.get(method, inf)


def auto_table(games: Sequence[Result], cells: Cells) -> str:
    """Return the comparison of `auto` with the fastest method, with geometric means at the end."""
    rows, ratios = [], []
    for game in games:
        auto = cells[game["game"], AUTO]
        against = [ratio_of(game, auto, cells, key) for key in KEYS]
        chosen = auto["chosen"].split()
        texts = [
            [rival_text(game, cells, key), auto_text(game, auto, key, name), ratio_text(ratio)]
            for key, name, ratio in zip(KEYS, chosen, against, strict=True)
        ]
        rows.append([TITLES[game["game"]], *(text for three in texts for text in three)])
        ratios.append(against)
    means = [geometric_mean(column) for column in zip(*ratios, strict=True)]
    rows.append(["geometric mean", *(text for mean in means for text in ("", "", mean))])
    header = [text for key in KEYS for text in (f"best to {key}", "`auto`", "ratio")]
    return table(["game", *header], rows)


def ratio_of(game: Result, auto: Result, cells: Cells, key: str) -> tuple[float, float] | None:
    """Return the ratio of the times of `auto` and the fastest method, with and without building.

    None if neither reached the target; infinities if only `auto` missed it.
    """
    _, best = best_method(game, cells, key)
    seconds = inf if auto[key] is None else auto[key]
    if best == inf:
        return None
    return (game["build"] + seconds) / (game["build"] + best), seconds / best


def rival_text(game: Result, cells: Cells, key: str) -> str:
    """Return the fastest method and its time as text."""
    name, seconds = best_method(game, cells, key)
    return "none" if seconds == inf else f"`{name}` {seconds_text(game['build'] + seconds)}"


def auto_text(game: Result, auto: Result, key: str, name: str) -> str:
    """Return the method that `auto` chose and its time as text."""
    return f"`{name}` {cell(auto, key, game['build'])}"


def ratio_text(ratio: tuple[float, float] | None) -> str:
    """Return a ratio with building, followed by the ratio without building in parentheses."""
    if ratio is None:
        return "–"
    return "not reached" if ratio[0] == inf else f"{ratio[0]:.2f} ({ratio[1]:.2f})"


def geometric_mean(ratios: Iterable[tuple[float, float] | None]) -> str:
    """Return the mean ratios over the games in which both reached the target."""
    finite = [ratio for ratio in ratios if ratio is not None and ratio[0] < inf]
    with_building, without = map(mean_of, zip(*finite, strict=True))
    return ratio_text((with_building, without))


def mean_of(ratios: Iterable[float]) -> float:
    """Return the geometric mean."""
    return exp(fmean(map(log, ratios)))


def ranking_table(games: Sequence[Result], cells: Cells) -> str:
    """Return the ranking of the methods by mean time relative to the fastest, excluding build time.

    Only two-player games in which some method reaches the target count. A run that misses the
    target counts with its time limit, or with the time of the fastest method if that is longer.
    """
    lines = []
    for method in dict.fromkeys(method for _, method in cells if method != AUTO):
        columns = [rivals_of(games, method, cells, key) for key in KEYS]
        found = [one for column in columns for one in column]
        means = [mean_of(ratio for ratio, _ in column) if column else inf for column in columns]
        overall, missed = mean_of(ratio for ratio, _ in found), sum(miss for _, miss in found)
        texts = ["–" if mean == inf else f"{mean:.2f}" for mean in (overall, *means)]
        lines.append((overall, [f"`{method}`", *texts, f"{missed} of {len(found)}"]))
    header = ["method", "all", *(f"to {key}" for key in KEYS), "not reached"]
    return table(header, [texts for _, texts in sorted(lines)])


def rivals_of(
    games: Sequence[Result], method: str, cells: Cells, key: str
) -> list[tuple[float, bool]]:
    """Return for each game the ratio to the fastest time, and whether the target was missed."""
    found = []
    for game in games:
        _, best = best_method(game, cells, key)
        if best < inf and "failure" not in cells[game["game"], "lp"]:
            seconds = cells[game["game"], method].get(key)
            counted = max(game["limit"], best) if seconds is None else seconds
            found.append((counted / best, seconds is None))
    return found
