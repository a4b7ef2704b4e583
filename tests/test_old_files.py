"""Files that version 0.1.0 wrote are read as before; only its checkpoints are refused.

The files, and `facts.json` with what 0.1.0 measured, are described in `files_0_1_0/README.md`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import infoset
from infoset.benchmark import check_board_entry, check_card
from infoset.certificates import read_certificate, verify_certificate
from infoset.cli.app import app
from infoset.errors import CheckpointMismatchError, GraphCacheWarning
from infoset.evaluation import evaluate_policy, load_correlated_policy
from infoset.experiments import check_results
from infoset.games import load_game
from infoset.policy import (
    STORAGES,
    constant_transformations,
    load_policy,
    load_policy_csv,
    read_metadata,
)
from infoset.runs import read_trace, read_traces
from infoset.tree import build_public_form, build_tree, graph_cache
from infoset.tree.saved_graphs import read_graph
from infoset.utils.array_files import read_arrays
from tests.support.cached_games import cached_tree

FILES = Path(__file__).parent / "files_0_1_0"
FIRST = FILES / "first_formats"
EFG = Path(__file__).parent / "efg" / "files" / "games"
FACTS = json.loads((FILES / "facts.json").read_text())
DIGESTS = json.loads((FIRST / "digests.json").read_text())
LEDUC = "leduc_poker(num_ranks=2)"
REFUSED = rf"written by infoset 0\.1\.0, and this is {infoset.__version__}, which may round"
RUNS = sorted(path.name for path in (FILES / "runs").iterdir())


def form_of(policy):
    """Return the form on which a policy plays."""
    return policy.form


def game_of(facts):
    """Return what a user gives as the game of a file: a name, a path, or a public form."""
    name = facts["game"]
    if name.startswith("nolimit"):
        pytest.importorskip("phevaluator")
    if name.endswith(".efg"):
        return str(EFG / name)
    if facts["form"] == "public":
        merge = facts.get("merge_symmetric", True)
        return build_public_form(load_game(name), merge_symmetric=merge)
    return name


def bits_of(policy):
    """Return a digest of the probabilities of a policy."""
    digest = hashlib.sha256()
    for values in policy.probabilities:
        digest.update(np.ascontiguousarray(values).astype("<f8").tobytes())
    return digest.hexdigest()


def assert_as_measured(found, facts):
    """Compare numbers with those of version 0.1.0, up to the rounding of sums in another order."""
    for name in ("values", "nash_conv", "exploitability"):
        expected = facts.get(name)
        if expected is None:
            assert found[name] is None
        else:
            width = max(1.0, *map(abs, facts["values"]))
            assert found[name] == pytest.approx(expected, rel=0, abs=1e-12 * width)


def trace_facts(trace):
    """Return the number of measurements, the last one, and a digest of all."""
    rows = [[point.iteration, *point.values, point.nash_conv] for point in trace]
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
    return {"points": len(rows), "last": rows[-1], "sha256": digest}


def run(*command):
    """Run the command line, and return its JSON object."""
    found = CliRunner().invoke(app, [*map(str, command), "--json"], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


@pytest.mark.parametrize("facts", FACTS["forms"], ids=lambda one: f"{one['game']}-{one['form']}")
def test_fingerprints_of_forms(facts):
    """Policies, checkpoints and cards name their game by the fingerprint of its form."""
    game = game_of(facts)
    form = cached_tree(game).sequence_form if isinstance(game, str) else game
    assert form.fingerprint == facts["fingerprint"]


@pytest.mark.parametrize("name", FACTS["policies"])
def test_policies(name):
    """All storages, with and without merged suits; files and folders of runs."""
    facts = FACTS["policies"][name]
    policy = infoset.load_policy(FILES / name, game_of(facts))
    assert form_of(policy).fingerprint == facts["fingerprint"]
    assert bits_of(policy) == facts["probabilities"]
    assert policy.digest == facts["digest"]
    assert_as_measured(vars(evaluate_policy(policy)), facts)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "policies/kuhn.csv",
            "policies/kuhn_3_players.parquet",
            "policies/one_card_poker.parquet",
        ),
        *("policies/leduc_float64.parquet", "policies/turn_uint8.parquet"),
        *("runs/kuhn_lp", "runs/river", "runs/teams"),
    ],
)
def test_the_command_line_measures_policies(name):
    facts = FACTS["policies"][name]
    game = game_of(facts)
    found = run("evaluate", game if isinstance(game, str) else facts["game"], FILES / name)
    assert_as_measured(found, facts)


def test_files_name_their_game():
    for name in ("policies/kuhn.parquet", "policies/leduc_uint16.parquet", "runs/kuhn_dcfr"):
        assert infoset.load_policy(FILES / name).digest == FACTS["policies"][name]["digest"]
    about = read_metadata(FILES / "policies" / "kuhn.parquet")
    assert (about["version"], about["remark"]) == ("0.1.0", "Größe")


@pytest.mark.parametrize("name", FACTS["correlated"])
def test_correlated_policies(name):
    facts, path = FACTS["correlated"][name], FILES / name
    file = path if path.is_file() else path / "correlated_policy.parquet"
    joint = load_correlated_policy(file, cached_tree(facts["game"]).sequence_form)
    assert [*joint.weights] == facts["weights"]
    assert [bits_of(one) for one in joint.policies] == facts["probabilities"]
    assert [one.digest for one in joint.policies] == facts["digests"]
    found = run("evaluate", facts["game"], path)
    assert found["cce_gap"] == pytest.approx(facts["cce_gap"], rel=0, abs=1e-12)


def test_the_first_format_of_tables():
    form = cached_tree("kuhn_poker").sequence_form
    assert load_policy(FIRST / "table.parquet", form).digest == DIGESTS["table"]
    assert load_policy_csv(FIRST / "table.csv", form).digest == DIGESTS["table"]
    assert infoset.load_policy(FIRST / "table.parquet").digest == DIGESTS["table"]
    correlated = load_correlated_policy(FIRST / "correlated.parquet", form)
    assert [one.digest for one in correlated.policies] == [DIGESTS["table"], DIGESTS["second"]]
    assert correlated.weights == (0.25, 0.75)


@pytest.mark.parametrize("storage", STORAGES)
def test_the_first_format_of_public_forms(storage):
    form = build_public_form(load_game(LEDUC))
    policy = load_policy(FIRST / f"public_{storage}.parquet", form)
    assert policy.digest == DIGESTS[storage]


def test_what_a_file_states_is_not_what_it_is_worth():
    """The file states exploitability 0, and its policy is a random one."""
    path = FIRST / "table.parquet"
    assert read_metadata(path)["exploitability"] == 0
    assert infoset.evaluate("kuhn_poker", path).exploitability > 0.1


@pytest.mark.parametrize("name", RUNS)
def test_folders_of_runs_are_complete(name):
    assert check_results(FILES / "runs" / name)["version"] == "0.1.0"


@pytest.mark.parametrize("name", [name for name in FACTS["policies"] if "runs/" in name])
def test_traces_of_runs(name):
    facts = FACTS["policies"][name]
    if "trace" in facts:
        assert trace_facts(read_trace(FILES / name)) == facts["trace"]


def test_traces_of_several_runs(tmp_path):
    compared = read_traces(FILES / "runs" / "comparison")
    for one, facts in zip(compared, FACTS["comparison"], strict=True):
        assert {"method": one.method, "trace": trace_facts(one.trace)} == facts
    folder, facts = FILES / "runs" / "learning", FACTS["learning"]
    for seed, one, own in zip(facts["seeds"], read_traces(folder), facts["runs"], strict=True):
        assert (one.method, one.seed, one.game) == (facts["method"], seed, "kuhn_poker")
        assert trace_facts(one.trace) == own["trace"]
        policy = infoset.load_policy(folder / f"policy-{seed}.parquet")
        assert policy.digest == own["digest"]
    last = run("plot", FILES / "runs" / "kuhn_dcfr", "--out", tmp_path / "chart.svg")["runs"][0]
    assert last["iterations"] == 100


@pytest.mark.parametrize("name", ["dcfr", "pimc"])
def test_score_cards(name):
    checked = check_card(FILES / "score_cards" / name)
    assert checked.problems == ()
    assert checked.num_policies > 0
    assert run("benchmark", "--check", FILES / "score_cards" / name)


def test_board_entries():
    checked = check_board_entry(FILES / "board_entry")
    assert checked.is_confirmed
    assert run("benchmark", "--check", FILES / "board_entry")["exploitability"] == pytest.approx(
        FACTS["policies"]["policies/kuhn.parquet"]["exploitability"], abs=1e-12
    )


@pytest.mark.parametrize(("name", "value"), [("kuhn", "-1/18"), ("goofspiel", "0")])
def test_certificates(name, value):
    path = FILES / "certificates" / f"{name}.json"
    certificate = read_certificate(path)
    verify_certificate(certificate)
    assert certificate.infoset_version == "0.1.0"
    assert str(certificate.value) == run("verify", path)["value"] == value


@pytest.mark.parametrize("name", FACTS["graphs"])
def test_saved_graphs(name, monkeypatch, tmp_path):
    """A cache refuses graphs of another version, which may have other rules; they can be read."""
    facts, file = FACTS["graphs"][name], tmp_path / name
    shutil.copy(FILES / "graphs" / name, file)
    header, arrays = read_arrays(file, without_digest=(1,))
    rules = header["rules"]
    game = load_game(facts["game"])
    graph = read_graph(game, file, rules)
    digest = hashlib.sha256()
    for array in sorted(arrays.keys() - {"exact_probability"}):
        digest.update(getattr(graph, array).tobytes())
    assert digest.hexdigest() == facts["sha256"]
    before = file.read_bytes()
    with monkeypatch.context() as patch, graph_cache(tmp_path):
        patch.setattr("infoset.tree.saved_graphs.rules_digest", lambda game: rules)
        assert build_tree(game).sequence_form.fingerprint == facts["fingerprint"]
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with graph_cache(tmp_path), pytest.warns(GraphCacheWarning, match=r"version of infoset has"):
        assert build_tree(game).sequence_form.fingerprint == facts["fingerprint"]
    assert file.read_bytes() != before


def resume(name, path):
    """Resume the run that a checkpoint of version 0.1.0 was saved for."""
    if name == "learn":
        infoset.learn("kuhn_poker", "os-mccfr", episodes=200, checkpoint=path)
    elif name == "team":
        game, method = "cooperative_matching_pennies", "progressive-hiding"
        infoset.solve_team(game, method, iterations=20, checkpoint=path)
    else:
        game = "kuhn_poker" if name == "solve" else build_public_form(load_game(LEDUC))
        infoset.solve(game, "cfr+", iterations=20, checkpoint=path)


@pytest.mark.parametrize("name", ["solve", "public", "learn", "team"])
def test_checkpoints_are_refused(name, tmp_path):
    path = tmp_path / f"{name}.npz"
    shutil.copy(FILES / "checkpoints" / path.name, path)
    with pytest.raises(CheckpointMismatchError, match=REFUSED):
        resume(name, path)


def test_matches_are_resumed(tmp_path):
    """The deals of a match are sums of payoffs, which another version plays alike."""
    path = tmp_path / "match.json"
    shutil.copy(FILES / "checkpoints" / path.name, path)
    policy = infoset.load_policy(FILES / "policies" / "kuhn.parquet")
    game = load_game("kuhn_poker")
    resumed = infoset.play_matches(game, None, policy, num_deals=30, seed=1, checkpoint=path)
    whole = infoset.play_matches(game, None, policy, num_deals=30, seed=1)
    assert resumed.num_deals == 30
    assert resumed.mean == whole.mean
    with pytest.raises(CheckpointMismatchError, match="stores a match with seed 1"):
        infoset.play_matches(game, None, policy, num_deals=30, seed=2, checkpoint=path)


@pytest.mark.networks
def test_networks_and_critics():
    pytest.importorskip("equinox")
    from infoset.deep import load_critic, load_network

    for name in ("network_tree", "network_rules"):
        assert load_network(FIRST / f"{name}.npz").digest == DIGESTS[name]
    tree, transformations = cached_tree("kuhn_poker"), constant_transformations(["pass", "bet"])
    critic = load_critic(FIRST / "critic.npz", tree, transformations)
    assert (critic.blueprints, critic.steps) == ((DIGESTS["table"],), 5)
    facts, folder = FACTS["networks"]["runs/training/network.npz"], FILES / "runs" / "training"
    network = load_network(folder / "network.npz")
    assert network.digest == facts["digest"]
    assert load_policy(folder / "policy.parquet", tree.sequence_form).digest == facts["table"]
    assert trace_facts(read_trace(folder)) == facts["trace"]
    found = infoset.evaluate("kuhn_poker", folder / "network.npz")
    # JAX computes the probabilities in float32, and processors round differently.
    assert found.nash_conv == pytest.approx(facts["nash_conv"], rel=1e-5)
    trained = load_critic(FILES / "runs" / "critic" / "critic.npz", tree)
    assert network.digest in trained.blueprints
    assert trained.steps == 20


@pytest.mark.networks
def test_checkpoints_of_training_are_refused(tmp_path):
    pytest.importorskip("equinox")
    from infoset.deep import PRESETS, train

    path = tmp_path / "train.npz"
    shutil.copy(FILES / "checkpoints" / path.name, path)
    small = replace(PRESETS["rnad-expected"], hidden=(8,))
    with pytest.raises(CheckpointMismatchError, match=REFUSED):
        train("kuhn_poker", small, steps=20, checkpoint=path)
