"""The policies of the zoo: made by their recipes, and checked by what their files claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from infoset.certificates import (
    MAX_HISTORIES,
    Certificate,
    certificate_to_json,
    check_certificate_json,
)
from infoset.errors import CertificateError, ParameterError, show
from infoset.evaluation import Evaluation, evaluate_policy, make_certificate
from infoset.front import policy_path, read_policy_metadata, solve
from infoset.game import Game
from infoset.games import PackEntry, load_game
from infoset.policy import TabularPolicy, load_policy, save_policy
from infoset.solvers import solve_exactly
from infoset.tree import build_sequence_form, build_tree
from infoset.utils.json_fields import typed_fields

EXACT = "exact"
"""The recipe of policies that are computed in exact arithmetic."""


@dataclass(frozen=True)
class ZooPolicy:
    """A policy that a recipe has made."""

    recipe: str
    policy: TabularPolicy
    measured: Evaluation
    """In double precision."""
    certificate: Certificate | None
    """The proof, if the policy was computed in exact arithmetic. Its fractions are the
    probabilities before they were rounded to double precision."""

    def metadata(self) -> dict[str, Any]:
        """Return what the file of the policy states besides the game."""
        certificate = self.certificate
        return {
            "method": self.recipe,
            "digest": self.policy.digest,
            "exploitability": self.measured.exploitability,
            "certificate": None if certificate is None else certificate_to_json(certificate),
        }


def make_zoo_policy(game: str, recipe: str) -> ZooPolicy:
    """Make a policy by its recipe: `exact`, or a method and its number of iterations.

    Raises
    ------
    ParameterError
        If the recipe cannot be read.
    InfosetError
        As raised by `solve` and `solve_exactly`.

    Examples
    --------
    >>> made = make_zoo_policy("kuhn_poker", "pcfr+ 1000")
    >>> made.measured.exploitability < 1e-4
    True
    """
    rules = load_game(game)
    if recipe == EXACT:
        return _exact_policy(rules)
    method, _, iterations = recipe.rpartition(" ")
    if not method or not iterations.isdigit():
        raise ParameterError(
            f"recipe={recipe!r} must be {EXACT!r}, or a method and its iterations: 'pcfr+ 1000'"
        )
    result = solve(build_sequence_form(rules), method, iterations=int(iterations))
    return ZooPolicy(recipe, result.policy, evaluate_policy(result.policy), None)


def _exact_policy(rules: Game) -> ZooPolicy:
    tree = build_tree(rules)
    proof = solve_exactly(tree)
    certificate = make_certificate(proof, tree) if tree.num_histories <= MAX_HISTORIES else None
    weights = [np.array([float(value) for value in values]) for values in proof.probabilities]
    policy = TabularPolicy.from_weights(tree.sequence_form, weights)
    return ZooPolicy(EXACT, policy, evaluate_policy(policy), certificate)


def save_zoo_policy(entry: PackEntry, path: str | Path) -> ZooPolicy:
    """Make the policy of a game of a pack by its recipe, and write it to a file.

    Raises
    ------
    ParameterError
        If the policy is worse than the pack says; nothing is written.
    InfosetError
        As raised by `make_zoo_policy` and `save_policy`.
    """
    made = make_zoo_policy(entry.game, entry.recipe)
    found = made.measured.exploitability
    allowed = 1.01 * entry.exploitability + made.measured.rounding
    if found is None or found > allowed:
        raise ParameterError(
            f"the policy of {entry.name} has exploitability {found}, but the pack says "
            f"{entry.exploitability}: the method or the game has changed; nothing was saved"
        )
    save_policy(made.policy, path, made.metadata())
    return made


def verify_policy_file(
    path: str | Path, *, game: Game | None = None, max_histories: int = MAX_HISTORIES
) -> tuple[Certificate, Mapping[str, Any]]:
    """Check the certificate in a policy file, and that the policy is that of the certificate.

    The policy is the one that `load_policy` returns. What the file states about it, its digest and
    its exploitability, is measured again.

    Parameters
    ----------
    game, max_histories
        As in `verify_certificate`.

    Returns
    -------
    tuple[Certificate, Mapping[str, Any]]
        The certificate and the metadata of the file.

    Raises
    ------
    CertificateError
        If the file has no certificate, the certificate is wrong, a probability of the policy is not
        the fraction of the certificate, rounded to double precision, or the digest or the
        exploitability that the file states is not that of the policy.
    InfosetError
        As raised by `read_policy_metadata`, `check_certificate_json` and `load_policy`.
    """
    about = read_policy_metadata(path) or {}
    content = about.get("certificate")
    if content is None:
        raise CertificateError(
            f"{path} is a policy without a certificate; measure it by 'infoset evaluate {path}'"
        )
    certificate, _ = check_certificate_json(
        content, f"the certificate in {path}", game=game, max_histories=max_histories
    )
    if certificate.game != about.get("game"):
        raise CertificateError(
            f"{path} is a policy for {about.get('game')}, with a certificate of {certificate.game}"
        )
    form = build_sequence_form(load_game(certificate.game) if game is None else game)
    policy = load_policy(policy_path(path), form)
    _compare_with_certificate(policy, certificate, path)
    _measure_again(policy, about, path)
    return certificate, about


def _compare_with_certificate(
    policy: TabularPolicy, certificate: Certificate, path: str | Path
) -> None:
    """Raise unless a policy is that of a certificate, rounded to double precision.

    The certificate is verified, so it has all infostates and actions of the game, and no others.
    """
    for row in policy.rows():
        exact = certificate.policies[row.player][row.infostate]
        for action, probability in zip(row.actions, row.probabilities.tolist(), strict=True):
            if abs(Fraction(probability) - exact[str(action)]) > Fraction(1, 10**15):
                raise CertificateError(
                    f"the probability of {str(action)!r} at {row.infostate!r} of player "
                    f"{row.player} in {path} is {probability}, but that of its certificate is "
                    f"{exact[str(action)]}"
                )


def _measure_again(policy: TabularPolicy, about: Mapping[str, Any], path: str | Path) -> None:
    """Raise unless the digest and the exploitability that a file states are those of its policy."""
    if about.get("digest", policy.digest) != policy.digest:
        raise CertificateError(
            f"{path} states the digest {show(about['digest'])}, but its policy has {policy.digest}"
        )
    if "exploitability" not in about:
        return
    measured = evaluate_policy(policy)
    found = measured.exploitability or 0.0
    try:
        stated = typed_fields(about, {"exploitability": float})["exploitability"]
    except ValueError as error:
        raise CertificateError(f"{path} is not a policy of the zoo: {error}") from None
    if not isclose(stated, found, rel_tol=1e-5, abs_tol=measured.rounding):
        raise CertificateError(
            f"{path} states the exploitability {stated}, but that of its policy is {found}"
        )
