"""Recomputation of the facts that the packs state about their games."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infoset.benchmark.zoo_recipes import (
    ZooPolicy,
    make_zoo_policy,
    save_zoo_policy,
    verify_policy_file,
)
from infoset.errors import ParameterError
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.forms import SequenceForm, as_sequence_form
from infoset.games import PackEntry, load_game
from infoset.policy import ZOO_PREFIX, TabularPolicy, load_policy, zoo_path
from infoset.tree import build_sequence_form

CERTIFICATE: Final = "certificate"
RESPONSES: Final = "best responses"
"""The two kinds of proof of the bounds on a value."""

PLACES: Final = Decimal("1e-10")
"""Decimal places to which bounds are rounded that are not exact."""

COLUMNS: Final = (
    "name",
    "game",
    "pack",
    "infostates",
    "sequences",
    "payoffs",
    "fingerprint",
    "lower",
    "upper",
    "proof",
    "exploitability",
    "recipe",
    "digest",
    "in_wheel",
    "source",
)


def measure_pack_entry(
    name: str, game: str, pack: str, recipe: str, *, in_wheel: bool, source: str
) -> tuple[PackEntry, ZooPolicy]:
    """Compute everything that a pack says about a game, and the policy.

    Parameters
    ----------
    name, game, pack, recipe, in_wheel, source
        As in `PackEntry`.

    Raises
    ------
    InfosetError
        As raised by `make_zoo_policy`.
    """
    made = make_zoo_policy(game, recipe)
    form = as_sequence_form(made.policy.form)
    lower, upper, proof = _bounds(made)
    assert made.measured.exploitability is not None
    entry = PackEntry(
        name=name,
        game=form.name,
        pack=pack,
        infostates=_pair([plex.num_infostates for plex in form.treeplexes]),
        sequences=_pair([plex.num_sequences for plex in form.treeplexes]),
        payoffs=len(form.payoff),
        fingerprint=form.fingerprint,
        lower=lower,
        upper=upper,
        proof=proof,
        exploitability=float(f"{made.measured.exploitability:.6g}"),
        recipe=recipe,
        digest=made.policy.digest,
        in_wheel=in_wheel,
        source=source,
    )
    return entry, made


def _pair(numbers: Sequence[int]) -> tuple[int, int]:
    first, second = numbers
    return first, second


def _bounds(made: ZooPolicy) -> tuple[Fraction, Fraction, str]:
    """Return bounds on the value, and how they are proved."""
    if made.certificate is not None:
        return made.certificate.lower, made.certificate.upper, CERTIFICATE
    low, high = _float_bounds(as_sequence_form(made.policy.form), made.measured)
    return (
        # Rounded outwards, so that they remain bounds.
        Fraction(Decimal(low).quantize(PLACES, ROUND_FLOOR)),
        Fraction(Decimal(high).quantize(PLACES, ROUND_CEILING)),
        RESPONSES,
    )


def _float_bounds(form: SequenceForm, measured: Evaluation) -> tuple[float, float]:
    """Return bounds from the security levels of both policies."""
    if measured.security_levels is None:
        raise ParameterError(f"{form.name} is not a two-player constant-sum game")
    # Player 0 is sure of its security level; what player 1 is sure of, player 0 cannot get.
    first, second = measured.security_levels
    return first, sum(measured.values) - second


def check_pack_entry(entry: PackEntry, path: str | Path | None = None) -> list[str]:
    """Compare a game and its policy with what a pack says; return the differences.

    The game is built anew. The value is checked by the certificate in the policy file, by the rules
    and exact arithmetic, or by best responses to the policy in double precision.

    Parameters
    ----------
    path
        The file of the policy; by default that of the zoo, which is made by its recipe if it is not
        installed.

    Returns
    -------
    list[str]
        One sentence for each difference.

    Raises
    ------
    InfosetError
        If the policy cannot be read, or its certificate is wrong.

    Examples
    --------
    >>> from infoset.games import get_pack_entry
    >>> check_pack_entry(get_pack_entry("kuhn_poker"))
    []
    """
    if path is None and not entry.in_wheel:
        with TemporaryDirectory() as folder:
            made = Path(folder) / f"{entry.name}.parquet"
            save_zoo_policy(entry, made)
            return check_pack_entry(entry, made)
    file = zoo_path(f"{ZOO_PREFIX}{entry.name}") if path is None else Path(path)
    form = build_sequence_form(load_game(entry.game))
    policy = load_policy(file, form)
    measured = evaluate_policy(policy)
    low, high = _proved_bounds(entry, file, form, measured)
    found = {
        "game": (entry.game, form.name),
        "infostates": (entry.infostates, tuple(plex.num_infostates for plex in form.treeplexes)),
        "sequences": (entry.sequences, tuple(plex.num_sequences for plex in form.treeplexes)),
        "payoffs": (entry.payoffs, len(form.payoff)),
        "fingerprint": (entry.fingerprint, form.fingerprint),
        "digest": (entry.digest, policy.digest),
    }
    wrong = [
        f"{name} of {entry.name} is {now}, but the pack says {said}"
        for name, (said, now) in found.items()
        if said != now
    ]
    return wrong + _wrong_numbers(entry, policy, measured, low, high)


def _proved_bounds(
    entry: PackEntry, file: Path, form: SequenceForm, measured: Evaluation
) -> tuple[Fraction, Fraction]:
    """Return the bounds on the value that the file of the policy proves."""
    if entry.proof == CERTIFICATE:
        certificate, _ = verify_policy_file(file)
        return certificate.lower, certificate.upper
    low, high = _float_bounds(form, measured)
    return Fraction(low), Fraction(high)


def _wrong_numbers(
    entry: PackEntry, policy: TabularPolicy, measured: Evaluation, low: Fraction, high: Fraction
) -> list[str]:
    wrong = []
    slack = Fraction(0) if entry.proof == CERTIFICATE else Fraction(2) * Fraction(PLACES)
    if not (low - slack <= entry.lower <= low and high <= entry.upper <= high + slack):
        wrong.append(
            f"the value of {entry.name} is proved to be from {low} to {high}, but the pack says "
            f"from {entry.lower} to {entry.upper}"
        )
    found = measured.exploitability or 0.0
    near = isclose(found, entry.exploitability, rel_tol=1e-5, abs_tol=measured.rounding)
    if not near:
        wrong.append(
            f"the exploitability of the policy for {policy.form.name} is {found}, but the "
            f"pack says {entry.exploitability}"
        )
    return wrong


def pack_table(entries: Sequence[PackEntry]) -> str:
    """Return entries as the text of the table from which packs are read."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(getattr(entry, name)) for name in COLUMNS] for entry in entries)
    return text.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
