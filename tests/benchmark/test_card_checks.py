"""Score cards cannot be forged by a subject, and what they say can be measured again."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.benchmark import (
    TARGETS,
    Entrant,
    GameRow,
    Race,
    RaceRun,
    ScoreCard,
    check_card,
    find_subject,
    run_race,
    save_card,
    score_subject,
)
from infoset.benchmark.described_subjects import describe_subject
from infoset.benchmark.handed_policies import pack_policy, unpack_policy
from infoset.benchmark.races import _Receiver
from infoset.errors import ParameterError, ScoreCardError, SubjectShapeError
from infoset.evaluation import evaluate_policy
from infoset.games import get_pack_entry, load_game
from infoset.policy import save_policy, uniform_policy
from infoset.tree import build_sequence_form

FILE = str(Path(__file__).with_name("sample_subjects.py"))
KUHN = get_pack_entry("kuhn_poker")
METHODS = ("lp", "cfr+", "dcfr", "pcfr+")


@pytest.fixture(scope="module")
def form():
    return build_sequence_form(load_game("kuhn_poker"))


def policies(form, method):
    counts = (1,) if method == "lp" else (1, 10, 200)
    return [(n, infoset.solve(form, method, iterations=n).policy) for n in counts]


def told(receiver, number, kind, seconds=0.0, **content):
    receiver({"kind": kind, "run": number, **content}, seconds)


@pytest.fixture(scope="module")
def card(form):
    """A card of policies that were sent, one after another."""
    runs = {number: RaceRun(Entrant(name, name, None)) for number, name in enumerate(METHODS)}
    receiver = _Receiver(runs, form)
    for number, name in enumerate(METHODS):
        told(receiver, number, "begins", 0.5)
        for place, (iteration, policy) in enumerate(policies(form, name)):
            data = pack_policy(policy)
            told(receiver, number, "policy", place + 1.0, iteration=iteration, data=data)
        told(receiver, number, "repeated", policies=[data, data])
        told(receiver, number, "done", outcome="seconds", message="")
    row = GameRow(KUHN, form.payoff_width, tuple(runs.values()))
    return ScoreCard(find_subject("lp"), "small", 1.0, 1, (row,))


@pytest.fixture
def saved(card, tmp_path):
    return save_card(card, tmp_path / "card", pictures=False)


def test_the_points_are_the_measured_policies(card, form):
    run = card.rows[0].runs[1]
    exact = [evaluate_policy(policy).exploitability for _, policy in policies(form, "cfr+")]
    assert run.points == [(1, 1.0, exact[0]), (10, 2.0, exact[1]), (200, 3.0, exact[2])]
    assert (run.seconds_before, run.is_repeatable) == (0.5, True)


def test_a_card_is_confirmed(saved):
    checked = check_card(saved)
    assert checked.problems == ()
    assert checked.num_policies == sum(len(run["policies"]) for run in runs_of(saved)) >= 7
    assert check_card(saved / "card.json").is_confirmed


def read(folder):
    return json.loads((folder / "card.json").read_text())


def runs_of(folder):
    return read(folder)["games"][0]["runs"]


def changed(folder, change):
    facts = read(folder)
    change(facts, facts["games"][0]["runs"])
    (folder / "card.json").write_text(json.dumps(facts, indent=1) + "\n")
    return " ".join(check_card(folder).problems)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda facts, runs: runs[1].update(exploitability=0.0), "runs[1].exploitability: "),
        (lambda facts, runs: runs[1]["points"][-1].__setitem__(2, 1e-9), "runs[1].points[2][2]: "),
        (lambda facts, runs: runs[1]["points"][0].__setitem__(2, 1e-9), "cfr+"),
        (lambda facts, runs: runs[1]["seconds_to"].update({"0.01": 0.1}), "seconds_to.0.01: "),
        (lambda facts, runs: runs[1]["points"][1].__setitem__(0, 9), "is of iterations 10, not 9"),
        (lambda facts, runs: runs[1]["policies"][0].update(sha256="0"), "policies[0].sha256: "),
        (lambda facts, runs: facts["ratios"]["seconds"][0].update(median=0.1), "[0].median: "),
        (lambda facts, runs: facts["gates"][0].update(is_passed=False), "gates[0].is_passed: "),
        (lambda facts, runs: facts["games"][0].update(payoff_width=1e9), "payoff_width: "),
        (lambda facts, runs: facts.update(name="better"), "is not in this card"),
        (lambda facts, runs: facts.update(remark="best"), "remark: the card says 'best'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_changed_is_named(saved, change, place):
    assert place in changed(saved, change)


def test_swapped_methods_are_found(saved):
    def swap(facts, runs):
        runs[0]["name"], runs[2]["name"] = runs[2]["name"], runs[0]["name"]

    assert "is of method 'lp', not 'dcfr'" in changed(saved, swap)


def test_another_policy_is_found_in_the_card_and_in_its_folder(saved, form):
    file = saved / "policies" / "kuhn_poker-1-2.parquet"
    save_policy(uniform_policy(form), file, {"method": "cfr+", "iterations": 200, "seed": None})
    problems = " ".join(check_card(saved).problems)
    assert "runs[1].policies[" in problems
    assert "runs[1].points[2][2]: " in problems
    file.unlink()
    assert "kuhn_poker-1-2.parquet cannot be measured" in " ".join(check_card(saved).problems)
    shutil.copy(saved / "policies" / "kuhn_poker-2-2.parquet", saved / "kuhn_poker.parquet")
    assert "kuhn_poker.parquet: it differs" in " ".join(check_card(saved).problems)


@pytest.mark.parametrize("name", ["card.md", "curves.csv"])
def test_the_other_files_say_what_the_card_says(saved, name):
    path = saved / name
    path.write_text(path.read_text().replace("1", "0", 1))
    assert f"{name}: it differs from what the card says" in check_card(saved).problems
    path.unlink()
    assert f"{name}: it cannot be read" in " ".join(check_card(saved).problems)


def test_files_that_are_no_card_are_refused(saved):
    with pytest.raises(ScoreCardError, match="cannot be read"):
        check_card(saved / "absent")
    for text, message in (
        ("{", "damaged"),
        ("[]", "not a score card that can be checked"),
        ('{"format": "infoset score card", "format_version": 9}', "format_version"),
        ('{"format": "infoset score card", "format_version": 2}', "damaged: KeyError"),
    ):
        (saved / "card.json").write_text(text)
        with pytest.raises(ScoreCardError, match=message):
            check_card(saved)
    elsewhere = {**FACTS, "games": [{"name": "../kuhn_poker", "runs": []}]}
    (saved / "card.json").write_text(json.dumps(elsewhere))
    with pytest.raises(ScoreCardError, match="the zoo has no game"):
        check_card(saved)


FACTS = {
    "format": "infoset score card",
    "format_version": 2,
    "subject": "lp",
    "name": "lp",
    "kind": "method",
    "pack": "small",
    "seconds": 1.0,
    "seeds": 1,
}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "policy", "run": 1, "iteration": 1, "data": ""}, "about the unknown run 1"),
        ({"kind": "policy", "run": 0, "iteration": -1, "data": ""}, "of iteration -1"),
        ({"kind": "policy", "run": 0, "iteration": True, "data": ""}, "of iteration True"),
        ({"kind": "policy", "run": 0, "iteration": 1, "data": "=?"}, "cannot be read"),
        ({"kind": "policy", "run": 0, "iteration": 1, "data": "AAAA"}, "has 26"),
        ({"kind": "point", "run": 0, "point": [1, 1e-6, 0.0]}, "unknown message: 'point'"),
        ({"kind": "repeated", "run": 0, "is_same": True}, "two policies to compare"),
        ({"kind": "done", "run": 0, "outcome": "won", "message": ""}, "outcome 'won'"),
    ],
    ids=str,
)
def test_messages_of_a_subject_are_checked(form, content, message):
    receiver = _Receiver({0: RaceRun(Entrant("mine", "mine"))}, form)
    with pytest.raises(ParameterError, match=message):
        receiver(content, 1.0)


def test_probabilities_of_a_subject_are_checked(form):
    values = np.concatenate(uniform_policy(form).probabilities)
    for wrong in (np.nan, -0.5, 0.6):
        values[1] = wrong
        with pytest.raises(ParameterError, match=r"negative or NaN|not 1"):
            unpack_policy(base64.b64encode(values.tobytes()).decode(), form)


def test_a_run_without_policies_fails(form):
    run = RaceRun(Entrant("mine", "mine"))
    _Receiver({0: run}, form)({"kind": "done", "run": 0, "outcome": "optimal", "message": ""}, 1.0)
    assert (run.outcome, run.message) == ("failed", "it sent no policy")


@pytest.mark.broad
def test_subjects_that_lie_are_measured_as_they_are():
    names = ("Fake", "Direct", "spoils")
    entrants = (*(Entrant(name, f"{FILE}:{name}") for name in names), Entrant("cfr+", "cfr+"))
    fake, direct, spoils, reference = run_race(Race("kuhn_poker", entrants, 0.1, 1000))
    uniform = pytest.approx(0.4583333)
    assert fake.points != []
    assert all(point[2] == uniform for point in (*fake.points, *spoils.points))
    assert fake.first(TARGETS[0] * 2, 1) == float("inf")
    assert (direct.outcome, direct.points) == ("failed", [])
    assert direct.message == "its process sent a message about the unknown run 0"
    assert reference.outcome == "seconds"
    assert reference.exploitability < 1e-3


@pytest.mark.broad
def test_a_card_of_a_file_is_confirmed_and_its_file_is_not_executed_here(tmp_path):
    here = tmp_path / "mine.py"
    text = Path(FILE).read_text()
    here.write_text(
        f"import os\nopen({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} ')\n"
    )
    with here.open("a") as file:
        file.write(text)
    card = score_subject(f"{here}:hands_over", games=["kuhn_poker"], seconds=0.2)
    assert card.is_passed
    run = card.rows[0].runs[0]
    assert [point[0] for point in run.points][:3] == [1, 2, 4]
    assert run.seconds_before > 0
    checked = check_card(save_card(card, tmp_path / "card", pictures=False))
    assert checked.problems == ()
    pids = (tmp_path / "pids").read_text().split()
    assert len(set(pids)) == 2
    assert str(os.getpid()) not in pids


@pytest.mark.broad
def test_a_card_of_a_searcher_has_its_policy(tmp_path):
    card = score_subject(f"{FILE}:Flat", games=["kuhn_poker"], seconds=0.05, deals=4)
    folder = save_card(card, tmp_path / "card", pictures=False)
    assert check_card(folder).problems == ()
    facts = read(folder)
    facts["games"][0]["trial"]["exploitability"] = 0.0
    (folder / "card.json").write_text(json.dumps(facts))
    assert "trial.exploitability: " in " ".join(check_card(folder).problems)


@pytest.mark.broad
def test_errors_of_a_file_are_those_of_its_process(tmp_path):
    with pytest.raises(SubjectShapeError, match=r"is a int, which.*\n.*def solve\(form, budget\)"):
        describe_subject(f"{FILE}:number")
    (tmp_path / "ends.py").write_text("import os\nos._exit(3)\n")
    with pytest.raises(ParameterError, match="its process ended with code 3"):
        describe_subject(f"{tmp_path}/ends.py:Mine")
