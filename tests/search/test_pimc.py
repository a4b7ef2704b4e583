"""PIMC against published numbers, closed forms, and plain PIMC on the rules."""

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import best_response, true_state_sampling_ratio
from infoset.game import Infostate, Observation, Step, initial_history, play_out
from infoset.games import load_game
from infoset.policy import TabularPolicy, random_policy, tabulate, uniform_policy
from infoset.search import (
    PIMC,
    GraphModel,
    RulesModel,
    make_searcher,
    pimc_policy,
    search_model,
)
from infoset.search.determinization import WorldScores
from infoset.search.models.dice import DiceModel
from infoset.search.models.tricks import TricksModel
from infoset.tree import build_tree, build_world_graph
from tests.search.reference_values import plain_pimc, plain_values
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame

pytestmark = pytest.mark.broad


def tree_of(name):
    return cached_tree(name)


@pytest.fixture(scope="module")
def leduc():
    return GraphModel(tree_of("leduc_poker"))


def responses(policy):
    """Return the payoffs of best responses against player 0 and against player 1."""
    return best_response(policy, 1).value, best_response(policy, 0).value


def first_history(game, seed=0):
    history = initial_history(game)
    while not history.actors:
        history = history.sample((None,) * game.num_players, np.random.default_rng(seed))
    return history


def first_infostate(game, seed=0):
    history = first_history(game, seed)
    return history.infostates[history.actors[0]]


def distance(one, other):
    pairs = zip(one.probabilities, other.probabilities, strict=True)
    return max(abs(a - b).max() for a, b in pairs)


@pytest.mark.parametrize(
    ("public_weight", "first", "second"),
    [
        (0.0, 0.6, 0.4),
        (0.1, 0.6, 0.4),
        (0.2, 0.683, 0.467),
        (0.3, 0.733, 0.6),
        (0.5, 1.467, 1.467),
        (1.0, 1.6, 1.6),
    ],
)
def test_best_response_values_in_leduc_poker(leduc, public_weight, first, second):
    assert responses(pimc_policy(leduc, public_weight)) == pytest.approx((first, second), abs=1e-3)


@pytest.mark.parametrize(
    ("dice", "sides", "first", "second"),
    [
        (1, 3, -0.0741, 0.2593),
        (1, 4, 0.1250, 0.4167),
        pytest.param(1, 5, 0.2000, 0.4800, marks=pytest.mark.broad),
        (2, 2, -0.8750, 0.8750),
    ],
)
def test_best_response_values_in_liars_dice(dice, sides, first, second):
    policy = pimc_policy(tree_of(f"liars_dice(numdice={dice},dice_sides={sides})"))
    assert responses(policy) == pytest.approx((first, second), abs=1e-4)


def test_leduc_poker_with_a_public_weight_by_own_move(leduc):
    policies = [
        pimc_policy(leduc, PublicPrivateBelief(public_weight)) for public_weight in ((0, 1), (1, 0))
    ]
    assert [responses(policy)[0] for policy in policies] == pytest.approx([1.667, 0.667], abs=1e-3)


@pytest.mark.parametrize(
    ("name", "public_weight"),
    [
        ("kuhn_poker", (1.0, 0.1)),
        ("liars_dice(dice_sides=2)", 0.3),
        ("trick_taking(num_cards=5,num_suits=2,hand_size=2)", (1.0, 0.1)),
        ("random_game(seed=3,num_players=3,simultaneous_share=0.0,max_histories=200)", (0.0, 0.5)),
        ("random_game(seed=3,simultaneous_share=0.0,zero_sum=False,max_histories=300)", 0.3),
    ],
)
def test_table_search_and_rules_agree(name, public_weight):
    tree, belief = tree_of(name), PublicPrivateBelief(public_weight)
    table = pimc_policy(tree, belief)
    for model in (GraphModel(tree), GraphModel(tree.graph), RulesModel(tree.game)):
        searcher = PIMC(model, belief=belief, num_worlds=None)
        found = tabulate(tree.sequence_form, [searcher] * tree.num_players)
        assert distance(found, table) == 0.0
    for player, infostates in enumerate(tree.infostate_trees):
        for number in infostates.acting[::7].tolist():
            known = infostates.infostate_at(number)
            expected = plain_pimc(tree.game, belief, known)
            legal = infostates.legal_actions(number)
            assert found.action_probabilities(known, legal) == pytest.approx(expected), player


def test_the_table_agrees_with_search_under_assumed_policies():
    tree = tree_of("kuhn_poker")
    belief = PublicPrivateBelief(0.5, policies=uniform_policy(tree.sequence_form))
    searcher = PIMC(GraphModel(tree), belief=belief, num_worlds=None)
    found = tabulate(tree.sequence_form, [searcher] * 2)
    assert distance(found, pimc_policy(tree, belief)) == 0.0


def dice_scores(game, held, last):
    """Return the closed form: the probability that each call is right."""
    scores = np.zeros(len(game.calls))
    for world, probability in zip(held.worlds, held.probability, strict=True):
        dice = [die for hand in world.hands for die in hand]
        true = [
            number
            for number, (quantity, face) in enumerate(game.bids)
            if sum(die in (face, game.dice_sides) for die in dice) >= quantity
        ]
        scores[max(true)] += probability
        scores[-1] += probability * (last not in true)
    return scores


@pytest.mark.parametrize("public_weight", [0.0, 0.6, 1.0])
def test_dice_too_many_to_build_follow_the_closed_form(public_weight):
    game = load_game("liars_dice(numdice=2)")
    belief, rng = PublicPrivateBelief(public_weight), np.random.default_rng(0)
    searcher = PIMC(DiceModel(game), belief=belief, num_worlds=None)
    for hand in ((1, 1), (2, 6), (6, 6)):
        for last in (0, 7, 16, 22):
            known = Infostate(1, (Step(None, hand, None), Step(None, None, game.calls[last])))
            scores = dice_scores(game, belief.at(game, known), last)[last + 1 :]
            is_best = scores > scores.max() - 1e-9
            assert searcher.search(known, rng) == pytest.approx(is_best / is_best.sum())


def test_a_card_counts_only_in_worlds_where_it_is_legal():
    game = load_game("trick_taking(num_cards=6,num_suits=2,hand_size=2,tie=draw)")
    belief, rng = PublicPrivateBelief(0.7), np.random.default_rng(2)
    searcher = PIMC(TricksModel(game), belief=belief, num_worlds=None)
    for seed in range(6):
        known = first_infostate(game, seed)
        assert searcher.search(known, rng) == pytest.approx(plain_pimc(game, belief, known))


def test_many_worlds_approach_the_limit_of_all(leduc):
    exact = PIMC(leduc, belief=0.3, num_worlds=None)
    drawn = PIMC(leduc, belief=0.3, num_worlds=20_000)
    infostates = leduc.tree.infostate_trees[1]
    for number in infostates.acting[::29].tolist():
        known, rng = infostates.infostate_at(number), np.random.default_rng(number)
        answers = [searcher.search(known, rng) for searcher in (exact, drawn)]
        assert answers[1] @ answers[0] > 0
        assert drawn.last_search.num_worlds == 20_000
        assert not drawn.last_search.is_exact


def test_worlds_are_drawn_with_their_probabilities():
    # right wins 1 in one world of three, left 0.6 everywhere
    deal = FunctionGame(
        initial_world=lambda: "deal",
        actors=lambda w: (0,) if w in ("good", "bad") else (),
        transitions=lambda w, a: (
            [("good", 1 / 3), ("bad", 2 / 3)]
            if w == "deal"
            else [("end", 1)]
            if w in ("good", "bad")
            else []
        ),
        rewards=lambda w, a, n: (0.0 if a[0] is None else 0.6 if a[0] == "left" else w == "good",),
        observe=lambda w, a, n: Observation(),
    )
    known = Infostate(0, (Step(None, None, None),))
    searcher = PIMC(GraphModel(build_world_graph(deal)), num_worlds=1)
    rng = np.random.default_rng(0)
    frequency = np.mean([searcher.search(known, rng)[1] for _ in range(600)])
    # Six standard errors; uniform sampling of the two worlds would be off by more than eight.
    assert frequency == pytest.approx(1 / 3, abs=6 * np.sqrt(2 / 9 / 600))
    for num_worlds, right in ((None, 1 / 3), (100_000, pytest.approx(1 / 3, abs=0.01))):
        searcher = PIMC(GraphModel(build_world_graph(deal)), num_worlds=num_worlds)
        assert searcher.search(known, rng).tolist() == [1.0, 0.0]
        record = searcher.last_search
        assert dict(zip(record.actions, record.values, strict=True)) == {
            "left": pytest.approx(0.6),
            "right": right,
        }


def test_ties_are_split_and_small_differences_are_not_ties():
    assert WorldScores(np.array([1.0, 1.0 + 1e-12, 0.0]), 1.0).policy.tolist() == [
        0.5,
        0.5,
        0.0,
    ]
    assert WorldScores(np.array([1.0, 1.0 + 1e-6]), 1.0).policy.tolist() == [0.0, 1.0]
    assert WorldScores(np.array([1e-15, -1e-15]), 3.0).policy.tolist() == [0.5, 0.5]
    assert WorldScores(np.array([999.0, 1000.0]), 1000.0).policy.tolist() == [0.0, 1.0]
    assert WorldScores(np.zeros(4), 0.0).policy.tolist() == [0.25] * 4


def test_a_single_action_needs_no_search():
    game = load_game("liars_dice(dice_sides=2)")
    top = Infostate(1, (Step(None, (2,), None), Step(None, None, game.calls[-2])))
    searcher = PIMC(GraphModel(build_world_graph(game)))
    assert searcher.search(top, np.random.default_rng(0)).tolist() == [1.0]
    assert searcher.last_search.num_worlds == searcher.last_search.num_nodes == 0


@pytest.mark.parametrize(
    ("name", "make", "num_worlds"),
    [
        ("leduc_poker", lambda game: GraphModel(build_world_graph(game)), 10),
        ("kuhn_poker(players=3)", RulesModel, 5),
        ("liars_dice(numdice=3)", DiceModel, 30),
        ("trick_taking(num_cards=8,hand_size=3)", TricksModel, None),
    ],
)
def test_no_leak_and_no_memory(name, make, num_worlds):
    model = make(load_game(name))

    def search():
        return PIMC(model, belief=0.4, num_worlds=num_worlds).search

    assert find_leak(model.game, search(), seed=1, num_plays=3, make_search=search) is None


def test_the_policy_of_a_seed_does_not_depend_on_earlier_queries(leduc):
    infostates = [leduc.tree.infostate_trees[0].infostate_at(n) for n in range(200)]
    asked = [known for known in infostates if len(leduc.legal_actions(known)) > 1][:12]
    one, other = (PIMC(leduc, num_worlds=3, seed=5) for _ in range(2))
    forward = [one.action_probabilities(k, leduc.legal_actions(k)) for k in asked]
    backward = [other.action_probabilities(k, leduc.legal_actions(k)) for k in asked[::-1]]
    assert [f.tolist() for f in forward] == [b.tolist() for b in backward[::-1]]
    third = PIMC(leduc, num_worlds=3, seed=6)
    assert any(
        third.action_probabilities(k, leduc.legal_actions(k)).tolist() != f.tolist()
        for k, f in zip(asked, forward, strict=True)
    )


def test_a_cleared_rules_model_leaves_no_stale_values():
    game = load_game("kuhn_poker(players=3)")
    forgetful = PIMC(RulesModel(game, max_positions=0), belief=1.0, num_worlds=None)
    infostates = build_tree(game).infostate_trees[0]
    for number in infostates.acting[::6].tolist():
        known, rng = infostates.infostate_at(number), np.random.default_rng(0)
        fresh = PIMC(RulesModel(game), belief=1.0, num_worlds=None)
        assert forgetful.search(known, rng).tolist() == fresh.search(known, rng).tolist()


@pytest.mark.filterwarnings("ignore::infoset.errors.ShortSearchWarning")
def test_the_record_of_a_search_reports_its_time(leduc, clock, monkeypatch):
    known = first_infostate(leduc.game)
    fixed = PIMC(leduc, num_worlds=10)
    fixed.search(known, np.random.default_rng(0))
    assert (fixed.last_search.time_limit, fixed.last_search.overrun) == (None, 0.0)
    game = load_game("leduc_poker(num_ranks=6)")
    slow = PIMC(RulesModel(game), num_worlds=None, milliseconds=60, belief=1.0)
    listed = slow.model.roots

    def slow_roots(*arguments):
        clock.now += 0.09
        return listed(*arguments)

    monkeypatch.setattr(slow.model, "roots", slow_roots)
    slow.search(first_infostate(game), np.random.default_rng(0))
    record = slow.last_search
    assert (record.time_limit, record.num_worlds, record.is_exact) == (0.06, 0, False)
    assert record.seconds == pytest.approx(0.09)
    assert record.overrun == pytest.approx(0.5)
    assert record.num_nodes == 0


def test_the_first_search_reports_its_preparation(leduc, clock, monkeypatch):
    """In this test, each evaluation of worlds takes a second."""
    searcher = PIMC(leduc, num_worlds=10)
    action_values = searcher._perfect.action_values

    def slow_values(*arguments):
        clock.now += 1.0
        return action_values(*arguments)

    monkeypatch.setattr(searcher._perfect, "action_values", slow_values)
    records = []
    for _ in range(2):
        searcher.search(first_infostate(leduc.game), np.random.default_rng(0))
        records.append(searcher.last_search)
    assert [record.preparation_seconds for record in records] == [1.0, 0.0]
    assert [record.seconds for record in records] == [1.0, 1.0]


@pytest.mark.filterwarnings("ignore::infoset.errors.ShortSearchWarning")
def test_with_time_left_every_world_is_weighted_exactly(leduc, clock):
    known = first_infostate(leduc.game)
    timed, exact = PIMC(leduc, num_worlds=None, milliseconds=5000), PIMC(leduc, num_worlds=None)
    answers = [searcher.search(known, np.random.default_rng(0)) for searcher in (timed, exact)]
    assert timed.last_search.is_exact
    assert timed.last_search.num_worlds == exact.last_search.num_worlds == 5
    assert answers[0].tolist() == answers[1].tolist()
    capped = PIMC(leduc, num_worlds=7, milliseconds=5000)
    capped.search(known, np.random.default_rng(0))
    assert (capped.last_search.num_worlds, capped.last_search.is_exact) == (7, False)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"num_worlds": 0}, "num_worlds=0 must be a whole number, at least 1"),
        ({"num_worlds": 2.5}, "num_worlds=2.5"),
        ({"milliseconds": -1}, "milliseconds=-1 must be"),
        ({"milliseconds": 0}, "leaves no time"),
        ({"belief": 1.5}, "public_weight is 1.5"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_invalid_numbers(leduc, given, message):
    with pytest.raises(ParameterError, match=message):
        PIMC(leduc, **given)


def test_invalid_arguments(leduc):
    with pytest.raises(ParameterError, match="search_model"):
        PIMC("leduc_poker")
    with pytest.raises(UnknownNameError, match="paranoid"):
        PIMC(leduc, opponents="hostle")
    waiting = Infostate(1, first_infostate(leduc.game).steps)
    with pytest.raises(ParameterError, match="does not act"):
        PIMC(leduc).search(waiting, np.random.default_rng(0))
    goofspiel = load_game("goofspiel(num_cards=3)")
    for model in (GraphModel(build_world_graph(goofspiel)), RulesModel(goofspiel)):
        for known in first_history(goofspiel).infostates:
            with pytest.raises(UnsupportedGameError, match=r"choose simultaneously.*ISMCTS"):
                PIMC(model).search(known, np.random.default_rng(0))
    with pytest.raises(UnsupportedGameError, match="has no tree"):
        pimc_policy(GraphModel(build_world_graph(load_game("kuhn_poker"))))
    with pytest.raises(ParameterError, match="build_tree"):
        pimc_policy(load_game("kuhn_poker"))


def test_paranoid_opponents_minimize_the_players_value():
    # after "left", player 1 either takes 1 and gives 1, or reduces both payoffs
    game = FunctionGame(
        2,
        initial_world=lambda: "start",
        actors=lambda w: {"start": (0,), "left": (1,)}.get(w, ()),
        transitions=lambda w, a: {
            "start": [(a[0], 1)],
            "left": [("kind" if a[1] == "right" else "cruel", 1)],
        }.get(w, []),
        rewards=lambda w, a, n: {"kind": (1, 1), "cruel": (-1, -1)}.get(n, (0, 0)),
    )
    known, rng = Infostate(0, ()), np.random.default_rng(0)
    model = GraphModel(build_world_graph(game))
    answers = [PIMC(model, opponents=kind).search(known, rng) for kind in ("max_n", "paranoid")]
    assert [answer.tolist() for answer in answers] == [[1.0, 0.0], [0.0, 1.0]]


def test_worlds_in_which_the_player_does_not_act_tell_nothing():
    """This happens under the public belief if not all players observe who acts."""
    model = search_model(load_game("dark_hex(board_size=2)"))
    rng = np.random.default_rng(3)
    choosers = [lambda known, legal: legal[int(rng.integers(len(legal)))]] * 2
    play = play_out(initial_history(model.game), choosers, rng).path()
    known = next(step.infostates[0] for step in play if step.actors == (0,) and step.depth == 4)
    searcher = PIMC(model, belief=1.0, num_worlds=1)
    roots = model.roots(known, searcher.belief, np.random.default_rng(0))
    acts = model.action_indices(known, roots).max(axis=1) >= 0
    assert 0 < acts.sum() < len(acts)
    found = []
    for seed in range(20):
        policy = searcher.search(known, np.random.default_rng(seed))
        if np.isnan(searcher.last_search.values).all():
            found.append(policy.tolist())
    assert len(found) >= 8  # of 20 worlds, in half of which the player does not act
    assert found == [[0.5, 0.5]] * len(found)


def test_with_public_weight_one_all_hands_have_the_same_policy(leduc):
    policy, tree = pimc_policy(leduc, 1.0), leduc.tree
    for player, infostates in enumerate(tree.infostate_trees):
        played = {}
        for number in infostates.acting.tolist():
            known = infostates.infostate_at(number)
            answer = policy.action_probabilities(known, infostates.legal_actions(number))
            played.setdefault(known.public_state, set()).add(tuple(answer))
            if known.public_state.observations[-1] is None:
                searched = PIMC(leduc, belief=1.0).search(known, np.random.default_rng(0))
                assert tuple(searched) == tuple(answer)
        assert {len(answers) for answers in played.values()} == {1}
        assert true_state_sampling_ratio(tree, policy, player, baseline="prior").mean == (
            pytest.approx(1)
        )


@pytest.mark.parametrize("public_weight", [0.0, 0.3])
def test_relabeling_suits_permutes_the_policy(leduc, public_weight):
    """Exchanging spades and hearts does not change the value of a best response."""
    policy, form = pimc_policy(leduc, public_weight), leduc.tree.sequence_form

    def renamed(value):
        if isinstance(value, str):
            return value.translate(str.maketrans("sh", "hs")) if len(value) == 2 else value
        return tuple(map(renamed, value)) if type(value) is tuple else value

    class Renamed:
        def action_probabilities(self, known, legal_actions):
            steps = (Step(own, renamed(seen), renamed(shown)) for own, seen, shown in known.steps)
            other = Infostate(known.player, tuple(steps))
            return 0.5 * policy.action_probabilities(other, legal_actions) + 0.5 * (
                noise.action_probabilities(other, legal_actions)
            )

    noise = random_policy(form, np.random.default_rng(0))
    plain = mixed_at_infostates(policy, noise)
    swapped = tabulate(form, [Renamed()] * 2)
    assert distance(plain, swapped) > 0.1
    assert responses(swapped) == pytest.approx(responses(plain), abs=1e-12)


def mixed_at_infostates(one, other):
    """Return the mean of two policies at each infostate."""
    halves = zip(one.probabilities, other.probabilities, strict=True)
    return TabularPolicy(one.form, tuple((a + b) / 2 for a, b in halves))


@pytest.mark.parametrize("num_worlds", [None, 10])
def test_action_values_include_rewards_so_far(num_worlds):
    def paid(world, joint, following):
        return {"middle": (5, -3), "left": (1, 0), "right": (2, 0)}[following]

    game = FunctionGame(
        2,
        actors=lambda w: (0,) if w == "middle" else (),
        transitions=lambda w, a: {"start": [("middle", 1)], "middle": [(a[0], 1)]}.get(w, []),
        rewards=paid,
    )
    known = initial_history(game).extend((None, None), "middle").infostates[0]
    for model in (
        GraphModel(build_world_graph(game)),
        RulesModel(game),
        GraphModel(build_tree(game)),
    ):
        searcher = PIMC(model, num_worlds=num_worlds, opponents="paranoid")
        searcher.search(known, np.random.default_rng(0))
        assert searcher.last_search.values.tolist() == [6, 7]


@pytest.mark.parametrize("public_weight", [0.4, 1.0])
def test_an_action_is_valued_by_the_worlds_where_it_is_legal(public_weight):
    """In trick-taking, legal actions depend on the hand, which differs under a public belief."""
    game = load_game("trick_taking(num_cards=6,num_suits=2,tie=draw)")
    value, rng = plain_values(game), np.random.default_rng(1)
    actions = ()
    while len(actions) < 2:
        history = initial_history(game).sample((None, None), rng)
        lead = history.joint({0: history.legal_actions(0)[0]})
        known = history.sample(lead, rng).infostates[1]
        actions = TricksModel(game).legal_actions(known)
    held = PublicPrivateBelief(public_weight).at(game, known)
    expected, legal = dict.fromkeys(actions, 0.0), dict.fromkeys(actions, 0.0)
    num_missing = 0
    for one, probability in zip(held.histories, held.probability, strict=True):
        num_missing += len(set(actions) - set(one.legal_actions(1)))
        for action in set(actions) & set(one.legal_actions(1)):
            expected[action] += probability * value.after(one.world, 1, action)[1]
            legal[action] += probability
    assert num_missing
    means = [expected[action] / legal[action] for action in actions]
    for model in (TricksModel(game), RulesModel(game), GraphModel(build_world_graph(game))):
        searcher = PIMC(model, belief=public_weight, num_worlds=None)
        searcher.search(known, rng)
        assert searcher.last_search.values == pytest.approx(means)
    table = pimc_policy(build_tree(game), public_weight)
    best = np.isclose(means, max(means))
    assert table.action_probabilities(known, actions) == pytest.approx(best / best.sum())


@pytest.mark.parametrize("shift", [-10.0, 10.0, 1e6])
@pytest.mark.parametrize("text", ["pimc", "epimc(depth=1)"])
def test_a_dominating_action_stays_best_if_a_constant_is_added_to_all_payoffs(text, shift):
    """Raise is legal with a high hand only, and always earns 1 more than check."""

    def pay(world, joint, after):
        return (shift + float(after == "raise") - 2.0 * float(world == "low"),)

    game = FunctionGame(
        1,
        actors=lambda w: (0,) if w in ("high", "low") else (),
        legal_actions=lambda w, p: ("check", "raise") if w == "high" else ("check", "fold"),
        transitions=lambda w, a: (
            [("high", 0.5), ("low", 0.5)]
            if w == "start"
            else [(a[0], 1)]
            if w in ("high", "low")
            else []
        ),
        rewards=lambda w, a, n: pay(w, a, n) if w != "start" else (0.0,),
        observe=lambda w, a, n: Observation(None, {0: n}),
    )
    known = initial_history(game).extend((None,), "high").infostates[0]
    for model in (RulesModel(game), GraphModel(build_tree(game))):
        for public_weight in (0.0, 0.9, 1.0):
            searcher = make_searcher(
                text, model, belief=PublicPrivateBelief(public_weight), num_worlds=None
            )
            assert searcher.search(known, np.random.default_rng(0)).tolist() == [0.0, 1.0]
    assert pimc_policy(build_tree(game), 1.0).action_probabilities(
        known, ("check", "raise")
    ).tolist() == [0.0, 1.0]
