"""Searchers by name agree with their classes, and invalid specifications are refused."""

from __future__ import annotations

import re
from functools import partial
from inspect import signature

import numpy as np
import pytest

import infoset
from infoset.beliefs import PublicPrivateBelief
from infoset.errors import InfosetError, ParameterError, UnknownNameError
from infoset.game import Infostate, Step, initial_history
from infoset.games import load_game
from infoset.policy import transfer_policy
from infoset.search import (
    EPIMC,
    ISMCTS,
    PIMC,
    SEARCHERS,
    AlphaMu,
    Rollouts,
    RulesModel,
    Searcher,
    get_searcher,
    make_searcher,
    search_model,
)
from infoset.typing import NOOP
from tests.support.cached_games import cached_random_policies

pytestmark = pytest.mark.broad

KUHN = search_model(load_game("kuhn_poker"))
QUEEN = Infostate(0, (Step(None, "Q", None),))
OF_BELIEF = {"public_weight", "max_worlds", "num_samples"}
BY_BELIEF = tuple(name for name in SEARCHERS if "belief" in SEARCHERS[name].parameters)
TIMED = tuple(name for name in BY_BELIEF if "milliseconds" in SEARCHERS[name].parameters)
CHECKED = (*TIMED, "depth_limited", "continual_resolving", "sepot")
"""Searchers that check their generator; the library always passes one, so others need not."""
TEXTS = {
    "pimc": PIMC(KUHN),
    "PIMC()": PIMC(KUHN),
    "pimc(num_worlds=7,public_weight=0.5,seed=3)": PIMC(KUHN, belief=0.5, num_worlds=7, seed=3),
    "pimc(public_weight=[0.6;0.0],num_worlds=5)": PIMC(
        KUHN, belief=PublicPrivateBelief((0.6, 0.0)), num_worlds=5
    ),
    "pimc(num_worlds=None, opponents=paranoid)": PIMC(KUHN, num_worlds=None, opponents="paranoid"),
    "alpha-mu(max_moves=3,num_worlds=9)": AlphaMu(KUHN, max_moves=3, num_worlds=9),
    "epimc(depth=1,num_worlds=9)": EPIMC(KUHN, depth=1, num_worlds=9),
    "ismcts(num_simulations=50,exploration=2,bonus=2ln,reward_scale=4,num_rollouts=2)": ISMCTS(
        KUHN, num_simulations=50, exploration=2, bonus="2ln", reward_scale=4, num_rollouts=2
    ),
    "ismcts(preset=openspiel)": ISMCTS(KUHN, reward_scale=1.0),
    "ismcts(preset=arjonilla-2024,num_rollouts=3)": ISMCTS(
        KUHN, bonus="2ln", num_rollouts=3, reward_scale=1.0
    ),
    "ismcts(public_weight=0.2)": ISMCTS(KUHN, belief=0.2),
    "ismcts(num_samples=30,max_worlds=9,public_weight=0.2)": ISMCTS(
        KUHN, belief=PublicPrivateBelief(0.2, max_worlds=9, num_samples=30)
    ),
    "pimc(depth=2,num_worlds=9)": PIMC(KUHN, depth=2, num_worlds=9),
    "mo-ismcts(depth=1,num_simulations=50)": ISMCTS(KUHN, depth=1, num_simulations=50),
    "pimc(num_samples=30)": PIMC(KUHN, belief=PublicPrivateBelief(0.0, num_samples=30)),
}


def answers(searcher: Searcher) -> bytes:
    """Return the answers of some searches as bytes."""
    generators = map(np.random.default_rng, range(5))
    return b"".join(searcher.search(QUEEN, rng).tobytes() for rng in generators)


@pytest.mark.parametrize("text", TEXTS)
def test_a_specification_makes_the_same_searcher_as_the_class(text):
    made = make_searcher(text, KUHN)
    assert type(made) is type(TEXTS[text])
    assert made.settings() == TEXTS[text].settings()
    assert answers(made) == answers(TEXTS[text])


def test_every_spec_lists_the_parameters_of_its_class():
    for name, row in SEARCHERS.items():
        assert row.name == name == name.lower()
        assert row.description
        own = set(signature(row.searcher_class).parameters) - {"model"}
        of_belief = OF_BELIEF if "belief" in own else set()
        assert set(row.parameters) == own | of_belief | ({"preset"} if row.presets else set())
        for preset in row.presets:
            found = make_searcher(f"{name}(preset={preset})", KUHN).settings()
            assert found.items() >= row.presets[preset].items()
        assert get_searcher(name.upper()) is row


def test_settings_of_re_solving_list_every_parameter():
    usual = make_searcher("continual_resolving", KUHN)
    assert set(usual.settings()) == set(SEARCHERS["continual_resolving"].parameters)
    changes = {"gadget": "none", "opponent": "profile", "leaf_rule": "stateless"}
    for parameter in set(usual.settings()) - {"blueprint", "values"}:
        changed = make_searcher(
            "continual_resolving", KUHN, **{parameter: changes.get(parameter, 3)}
        )
        assert repr(changed) != repr(usual), parameter


@pytest.mark.parametrize("name", BY_BELIEF)
def test_settings_list_every_parameter(name):
    usual = make_searcher(name, KUHN)
    kind = SEARCHERS[name].searcher_class
    assert repr(usual).startswith(f"{kind.__name__}(kuhn_poker, public_weight=0.0, seed=0, ")
    unsaid = {"belief", "max_worlds", "num_samples", "preset"}
    assert set(usual.settings()) == set(SEARCHERS[name].parameters) - unsaid
    others = {
        "public_weight": 0.5,
        "opponent_public_weight": 0.5,
        "opponents": "paranoid",
        "bonus": "2ln",
        "final_policy": "max-visits",
        "preset": "openspiel",
        "leaf_value": Rollouts(num_rollouts=2),
    }
    numbers = {
        parameter.name
        for parameter in signature(kind).parameters.values()
        if parameter.default is None or type(parameter.default) in (int, float)
    }
    for parameter in (numbers | OF_BELIEF | {*others}) & {*SEARCHERS[name].parameters} - {"belief"}:
        depth = {"depth": 1} if parameter == "leaf_value" else {}
        changed = make_searcher(name, KUHN, **{**depth, parameter: others.get(parameter, 3)})
        assert repr(changed) != repr(usual), parameter


def test_settings_name_assumed_policies_by_class():
    for policies in (infoset.uniform_policy(), [None, infoset.uniform_policy()]):
        belief = PublicPrivateBelief(0.5, policies=policies)
        assert "policies=['UniformPolicy']" in repr(make_searcher("pimc", KUHN, belief=belief))


def test_parameters_as_arguments_beside_the_specification():
    policies = infoset.uniform_policy(infoset.build_tree(KUHN.game).sequence_form)
    belief = PublicPrivateBelief(0.5, policies=policies)
    made = make_searcher("pimc(num_worlds=3)", KUHN, belief=belief, seed=4)
    assert (made.belief, made.seed, made.settings()["num_worlds"]) == (belief, 4, 3)


def test_the_game_may_be_a_game_a_tree_a_graph_a_form_or_a_model():
    rules = KUHN.game
    tree = infoset.build_tree(rules)
    found = [
        make_searcher("pimc(num_worlds=None)", source)
        for source in (
            rules,
            tree,
            infoset.build_world_graph(rules),
            tree.sequence_form,
            infoset.build_public_form(rules),
            KUHN,
        )
    ]
    assert found[-1].model is KUHN
    assert len({answers(searcher) for searcher in found}) == 1


@pytest.mark.parametrize(
    ("text", "told", "kind", "message"),
    [
        ("alphamu", {}, UnknownNameError, r"'alphamu'; did you mean alpha-mu\?"),
        ("pmic", {}, UnknownNameError, r"unknown searcher 'pmic'.*'?pimc"),
        ("pimc(num_world=3)", {}, UnknownNameError, r"no parameter 'num_world'.*num_worlds"),
        ("ismcts(height=3)", {}, UnknownNameError, r"ismcts has no parameter 'height'"),
        ("pimc", {"model": 3}, UnknownNameError, r"pimc has no parameter 'model'"),
        ("pimc(", {}, ParameterError, r"cannot read the searcher 'pimc\('.*pimc\(num_worlds=200"),
        ("pimc(num_worlds)", {}, ParameterError, r"not of the form parameter=value"),
        ("pimc(seed=1)", {"seed": 1}, ParameterError, r"seed is given twice"),
        (
            "pimc(public_weight=0.5)",
            {"belief": 0.5},
            ParameterError,
            r"public_weight and belief are both given",
        ),
        (
            "pimc",
            {"num_samples": 5, "belief": 0.5},
            ParameterError,
            r"num_samples and belief are both given",
        ),
        ("pimc(num_samples=0)", {}, ParameterError, r"num_samples=0 must be a whole number"),
        ("pimc(public_weight=1.5)", {}, ParameterError, r"public_weight is 1.5"),
        ("pimc(public_weight=half)", {}, ParameterError, r"public_weight is 'half'"),
        ("pimc(public_weight=[0.5;2])", {}, ParameterError, r"public_weight of own move 1 is 2"),
        ("pimc(num_worlds=0)", {}, ParameterError, r"num_worlds"),
        ("pimc(milliseconds=0)", {}, ParameterError, r"milliseconds=0 leaves no time"),
        ("pimc(opponents=kind)", {}, UnknownNameError, r"kind"),
        ("epimc(depth=0)", {}, ParameterError, r"depth"),
        ("ismcts(num_simulations=0)", {}, ParameterError, r"num_simulations"),
        ("ismcts(num_simulations=None)", {}, ParameterError, r"give at least one"),
        ("ismcts(bonus=3ln)", {}, UnknownNameError, r"unknown bonus '3ln'"),
        (PIMC, {}, ParameterError, r"searcher"),
    ],
)
def test_invalid_arguments(text, told, kind, message):
    with pytest.raises(kind, match=message):
        make_searcher(text, KUHN, **told)


def test_a_game_by_name_raises_with_the_call_to_load_it():
    with pytest.raises(InfosetError, match=re.escape('infoset.load("kuhn_poker")')):
        make_searcher("pimc", "kuhn_poker")


@pytest.mark.parametrize("name", CHECKED)
@pytest.mark.parametrize("rng", [3, None, np.random.RandomState(0)])
def test_the_generator_is_checked(name, rng):
    searcher, known = make_searcher(name, KUHN), Infostate(0, (Step(None, "K", None),))
    for search in (searcher.search, partial(searcher.search_many, num_searches=2)):
        with pytest.raises(ParameterError, match=r"rng.* give a generator, such as np\.random"):
            search(known, rng)


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.filterwarnings("ignore::infoset.errors.ShortSearchWarning")
def test_a_searcher_counts_searches_that_exceed_their_time_limit(name, clock, monkeypatch):
    known, rng = Infostate(0, (Step(None, "K", None),)), np.random.default_rng(0)
    free = make_searcher(name, KUHN)
    free.search(known, rng)
    assert free.overruns.num_searches == 0
    model = RulesModel(KUHN.game)
    listed = model.roots

    def slow_roots(*arguments):
        clock.now += 3.0
        return listed(*arguments)

    monkeypatch.setattr(model, "roots", slow_roots)
    timed = make_searcher(name, model, milliseconds=2000)
    for number in range(1, 4):
        timed.search(known, rng)
        assert timed.overruns.num_searches == timed.overruns.num_late == number
        assert timed.overruns.worst == pytest.approx(timed.last_search.overrun) == 0.5
    assert str(timed.overruns).startswith(
        "3 of 3 searches exceeded their time limit by more than 20%"
    )
    on_time = make_searcher(name, KUHN, milliseconds=1e6)
    on_time.search_many(known, rng, 2)
    assert str(on_time.overruns) == ("no search out of 2 exceeded its time limit by more than 20%")


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_cached_answer_cannot_be_modified(name):
    searcher = make_searcher(name, KUHN)
    legal = KUHN.legal_actions(QUEEN)
    first = searcher.action_probabilities(QUEEN, legal)
    kept = first.tolist()
    first[:] = 7
    second = searcher.action_probabilities(QUEEN, legal)
    assert second.tolist() == kept
    second[:] = 7
    assert searcher.action_probabilities(QUEEN, legal).tolist() == kept


@pytest.mark.parametrize(
    "text",
    [
        "pimc(num_worlds=4)",
        "epimc(num_worlds=4)",
        "alpha-mu(num_worlds=4)",
        "ismcts(num_simulations=20)",
    ],
)
def test_assumed_policies_and_leaf_values_are_on_any_form(text):
    """What asks a policy at single infostates gets the same answers from both forms."""
    rules = infoset.load("leduc_poker")
    (policy,) = cached_random_policies("leduc_poker")
    by_hand = transfer_policy(policy, infoset.build_public_form(rules))
    model, history = search_model(rules), initial_history(rules)
    rng = np.random.default_rng(2)
    for joint in ((NOOP, NOOP), ("raise", NOOP)):
        history = history.sample(joint, rng)
    answers = []
    for assumed in (policy, by_hand):
        belief = PublicPrivateBelief(0.5, policies=assumed)
        leaf = {"depth": 1, "leaf_value": assumed} if text.startswith(("pimc", "epimc")) else {}
        searcher = make_searcher(text, model, belief=belief, **leaf)
        answers.append(searcher.search(history.infostates[1], np.random.default_rng(3)))
    assert answers[0].tolist() == answers[1].tolist()
