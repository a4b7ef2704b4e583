import psutil
import pytest

from infoset.errors import ParameterError
from infoset.games import GAMES, Domain, Goofspiel, KuhnPoker, LiarsDice, load_game
from infoset.tree import build_world_graph


@pytest.mark.parametrize(
    ("domain", "inside", "outside"),
    [
        (Domain(int, low=2, high=4), [2, 3, 4], [1, 5, True, 2.0, "2", None]),
        (Domain(int, low=1, special=-1), [-1, 1, 10**12], [0, -2]),
        (Domain(bool), [True, False], [0, 1, "True"]),
        (Domain(str, options=("a", "b")), ["a", "b"], ["c", "", 1]),
        (Domain(float, low=0), [0.0, 2.5], [-0.5, 1, float("nan"), float("inf"), "1.0", True]),
        (Domain(int, low=1, is_list=True), [(1,), (2, 3)], [(), (0,), (1, 2.0), [1], 1, "12"]),
        (Domain(float, is_list=True), [(-1.0, 2.5)], [(), (1.0, "a"), 1.0]),
    ],
)
def test_membership_of_a_domain(domain, inside, outside):
    assert all(value in domain for value in inside)
    assert not any(value in domain for value in outside)


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        (Domain(int, low=2, high=10), "a whole number from 2 to 10"),
        (Domain(int, low=1), "a whole number of at least 1"),
        (Domain(int, low=1, special=-1), "-1 or a whole number of at least 1"),
        (Domain(int, low=2, high=2), "2"),
        (Domain(float), "a number"),
        (Domain(float, low=0), "a number of at least 0"),
        (Domain(int, low=1, is_list=True), "a list of whole numbers of at least 1"),
        (Domain(bool), "True or False"),
        (Domain(str, options=("a", "b")), "one of a, b"),
    ],
)
def test_the_text_of_a_domain(domain, text):
    assert str(domain) == text


@pytest.mark.parametrize(
    ("domain", "given", "kept"),
    [
        (Domain(float), 1, 1.0),
        (Domain(float), True, True),
        (Domain(float), 10**400, 10**400),
        (Domain(int), 1, 1),
        (Domain(int, is_list=True), [1, 2], (1, 2)),
        (Domain(float, is_list=True), (1, 2.5), (1.0, 2.5)),
    ],
)
def test_the_normal_form_of_a_value(domain, given, kept):
    assert domain.normal_form(given) == kept
    assert type(domain.normal_form(given)) is type(kept)


def test_an_error_has_the_value_the_rule_and_the_remedy():
    with pytest.raises(ParameterError) as caught:
        LiarsDice(numdice=0)
    assert str(caught.value) == (
        "liars_dice: numdice=0 is not allowed; numdice must be a whole number from 1 to 1000, "
        "for example liars_dice(numdice=1)"
    )


def test_games_are_values():
    assert KuhnPoker() == KuhnPoker(players=2)
    assert hash(Goofspiel(num_cards=5)) == hash(Goofspiel(num_cards=5))
    assert Goofspiel(num_cards=5) != Goofspiel(num_cards=5, num_turns=5)
    with pytest.raises(AttributeError):
        KuhnPoker().players = 3


LARGEST = [
    f"{entry.name}({parameter.name}={value})"
    for entry in GAMES.values()
    for parameter in entry.parameters
    if parameter.domain is not None and parameter.domain.kind is int
    for value in [parameter.domain.high or 10**9]
    if not parameter.domain.is_list
]


@pytest.mark.parametrize("spec", LARGEST)
def test_the_largest_parameters_are_refused_or_explored_within_little_memory(spec):
    """A parameter without an upper bound must not make a game allocate anything by its size."""
    before = psutil.Process().memory_info().rss
    try:
        game = load_game(spec)
    except ParameterError:
        return
    graph = build_world_graph(game, max_worlds=20, partial=True, memory=1)
    assert graph.stop in {"worlds", "transitions", None}
    assert psutil.Process().memory_info().rss - before < 200_000_000


@pytest.mark.parametrize(
    "spec",
    [
        "leduc_poker(num_ranks=3333333333)",
        "trade_comm(num_items=100000)",
        "goofspiel(num_cards=1000000)",
        "liars_dice(dice_sides=100000)",
        "liars_dice(numdice=20,dice_sides=20)",
    ],
)
def test_parameters_that_no_memory_can_hold_are_refused(spec):
    with pytest.raises(ParameterError, match=r"must .* for example"):
        load_game(spec)
