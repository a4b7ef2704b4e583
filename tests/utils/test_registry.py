"""Tables of named entries."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.utils.registry import Registry


@dataclass(frozen=True)
class Fruit:
    name: str
    color: str = ""


APPLE, PEAR = Fruit("apple"), Fruit("pear")


def make_registry():
    return Registry("fruit", [APPLE, PEAR], entry_type=Fruit, aliases={"pomme": "apple"})


def test_a_registry_is_a_mapping_of_exact_names_in_order():
    fruits = make_registry()
    assert list(fruits) == ["apple", "pear"]
    assert fruits["pear"] is PEAR
    assert "Apple" not in fruits
    assert "pomme" not in fruits
    assert fruits.get("plum") is None
    with pytest.raises(KeyError, match="unknown fruit 'appl'; did you mean apple"):
        fruits["appl"]


@pytest.mark.parametrize("name", ["apple", "APPLE", "Pomme", APPLE])
def test_names_in_any_case_aliases_and_entries_resolve(name):
    assert make_registry().resolve(name) is APPLE


def test_an_entry_that_is_not_in_the_registry_resolves_to_itself():
    plum = Fruit("plum")
    assert make_registry().resolve(plum) is plum


@pytest.mark.parametrize(("name", "nearest"), [("appel", "apple"), ("pommes", "pomme")])
def test_unknown_names_come_with_the_nearest(name, nearest):
    with pytest.raises(UnknownNameError, match=f"unknown fruit '{name}'; did you mean {nearest}"):
        make_registry().resolve(name)


@pytest.mark.parametrize("value", [3, None, Fruit])
def test_other_values_are_refused(value):
    with pytest.raises(ParameterError, match=r"fruit.*; give one of: apple, pear"):
        make_registry().resolve(value)


def test_users_register_entries_and_replace_their_own():
    fruits = make_registry()
    fruits.register(Fruit("Plum", "blue"), "prune")
    fruits.register(Fruit("Plum", "red"), "prune")
    assert fruits.resolve("prune").color == fruits["Plum"].color == "red"
    assert list(fruits) == ["apple", "pear", "Plum"]


@pytest.mark.parametrize("names", [["Apple"], ["pomme"], ["plum", "pear"], ["fig", "prune"]])
def test_names_of_other_entries_are_refused(names):
    fruits = make_registry()
    fruits.register(Fruit("plum"), "prune")
    name, *aliases = names
    with pytest.raises(ParameterError, match="choose another name"):
        fruits.register(Fruit(name), *aliases)
    assert list(fruits) == ["apple", "pear", "plum"]
    assert fruits["apple"] is APPLE


def test_only_named_entries_of_the_type_are_registered():
    fruits = make_registry()
    with pytest.raises(ParameterError, match="give a fruit"):
        fruits.register("plum")
    with pytest.raises(ParameterError, match="name of the fruit"):
        fruits.register(Fruit(3))


def test_two_entries_of_one_name_are_refused():
    with pytest.raises(ParameterError, match="two entries are called 'apple'"):
        Registry("fruit", [APPLE, Fruit("apple")], entry_type=Fruit)
