"""Certificates of game values: files that are verified by the rules and exact arithmetic alone."""

from infoset.certificates.certificate import Certificate, Distribution, ExactPolicy
from infoset.certificates.certificate_files import (
    MAX_BYTES,
    certificate_from_json,
    certificate_to_json,
    check_certificate_json,
    read_certificate,
    save_certificate,
    verify_file,
)
from infoset.certificates.exact_fractions import (
    MAX_DIGITS,
    fraction_from_text,
    fraction_to_text,
)
from infoset.certificates.verification import (
    MAX_HISTORIES,
    GuaranteedBounds,
    guaranteed_bounds,
    verify_certificate,
)

__all__ = [
    "MAX_BYTES",
    "MAX_DIGITS",
    "MAX_HISTORIES",
    "Certificate",
    "Distribution",
    "ExactPolicy",
    "GuaranteedBounds",
    "certificate_from_json",
    "certificate_to_json",
    "check_certificate_json",
    "fraction_from_text",
    "fraction_to_text",
    "guaranteed_bounds",
    "read_certificate",
    "save_certificate",
    "verify_certificate",
    "verify_file",
]
