"""What the child does, here in this process: every measurement is reported, and every failure."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from infoset.benchmark.handed_policies import unpack_policy
from infoset.benchmark.method_runs import run_races
from infoset.benchmark.searcher_trials import run_trials
from infoset.evaluation import evaluate_policy
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.tree import build_sequence_form

FILE = str(Path(__file__).with_name("sample_subjects.py"))


class Messages(list):
    """A messenger that keeps what it is given."""

    def send(self, kind, **content):
        self.append((kind, content))

    ask = send

    def of(self, kind):
        return [content for found, content in self if found == kind]


def raced(*texts, seconds=0.05, repeats=()):
    messages = Messages()
    rows = [{"number": number, "text": text, "seed": 0} for number, text in enumerate(texts)]
    job = {"game": "kuhn_poker", "rows": rows, "seconds": seconds, "episodes": 300}
    job["needs_tree"] = "es-mccfr" in texts
    run_races({**job, "repeats": repeats}, messages)
    return messages


def exploitability(data):
    form = build_sequence_form(load_game("kuhn_poker"))
    return evaluate_policy(unpack_policy(data, form)).exploitability


def trialed(text, *, skip=(), anchors=("uniform",), seconds=0.05):
    messages = Messages()
    job = {"game": "kuhn_poker", "text": text, "seconds": seconds, "deals": 16}
    run_trials({**job, "skip": skip, "anchors": anchors}, messages)
    return messages


@pytest.mark.broad
def test_methods_and_learners_are_measured_in_turn():
    messages = raced("cfr+", "es-mccfr", f"{FILE}:by_cfr", repeats=(0, 1, 2))
    for one in messages.of("repeated"):
        first, second = one["policies"]
        assert first == second
    outcomes = {one["run"]: one["outcome"] for one in messages.of("done")}
    assert outcomes.keys() == {0, 1, 2}
    assert outcomes[1] == "iterations"
    for number in range(3):
        found = [one["data"] for one in messages.of("policy") if one["run"] == number]
        assert exploitability(found[-1]) < exploitability(found[0])
    # The function is called anew with 1, 2, 4, … iterations.
    iterations = [one["iteration"] for one in messages.of("policy") if one["run"] == 2]
    assert iterations == [2**number for number in range(len(iterations))]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raises", "ValueError: a mistake"),
        ("other_game", "returned a policy of matrix_mp, not of kuhn_poker"),
        ("no_policy", "returned a list"),
        ("boasts", "exploitability"),
    ],
)
def test_a_subject_that_fails_is_reported_and_the_others_run(name, message):
    messages = raced(f"{FILE}:{name}", "cfr+", seconds=0.02)
    done = {one["run"]: one for one in messages.of("done")}
    assert done[0]["outcome"] == "failed"
    assert message in done[0]["message"]
    assert done[1]["outcome"] == "seconds"


def test_unseeded_random_numbers_are_found():
    (found,) = raced(f"{FILE}:varies", seconds=0.01, repeats=(0,)).of("repeated")
    first, second = found["policies"]
    assert first != second


def test_policies_are_handed_over_when_the_iterations_have_grown_by_a_tenth():
    found = [one["iteration"] for one in raced("cfr+", seconds=0.2).of("policy")]
    for before, after in pairwise(found[:-1]):
        assert after >= before + max(1, before // 10)
    assert len(found) < 200


def test_numbers_that_a_subject_records_are_not_handed_over():
    found = raced(f"{FILE}:Fake", seconds=0.02).of("policy")
    assert [one["iteration"] for one in found] == [1, 2]
    assert {exploitability(one["data"]) for one in found} == {exploitability(found[0]["data"])}
    assert exploitability(found[0]["data"]) > 0.4
    handed = raced(f"{FILE}:hands_over", seconds=0.02).of("policy")
    assert [one["iteration"] for one in handed][:3] == [1, 2, 4]


@pytest.mark.broad
def test_a_searcher_is_tested_played_and_measured():
    anchors = ("uniform", "zoo:kuhn_poker")
    messages = trialed(f"{FILE}:Flat", anchors=anchors)
    assert messages.of("failed") == []
    (leak,) = messages.of("leak")
    assert leak["leak"] is None
    assert leak["plays"] >= 1
    # Enough time on any machine: a stage that runs out of it has no numbers.
    messages = trialed(f"{FILE}:Flat", anchors=anchors, skip=("leak test",), seconds=600)
    assert messages.of("failed") == []
    assert messages.of("repetition")[0]["is_same"]
    even, best = (one["numbers"] for one in messages.of("match"))
    # The same policy on both sides wins nothing, and the equilibrium does not lose.
    assert even[1] < even[0] == 0.0 < even[2]
    assert best[0] < 0
    form = build_sequence_form(load_game("kuhn_poker"))
    handed = unpack_policy(messages.of("response")[0]["data"], form)
    for mine, theirs in zip(uniform_policy(form).probabilities, handed.probabilities, strict=True):
        assert mine == pytest.approx(theirs)


@pytest.mark.broad
def test_leaks_and_answers_that_are_no_distribution_are_found():
    leaky = trialed(f"{FILE}:Leaky", anchors=())
    assert "the queries differ in the time of query" in leaky.of("leak")[0]["leak"]
    # Enough time on any machine: a stage that runs out of it reports no error.
    wrong = trialed(f"{FILE}:WithoutSum", skip=("leak test",), seconds=600)
    stages = [one["stage"] for one in wrong.of("failed")]
    assert stages == ["match against uniform", "best response"]
    assert all("with sum 1" in one["message"] for one in wrong.of("failed"))


@pytest.mark.networks
def test_a_network_is_measured():
    messages = Messages()
    rows = [{"number": 0, "text": "network:rnad", "seed": 0}]
    job = {"game": "kuhn_poker", "rows": rows, "seconds": 1.0, "episodes": 300}
    run_races({**job, "repeats": (), "needs_tree": True}, messages)
    (done,) = messages.of("done")
    assert done["outcome"] == "seconds"
    found = messages.of("policy")
    assert found[-1]["iteration"] > found[0]["iteration"]
    assert exploitability(found[-1]["data"]) < exploitability(found[0]["data"])
