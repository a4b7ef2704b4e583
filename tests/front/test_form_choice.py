"""The choice of the form on which a game is solved, and results on public forms."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import infoset
from infoset.errors import (
    GameTooLargeError,
    ParameterError,
    PolicyFileError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import evaluate_policy
from infoset.forms import PublicForm, SequenceForm
from infoset.front import choose_form, form_choice, form_of_policies
from infoset.front.policy_sources import choose_form_of_policies
from infoset.policy import TabularPolicy, transfer_policy, uniform_policy
from infoset.tree import build_limits, count_public_form, public_counting, world_contraction
from infoset.utils.text import format_bytes
from tests.support.cached_games import cached_random_policies, cached_tree


def test_the_sequence_form_is_chosen_if_it_fits():
    result = infoset.solve("leduc_poker", "cfr+", iterations=10)
    assert isinstance(result.policy, TabularPolicy)
    assert result.form_reason is None
    assert result.summary()["form"] == "sequence"


def test_the_public_form_is_chosen_if_the_tree_does_not_fit():
    """The world states are counted, not visited: visiting 38 million takes minutes."""
    result = infoset.solve("leduc_poker(num_ranks=50)", "cfr+", iterations=2)
    assert isinstance(result.policy, TabularPolicy)
    assert result.form_reason == (
        "public form (3,011 public nodes, 100 × 100 hands, 37.6 MB): the game has 72,913,501 "
        "histories, and its sequence form does not fit in the limits"
    )
    assert result.summary()["form"] == "public"
    assert result.summary()["form_reason"] == result.form_reason


@pytest.fixture
def slow_visits(monkeypatch):
    """Make the forecast of visiting world states so long that Leduc poker has the public form."""
    monkeypatch.setattr(public_counting, "SECONDS_PER_WORLD", 1e-3)


def test_the_public_form_is_chosen_if_it_is_much_faster(slow_visits, tmp_path):
    """The 5,071 world states of Leduc poker take 5 s by this forecast, those of Kuhn 0.06."""
    result = infoset.solve("leduc_poker", "cfr+", iterations=10)
    assert result.form_reason == (
        "public form (191 public nodes, 6 × 6 hands, 283.8 kB): the game has 9,451 histories, and "
        "its sequence form would take much longer"
    )
    assert result.policy.form.kind == "public"
    assert choose_form("kuhn_poker").form.kind == "sequence"
    assert choose_form("goofspiel(num_cards=3)").form.kind == "sequence"
    # What a policy is asked for, or read from, does not matter.
    infoset.save_policy(result.policy, tmp_path / "p.csv")
    for policy in ("uniform", tmp_path / "p.csv", lambda infostate, legal: None):
        assert choose_form_of_policies("leduc_poker", policy).form.kind == "public"
    again = infoset.evaluate("leduc_poker", tmp_path / "p.csv")
    assert again.form_reason == result.form_reason
    on_tree = infoset.evaluate(cached_tree("leduc_poker"), tmp_path / "p.csv")
    assert again.nash_conv == pytest.approx(on_tree.nash_conv, abs=1e-12)


def test_many_histories_are_visited_for_a_single_gradient_only(slow_visits, monkeypatch):
    monkeypatch.setattr("infoset.front.form_choice.MANY_HISTORIES", 9_000)
    assert choose_form("leduc_poker").form.kind == "public"
    assert choose_form("leduc_poker", num_gradients=1).form.kind != "public"


def test_methods_that_need_the_sequence_form_get_it(slow_visits):
    result = infoset.solve("leduc_poker", "lp")
    assert result.form_reason is None
    assert (result.outcome, result.policy.form.kind) == ("optimal", "sequence")
    found = infoset.compare("leduc_poker", ["lp", "cfr"], iterations=2)
    assert [one.policy.form.kind for one in found] == ["sequence"] * 2
    assert infoset.learn("leduc_poker", "os-mccfr", episodes=1).policies[0].form.kind == "sequence"
    given = infoset.solve("leduc_poker", "cfr", form="sequence", iterations=1)
    assert given.policy.form.kind == "sequence"


ENDGAME = "nolimit_endgame(board=Ks9d8h4s,ranges='88+,A9+')"


def test_an_endgame_that_does_not_fit_is_refused_with_a_command_that_works():
    counts = count_public_form(infoset.load(ENDGAME).public_rules())
    with pytest.raises(GameTooLargeError, match=r"and the limit is .*: a smaller") as refused:
        infoset.solve(ENDGAME, iterations=1, memory=counts.bytes // 2)
    assert format_bytes(counts.bytes) in str(refused.value)
    assert format_bytes(counts.bytes_in("float32")) in str(refused.value)
    command = re.search(r'infoset solve "(.*)"', str(refused.value))[1]
    assert command.startswith("nolimit_endgame(board=Ks9d8h4s,")
    found = infoset.solve(command, iterations=1, memory=counts.bytes // 2)
    assert found.outcome == "iterations"
    known = infoset.info(ENDGAME, memory=counts.bytes // 2)
    assert known.public_form_fits is False
    assert f'infoset solve "{command}"' in known.notes[0]
    # The next precision, and no precision.
    memory = (counts.bytes + counts.bytes_in("float32")) // 2
    with pytest.raises(GameTooLargeError, match=r"\(--precision float32\)"):
        infoset.solve(ENDGAME, iterations=1, memory=memory)
    found = infoset.solve(ENDGAME, iterations=1, memory=memory, precision="float32")
    assert found.form_reason.startswith("public form (1,751 public nodes")
    with pytest.raises(GameTooLargeError, match=r"the limit is 2\.0 kB: raise memory \(--memory\)"):
        infoset.solve(ENDGAME, iterations=1, memory=2_000)


def test_games_that_are_proposed_are_smaller_and_smaller():
    game = infoset.load("nolimit_endgame(board=Ks9d8h4s)")
    games = [game, *game.smaller_games()]
    sizes = [count_public_form(one.public_rules()).bytes for one in games]
    assert sizes == sorted(sizes, reverse=True)
    assert len({*sizes}) == len(games) == 5
    assert sizes[-1] < sizes[0] / 20


@pytest.mark.broad
def test_memory_is_a_limit_too():
    found, reason = choose_form("leduc_poker(num_ranks=4)", memory=900_000)
    assert isinstance(found, PublicForm)
    assert "26,041 histories" in reason
    with pytest.raises(GameTooLargeError, match="allowed"):
        choose_form("leduc_poker(num_ranks=4)", memory=100_000)


def test_the_form_may_be_chosen():
    game = "liars_dice(dice_sides=3)"
    public = infoset.solve(game, "cfr+", form="public", iterations=20)
    sequence = infoset.solve(game, "cfr+", form="sequence", iterations=20)
    assert isinstance(public.policy, TabularPolicy)
    assert public.form_reason is None
    assert public.exploitability == pytest.approx(sequence.exploitability, rel=0.1)
    # With a tree, and with games whose public form is derived from the tree.
    for other in (cached_tree("leduc_poker"), "kuhn_poker", cached_tree("kuhn_poker")):
        assert isinstance(choose_form(other, "public").form, PublicForm)
    assert isinstance(choose_form("kuhn_poker").form, SequenceForm)


def test_methods_that_need_the_sequence_form_say_so():
    with pytest.raises(UnsupportedGameError, match=r"^lp needs the matrix of payoffs"):
        infoset.solve("leduc_poker", "lp", form="public")
    large = "leduc_poker(num_ranks=50)"
    for method in ("lp", "lp-ipm", "lp-refined"):
        with pytest.raises(GameTooLargeError, match=f"{method} does not run on .*'sapdcfr"):
            infoset.solve(large, method, iterations=1)
    with pytest.raises(GameTooLargeError, match=r"use its public form, on which solve \(form="):
        infoset.solve(large, "cfr", form="sequence")
    # Functions that need the tree say what can be done, without visiting a world state.
    for function, more in (
        (infoset.learn, {"method": "os-mccfr"}),
        (infoset.compare, {"methods": ["lp", "cfr"]}),
    ):
        with pytest.raises(GameTooLargeError, match=r"use its public form, on which solve"):
            function(large, **more)
    with pytest.raises(PolicyMismatchError, match=r"for leduc_poker, not for leduc_poker\("):
        infoset.draw(large, policy=uniform_policy(cached_tree("leduc_poker").sequence_form))


def test_forms_that_a_game_does_not_have():
    with pytest.raises(UnsupportedGameError, match="has no public form"):
        infoset.solve("goofspiel(num_cards=3)", form="public")
    with pytest.raises(UnsupportedGameError, match="3 players, and public forms have two"):
        infoset.solve("kuhn_poker(players=3)", form="public")
    with pytest.raises(UnknownNameError, match="unknown form 'tree'; known: auto"):
        infoset.solve("kuhn_poker", form="tree")
    public = infoset.build_public_form("leduc_poker")
    with pytest.raises(ParameterError, match="a public form of leduc_poker was given"):
        infoset.solve(public, form="sequence")
    with pytest.raises(ParameterError, match="a sequence form of kuhn_poker was given"):
        infoset.solve(cached_tree("kuhn_poker").sequence_form, form="public")


@pytest.mark.broad
def test_the_uniform_policy_of_a_large_game_is_measured():
    large = infoset.evaluate("leduc_poker(num_ranks=50)", "uniform")
    small = infoset.evaluate("leduc_poker", "uniform")
    assert large.values[0] == pytest.approx(small.values[0], abs=0.01)
    assert large.exploitability > 0


def test_one_policy_per_player():
    first, second = cached_random_policies("leduc_poker", 2)
    form = infoset.build_public_form("leduc_poker")
    joined = evaluate_policy(first.replace_player(1, second))
    assert infoset.evaluate("leduc_poker", [first, second]) == joined
    public = [transfer_policy(one, form) for one in (first, second)]
    measured = infoset.evaluate("leduc_poker", public)
    assert measured.values == pytest.approx(joined.values, abs=1e-12)
    assert measured.gains == pytest.approx(joined.gains, abs=1e-12)
    assert measured.security_levels == pytest.approx(joined.security_levels, abs=1e-10)
    # The security level of a player depends on its own policy only.
    mixed = infoset.evaluate(form, [public[0], "uniform"])
    assert mixed.security_levels[0] == measured.security_levels[0]
    assert infoset.evaluate(form, [first, public[1]]).values == pytest.approx(joined.values)
    with pytest.raises(ParameterError, match="got 3 policies; leduc_poker has 2 players"):
        infoset.evaluate("leduc_poker", [*public, "uniform"])
    with pytest.raises(PolicyMismatchError, match="for leduc_poker, not for liars_dice"):
        infoset.evaluate("liars_dice(dice_sides=2)", [public[0], "uniform"])
    with pytest.raises(PolicyFileError, match="there is no file or folder best"):
        infoset.evaluate(form, [public[0], "best"])


def test_files_find_their_game(tmp_path):
    result = infoset.solve("liars_dice(dice_sides=3)", "cfr+", form="public", iterations=20)
    infoset.save_policy(result.policy, tmp_path / "p.parquet")
    loaded = infoset.load_policy(tmp_path / "p.parquet")
    assert loaded.digest == result.policy.digest
    tree = cached_tree("liars_dice(dice_sides=3)")
    for policy in (tmp_path / "p.parquet", loaded, result):
        tabular = infoset.evaluate(tree.sequence_form, policy)
        assert tabular.nash_conv == pytest.approx(result.nash_conv, abs=1e-12)
    with pytest.raises(PolicyMismatchError, match=r"for liars_dice.*, not for leduc_poker"):
        infoset.load_policy(tmp_path / "p.parquet", "leduc_poker")
    on_tree = infoset.load_policy(tmp_path / "p.parquet", tree.sequence_form)
    assert on_tree.form is tree.sequence_form
    assert on_tree.digest == transfer_policy(loaded, tree.sequence_form).digest
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(PolicyFileError, match="cannot be read"):
        infoset.load_policy(tmp_path / "broken.parquet", "leduc_poker")


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"precision": "float32"}, marks=pytest.mark.broad),
        pytest.param({"threads": 2}, marks=pytest.mark.broad),
    ],
)
def test_runs_on_public_forms_are_resumed_to_the_same_bits(tmp_path, options):
    def solve(**limits):
        return infoset.solve("leduc_poker", "dcfr", form="public", **options, **limits)

    whole = solve(iterations=40)
    stops = iter([False] * 12 + [True])
    cut = solve(iterations=40, checkpoint=tmp_path / "run", callback=lambda point: next(stops))
    assert cut.outcome == "stopped"
    resumed = solve(iterations=40, checkpoint=tmp_path / "run")
    assert resumed.policy.digest == whole.policy.digest
    assert [point.nash_conv for point in resumed.trace] == [p.nash_conv for p in whole.trace]
    assert np.isfinite(resumed.exploitability)
    with pytest.raises(infoset.InfosetError, match=r"leduc_poker"):
        infoset.solve("leduc_poker", "dcfr", iterations=40, checkpoint=tmp_path / "run")


def test_limits_of_runs_on_public_forms():
    def solve(**limits):
        return infoset.solve("leduc_poker", "dcfr", form="public", **limits)

    assert solve(target=0.05).outcome == "converged"
    assert solve(target="0.5%").exploitability <= 0.13
    assert solve(seconds=0.0).outcome == "seconds"
    assert solve(iterations=3).iterations == 3


@pytest.mark.broad
def test_methods_are_compared_on_public_forms(tmp_path):
    large = "leduc_poker(num_ranks=50)"
    results = infoset.compare(large, ["cfr", "cfr+"], iterations=2)
    assert all(isinstance(result.policy, TabularPolicy) for result in results)
    alone = infoset.solve(large, "cfr+", iterations=2)
    assert results[1].policy.digest == alone.policy.digest
    again = infoset.compare(alone.policy.form, [alone, "cfr"], iterations=2)
    assert again[0] is alone
    assert again[1].policy.digest == results[0].policy.digest
    with pytest.raises(UnsupportedGameError, match=r"^lp needs the matrix of payoffs"):
        infoset.compare("leduc_poker", ["cfr", "lp"], form="public")
    with pytest.raises(UnsupportedGameError, match="os-mccfr plays episodes on the tree"):
        infoset.compare("leduc_poker", ["os-mccfr"], form="public")
    of_kuhn = infoset.solve("kuhn_poker", "cfr", iterations=2)
    with pytest.raises(PolicyMismatchError, match="kuhn_poker"):
        infoset.compare("leduc_poker", [of_kuhn, "cfr"], form="public")


def test_cs_mccfr_learns_games_too_large_for_a_tree_on_their_public_form():
    form = infoset.build_public_form("leduc_poker(num_ranks=2)")
    expected = infoset.learn(form, "cs-mccfr", episodes=3).policies[0].digest
    with infoset.build_limits(max_worlds=50):
        [policy] = infoset.learn("leduc_poker(num_ranks=2)", "cs-mccfr", episodes=3).policies
        assert policy.digest == expected
        _, compared = infoset.compare("leduc_poker(num_ranks=2)", ["cfr", "cs-mccfr"], iterations=3)
        assert compared.policy.digest == expected
        with pytest.raises(GameTooLargeError, match="world states"):
            infoset.learn("leduc_poker(num_ranks=2)", "os-mccfr", episodes=3)
        with pytest.raises(GameTooLargeError, match="world states"):
            infoset.compare("leduc_poker(num_ranks=2)", ["cs-mccfr"], form="sequence", iterations=3)
    [compared] = infoset.compare(form, ["cs-mccfr"], iterations=3)
    assert compared.policy.digest == expected
    with ThreadPoolExecutor(1) as pool, pytest.raises(ParameterError, match="workers build trees"):
        infoset.learn(form, "cs-mccfr", episodes=3, executor=pool)


def test_info_visits_no_world_state_if_the_public_form_is_much_faster(slow_visits):
    found, visited = infoset.info("leduc_poker"), infoset.info("leduc_poker", max_worlds=10_000)
    assert (found.stop, found.is_exact, found.fits, found.infostates) == (
        "public",
        True,
        True,
        None,
    )
    assert (visited.stop, visited.acting_infostates) == (None, (468, 468))
    for name in ("world_states", "histories", "terminals", "forecast_bytes", "public_form_memory"):
        assert getattr(found, name) == getattr(visited, name)
    memory = found.public_form_memory
    assert memory["float64"] == found.public_form_bytes > memory["float32"]
    assert infoset.info("goofspiel(num_cards=3)").public_form_memory is None
    # If the public form does not fit, and if the tree does not.
    assert infoset.info("leduc_poker", memory=memory["float64"] - 1).stop != "public"
    large = infoset.info("leduc_poker", memory=memory["float64"])
    assert (large.stop, large.fits, large.solving_fits) == ("public", False, None)


def test_info_counts_large_games_by_their_public_rules():
    found = infoset.info("leduc_poker(num_ranks=50)")
    assert (found.world_states, found.histories) == (37_966_501, 72_913_501)
    assert (found.public_nodes, found.public_hands) == (3011, (100, 100))
    assert found.public_sequences == (350_701, 350_701)
    assert (found.public_form_fits, found.fits, found.stop) == (True, False, "worlds")
    small, counted = infoset.info("leduc_poker"), infoset.info("leduc_poker", max_worlds=300)
    for name in ("world_states", "histories", "terminals", "public_nodes", "public_form_bytes"):
        assert getattr(small, name) == getattr(counted, name)
    assert small.forecast_bytes == counted.forecast_bytes
    assert infoset.info("goofspiel(num_cards=3)").public_form_fits is None
    assert infoset.info("liars_dice(dice_sides=3)", memory=10_000).public_form_fits is False


@pytest.mark.broad
def test_learners_of_a_game_without_public_rules_need_its_tree():
    with (
        build_limits(memory=1_500_000),
        pytest.raises(GameTooLargeError, match="its tree needs about"),
    ):
        infoset.learn("dark_hex(num_rows=2,num_cols=3,gameversion=adh)", "cs-mccfr", episodes=10)


@pytest.mark.broad
def test_a_measurement_takes_one_gradient(monkeypatch, tmp_path):
    monkeypatch.setattr(world_contraction, "MANY_HISTORIES", 10_000)
    name = "dark_hex(num_rows=2,num_cols=3,gameversion=adh)"
    assert choose_form(name).form.kind == "sequence"
    assert form_of_policies(name, "uniform").kind == "world"
    assert form_of_policies(name, lambda infostate, legal: None).kind == "sequence"
    infoset.save_policy(infoset.solve(name, "cfr+", iterations=1).policy, tmp_path / "p.csv")
    assert form_of_policies(name, str(tmp_path / "p.csv")).kind == "sequence"


@pytest.mark.broad
def test_large_games_with_public_rules_are_measured_on_the_world_form(monkeypatch):
    monkeypatch.setattr(form_choice, "MANY_HISTORIES", 1_000)
    monkeypatch.setattr(world_contraction, "MANY_HISTORIES", 1_000)
    name = "liars_dice(dice_sides=4)"
    assert form_of_policies(name, "uniform").kind == "world"
    assert choose_form(name).form.kind == "sequence"
    measured = infoset.evaluate(name, "uniform")
    assert measured.form_reason.startswith("world form")
    given = infoset.evaluate(infoset.build_public_form(name), "uniform")
    assert given.form_reason is None
    assert measured.nash_conv == pytest.approx(given.nash_conv)
