"""Certificate files: JSON with one line for each infostate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infoset.certificates.certificate import Certificate, ExactPolicy
from infoset.certificates.exact_fractions import fraction_from_text, fraction_to_text
from infoset.certificates.verification import (
    MAX_HISTORIES,
    GuaranteedBounds,
    verify_certificate,
)
from infoset.errors import CertificateError, show
from infoset.game import Game
from infoset.utils.arguments import check_path, check_type
from infoset.utils.checksums import CHECKSUM, has_checksum, with_checksum
from infoset.utils.files import write_text
from infoset.utils.json_fields import read_json
from infoset.utils.text import format_bytes

FORMAT: Final = "infoset certificate"
FORMAT_VERSION: Final = 1

MAX_BYTES: Final = 64_000_000
"""Maximum size of a certificate file."""

KEYS: Final = (
    "format",
    "format_version",
    "infoset_version",
    "game",
    "lower",
    "upper",
    "num_histories",
    "policies",
    CHECKSUM,
)


def certificate_to_json(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate as JSON values, with a checksum.

    Raises
    ------
    CertificateError
        If a fraction has too many digits.
    """
    check_type("certificate", certificate, Certificate, "one from read_certificate(path)")
    return with_checksum(
        {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "infoset_version": certificate.infoset_version,
            "game": certificate.game,
            "lower": fraction_to_text(certificate.lower, "lower"),
            "upper": fraction_to_text(certificate.upper, "upper"),
            "num_histories": certificate.num_histories,
            "policies": [
                {
                    infostate: {
                        action: fraction_to_text(value, f"{action!r} at {infostate!r}")
                        for action, value in distribution.items()
                    }
                    for infostate, distribution in policy.items()
                }
                for policy in certificate.policies
            ],
        }
    )


def certificate_from_json(content: object, source: str) -> Certificate:
    """Return the certificate that `certificate_to_json` wrote; its claims are not checked.

    Parameters
    ----------
    content
        JSON values.
    source
        Name of the file, for messages.

    Raises
    ------
    CertificateError
        If the values are not those of a certificate; the message names the place.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CertificateError(
            f"{source} is not a certificate; 'infoset prove GAME --out FILE' writes one"
        )
    version = content.get("format_version")
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise CertificateError(
            f"format_version of {source} is {show(version)}; this version of infoset reads "
            f"{FORMAT_VERSION}: use the version that wrote it, or prove the value again"
        )
    for key in (*KEYS, *content):
        if (key in KEYS) != (key in content):
            state = "is missing" if key in KEYS else "does not belong there"
            raise CertificateError(f"{show(key)} {state} in {source}; prove the value again")
    for key in ("game", "infoset_version"):
        if not isinstance(content[key], str):
            raise CertificateError(f"{key} of {source} is {show(content[key])}; it must be text")
    count = content["num_histories"]
    if not isinstance(count, int) or isinstance(count, bool):
        raise CertificateError(f"num_histories of {source} is {show(count)}, not a whole number")
    policies = content["policies"]
    if not isinstance(policies, list) or len(policies) != 2:
        raise CertificateError(f"policies of {source} must be a list of two policies")
    return Certificate(
        game=content["game"],
        lower=fraction_from_text(content["lower"], f"lower of {source}"),
        upper=fraction_from_text(content["upper"], f"upper of {source}"),
        policies=(_policy(policies[0], 0, source), _policy(policies[1], 1, source)),
        num_histories=count,
        infoset_version=content["infoset_version"],
    )


def _policy(content: object, player: int, source: str) -> ExactPolicy:
    place = f"the policy of player {player} in {source}"
    if not isinstance(content, dict):
        raise CertificateError(f"{place} is {show(content)}, not a mapping of infostates")
    for infostate, distribution in content.items():
        if not isinstance(distribution, dict):
            raise CertificateError(
                f"{place} has {show(distribution)} at {show(infostate)}, not a mapping of actions"
            )
    return {
        infostate: {
            action: fraction_from_text(
                text, f"the probability of {show(action)} at {show(infostate)} in {place}"
            )
            for action, text in distribution.items()
        }
        for infostate, distribution in content.items()
    }


def save_certificate(certificate: Certificate, path: str | Path) -> None:
    """Write a certificate to a file, completely or not at all.

    Raises
    ------
    CertificateError
        If the file cannot be written, or the certificate is too long.
    """
    check_path("path", path)
    text = _text(certificate_to_json(certificate))
    size = len(text.encode())
    if size > MAX_BYTES:
        raise CertificateError(
            f"the certificate of {certificate.game} has {format_bytes(size)}, and the limit is "
            f"{format_bytes(MAX_BYTES)}; certify a smaller game"
        )
    try:
        write_text(path, text)
    except OSError as error:
        raise CertificateError(
            f"{path} cannot be written ({error.strerror or error}); give the path of a file in an "
            "existing folder where you may write"
        ) from error


def _text(content: Mapping[str, Any]) -> str:
    """Return JSON with one line for each infostate, so that people can read and compare it."""
    lines = []
    for key, value in content.items():
        if key != "policies":
            lines.append(f"{_json(key)}: {_json(value)}")
            continue
        policies = [
            "{\n"
            + ",\n".join(f"{_json(state)}: {_json(row)}" for state, row in one.items())
            + "\n}"
            for one in value
        ]
        lines.append(f"{_json(key)}: [{', '.join(policies)}]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_certificate(path: str | Path) -> Certificate:
    """Read a certificate; `verify_certificate` checks its claims.

    Raises
    ------
    CertificateError
        If the file is missing, too long, damaged, of another version, or not a certificate.
    """
    check_path("path", path)
    return certificate_from_json(_content(Path(path)), str(path))


def _content(path: Path) -> Any:
    """Return the JSON values in a file."""
    try:
        return read_json(path, MAX_BYTES)
    except OSError as error:
        raise CertificateError(
            f"{path} cannot be read ({error.strerror or error}); give the path of a certificate"
        ) from error
    except ValueError as error:
        raise CertificateError(
            f"{path} is damaged, or not a certificate: {error}; prove the value again"
        ) from error


def verify_file(
    path: str | Path, *, game: Game | None = None, max_histories: int = MAX_HISTORIES
) -> Certificate:
    """Read a certificate, and check all of its claims.

    Parameters
    ----------
    game, max_histories
        As in `verify_certificate`.

    Returns
    -------
    Certificate
        The certificate, which is valid.

    Raises
    ------
    CertificateError, UnsupportedGameError
        As raised by `read_certificate` and `verify_certificate`; or if something has changed that
        is not a claim.
    """
    check_path("path", path)
    content = _content(Path(path))
    certificate, _ = check_certificate_json(
        content, str(path), game=game, max_histories=max_histories
    )
    return certificate


def check_certificate_json(
    content: Any, source: str, *, game: Game | None = None, max_histories: int = MAX_HISTORIES
) -> tuple[Certificate, GuaranteedBounds]:
    """Return the certificate in JSON values and its bounds, after checking all of its claims.

    Raises
    ------
    CertificateError, UnsupportedGameError
        As raised by `verify_file`.
    """
    certificate = certificate_from_json(content, source)
    found = verify_certificate(certificate, game=game, max_histories=max_histories)
    # Last: the checks before name the place of a changed claim, which a checksum cannot do.
    if not has_checksum(content):
        raise CertificateError(
            f"the checksum of {source} does not match: its claims are valid, but infoset_version "
            f"({show(certificate.infoset_version)}) or sha256 were changed; prove the value again"
        )
    return certificate, found
