"""Certificates: what the rules say, and every way in which a claim can be wrong."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest

from infoset.certificates import (
    Certificate,
    guaranteed_bounds,
    read_certificate,
    save_certificate,
    verify_certificate,
    verify_file,
)
from infoset.errors import CertificateError, UnsupportedGameError
from infoset.evaluation import make_certificate, prove_value
from infoset.game import Game, Observation
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.solvers import solve_exactly
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree

HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def kuhn() -> Certificate:
    tree = cached_tree("kuhn_poker")
    return make_certificate(solve_exactly(tree), tree)


@pytest.fixture
def file(kuhn, tmp_path):
    path = tmp_path / "kuhn.json"
    save_certificate(kuhn, path)
    return path


def changed(certificate, player, infostate, **actions):
    """Return a certificate with other probabilities at one infostate."""
    policies = list(certificate.policies)
    policies[player] = {**policies[player], infostate: actions}
    return replace(certificate, policies=tuple(policies))


@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("kuhn_poker", Fraction(-1, 18)),
        ("liars_dice(dice_sides=2)", HALF),
        ("goofspiel(num_cards=3,imp_info=True)", Fraction()),
        ("matrix_rps", Fraction()),
    ],
)
def test_known_values_are_certified(game, value):
    tree = build_tree(load_game(game))
    certificate = make_certificate(solve_exactly(tree), tree)
    assert certificate.value == verify_certificate(certificate).lower == value
    assert certificate.num_histories == tree.num_histories
    assert certificate.num_infostates == tuple(
        plex.num_infostates for plex in tree.sequence_form.treeplexes
    )


def test_bounds_of_any_policy_are_those_of_the_trees_and_matrices():
    # Another road: `prove_value` uses the tree and the treeplexes, the verification the rules.
    random_games = [f"random_game(seed={seed},max_histories=150)" for seed in range(6)]
    for game in ("kuhn_poker", "goofspiel(num_cards=3)", *random_games):
        tree = build_tree(load_game(game))
        proof = prove_value(tree, uniform_policy(tree.sequence_form))
        certificate = make_certificate(proof, tree)
        assert (certificate.lower, certificate.upper) == (proof.lower, proof.upper)
        assert certificate.value is None


def test_uniform_play_of_matching_pennies_by_hand():
    even = {"Heads": HALF, "Tails": HALF}
    found = guaranteed_bounds(load_game("matrix_mp"), [{"(start)": even}, {"(start)": even}])
    assert found == (0, 0, 5, (1, 1))
    tilted = {"Heads": Fraction(3, 4), "Tails": Fraction(1, 4)}
    found = guaranteed_bounds(load_game("matrix_mp"), [{"(start)": tilted}, {"(start)": even}])
    assert (found.lower, found.upper) == (-HALF, 0)


def test_the_file_gives_back_the_certificate_and_needs_no_compiled_code(kuhn, file):
    assert read_certificate(file) == verify_file(file) == kuhn
    program = (
        "import sys; from infoset.certificates import verify_file; "
        f"assert verify_file({str(file)!r}).value; "
        "assert not {'numba', 'scipy', 'highspy', 'infoset.solvers', 'infoset.tree'} "
        "& {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_changed_digit_of_a_file_is_refused(file):
    text = file.read_text()
    digits = [place for place, sign in enumerate(text) if sign.isdigit()]
    for place in digits:
        other = "7" if text[place] != "7" else "3"
        file.write_text(f"{text[:place]}{other}{text[place + 1 :]}")
        with pytest.raises(CertificateError):
            verify_file(file)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"lower": "-1/18"', '"lower": "-1/17"', "lower of the certificate is -1/17, but"),
        ('"upper": "-1/18"', '"upper": "1/18"', "upper of the certificate is 1/18, but"),
        ('"num_histories": 55', '"num_histories": 54', "num_histories of the certificate is 54"),
        ('"format_version": 1', '"format_version": 2', "format_version of .* is 2; this version"),
        ('"kuhn_poker"', '"kuhn_poker(players=3)"', "3 players"),
        ('"kuhn_poker"', '"matrix_rps"', r"no probabilities at '\(start\)' of player 0"),
        ('"kuhn_poker"', '"mine.py:Kuhn"', "'mine.py:Kuhn', which is not the name of a regist"),
        ('"kuhn_poker"', '"openspiel:kuhn_poker"', "not the name of a registered game"),
        ('"kuhn_poker"', '"kuhn_poker(players=2)"', "its rules name it 'kuhn_poker'"),
        ('"kuhn_poker"', "7", "game of .* is 7; it must be text"),
        ('"-1/18"', '"-2/36"', "lower of .* is '-2/36'; it must be text with a fraction in lowest"),
        ('"-1/18"', '"-1/0"', "lower of .* is '-1/0'"),
        ('"-1/18"', f'"{"1" * 5000}"', "lower of .* is '1111"),
        ('"-1/18"', "NaN", "lower of .* is nan"),
        ('"[Q]"', '"[K]"', "the key .* is given twice"),
        ('"[Q]"', '"[A]"', r"no probabilities at '\[Q\]' of player 0"),
        ('"lower"', '"Lower"', "'lower' is missing"),
        ('"sha256"', '"sha255"', "'sha256' is missing"),
        ('"policies": [', '"extra": 1, "policies": [', "'extra' does not belong there"),
        ('"infoset_version": "', '"infoset_version": "9', "checksum .* does not match"),
        ("{", "", "is damaged, or not a certificate"),
        ('"infoset certificate"', '"another"', "is not a certificate; 'infoset prove"),
    ],
)
def test_a_changed_file_is_refused_with_its_place(file, old, new, place):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises((CertificateError, UnsupportedGameError), match=place):
        verify_file(file)


def test_files_that_are_missing_binary_or_too_long_are_refused(tmp_path, monkeypatch):
    with pytest.raises(CertificateError, match="cannot be read"):
        read_certificate(tmp_path / "absent.json")
    path = tmp_path / "bytes.json"
    path.write_bytes(b"\xff\x00")
    with pytest.raises(CertificateError, match="damaged"):
        read_certificate(path)
    path.write_text("[" * 100_000)
    with pytest.raises(CertificateError, match="damaged"):
        read_certificate(path)
    monkeypatch.setattr("infoset.certificates.certificate_files.MAX_BYTES", 10)
    path.write_text(" " * 11)
    with pytest.raises(CertificateError, match="it has more than 10 bytes"):
        read_certificate(path)


def test_wrong_policies_are_refused_with_the_infostate(kuhn):
    third = Fraction(1, 3)
    with pytest.raises(CertificateError, match=r"'\[Q\]' of player 0 are .*sum to 2/3, not 1"):
        verify_certificate(changed(kuhn, 0, "[Q]", **{"pass": third, "bet": third}))
    with pytest.raises(CertificateError, match=r"probability of 'bet' at '\[Q\]'.*-1"):
        verify_certificate(changed(kuhn, 0, "[Q]", **{"pass": Fraction(2), "bet": Fraction(-1)}))
    with pytest.raises(CertificateError, match=r"the actions \['pass'\] at"):
        verify_certificate(changed(kuhn, 0, "[Q]", **{"pass": Fraction(1)}))
    with pytest.raises(CertificateError, match=r"at '\[A\]' of player 1, which is not an infost"):
        verify_certificate(changed(kuhn, 1, "[A]", **{"pass": Fraction(1)}))
    # A valid policy that guarantees less than the claim.
    with pytest.raises(CertificateError, match="lower of the certificate is -1/18, but the policy"):
        verify_certificate(changed(kuhn, 0, "[Q]", **{"pass": Fraction(), "bet": Fraction(1)}))


def test_a_game_of_too_many_histories_is_refused(kuhn):
    with pytest.raises(UnsupportedGameError, match="more than 54 histories"):
        verify_certificate(kuhn, max_histories=54)
    assert verify_certificate(kuhn, max_histories=55)


class Coin(Game):
    """Chance tosses a coin of a given kind of probability; then player 0 is paid."""

    num_players = 2

    def __init__(self, probability, paid):
        self.probability, self.paid = probability, paid

    def initial_world(self):
        return "toss"

    def actors(self, world):
        return ()

    def legal_actions(self, world, player):
        return ()

    def transitions(self, world, joint_action):
        if world == "toss":
            return [("heads", self.probability), ("tails", 1 - self.probability)]
        return []

    def rewards(self, world, joint_action, next_world):
        return (self.paid, -1) if next_world == "heads" else (-1, 1)

    def observe(self, world, joint_action, next_world):
        return Observation()


def test_games_that_cannot_be_certified_are_refused():
    assert guaranteed_bounds(Coin(Fraction(1, 4), 1), [{}, {}]).lower == -HALF
    with pytest.raises(UnsupportedGameError, match=r"probability 0\.25"):
        guaranteed_bounds(Coin(0.25, 1), [{}, {}])
    with pytest.raises(UnsupportedGameError, match="not constant-sum"):
        guaranteed_bounds(Coin(HALF, 3), [{}, {}])
    with pytest.raises(CertificateError, match="not an infostate"):
        guaranteed_bounds(Coin(HALF, 1), [{"(start)": {}}, {}])
