"""Registries of named entries, such as games, methods, learners and searchers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from infoset.errors import ParameterError, UnknownNameError
from infoset.utils.arguments import check_type


class Named(Protocol):
    """An entry of a registry: anything with a name."""

    @property
    def name(self) -> str:
        """The name by which the entry is found."""


Entry = TypeVar("Entry", bound=Named)


class Registry(Mapping[str, Entry]):
    """Entries of one kind by name, to which users may add their own.

    As a mapping, a registry accepts only exact names. `resolve` ignores case, accepts aliases,
    `plus` for `+`, and `_` for `-`, and suggests similar names if a name is unknown.

    Parameters
    ----------
    kind
        Noun for an entry in error messages, such as "method".
    entries : iterable
        The library's own entries, in the order in which they are listed.
    entry_type
        Class or runtime-checkable protocol of the entries.
    expected
        What `resolve` accepts, for its error message; by default a name of the registry.
    aliases
        Alternative names, mapped to the names of their entries.

    Raises
    ------
    ParameterError
        If two entries have the same name.

    Examples
    --------
    >>> from collections import namedtuple
    >>> Method = namedtuple("Method", "name")
    >>> methods = Registry("method", [Method("cfr"), Method("lp")], entry_type=Method)
    >>> methods.resolve("CFR")
    Method(name='cfr')
    >>> methods.knows("LP"), methods.knows("simplex")
    (True, False)
    >>> methods.register(Method("mine"), "my_method")
    >>> list(methods)
    ['cfr', 'lp', 'mine']
    """

    def __init__(
        self,
        kind: str,
        entries: Iterable[Entry],
        *,
        entry_type: type,
        expected: str = "",
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.entry_type: Any = entry_type
        self.expected = expected
        self._entries: dict[str, Entry] = {}
        self._names: dict[str, str] = {}  # lower-case names and aliases -> names
        self._spellings: dict[str, str] = {}  # spellings without `_` and `plus` -> names
        self._built_in: frozenset[str] = frozenset()
        names_of: dict[str, list[str]] = {}
        for alias, name in (aliases or {}).items():
            names_of.setdefault(name, []).append(alias)
        for entry in entries:
            if entry.name.lower() in self._names:
                raise ParameterError(f"two entries are called {entry.name!r}; rename one of them")
            self.register(entry, *names_of.get(entry.name, ()))
        self._built_in = frozenset(self._names)  # only these cannot be replaced

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            raise KeyError(str(UnknownNameError.of(self.kind, name, self._entries)))
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kind!r}, {list(self._entries)})"

    @property
    def known_names(self) -> tuple[str, ...]:
        """All names that `resolve` accepts, including aliases, in lower case."""
        return tuple(self._names)

    def knows(self, name: str) -> bool:
        """Return whether `resolve` accepts a name."""
        return self._name_of(name) is not None

    def _name_of(self, text: str) -> str | None:
        """Return the name of the entry that a text means; None if there is none."""
        return self._names.get(text.lower()) or self._spellings.get(_spelling(text))

    def resolve(self, name_or_entry: str | Entry) -> Entry:
        """Return the entry with a name or alias in any spelling; an entry is returned unchanged."""
        expected = self.expected or f"one of: {', '.join(self)}"
        check_type(self.kind, name_or_entry, (str, self.entry_type), expected)
        if not isinstance(name_or_entry, str):
            return name_or_entry
        name = self._name_of(name_or_entry)
        if name is None:
            raise UnknownNameError.of(self.kind, name_or_entry, self._names)
        return self._entries[name]

    def register(self, entry: Entry, *aliases: str) -> None:
        """Add an entry under its name and `aliases`.

        An entry that a user registered earlier is replaced, so that a notebook cell can be run
        twice.
        """
        check_type(self.kind, entry, self.entry_type, self.expected or f"a {self.kind}")
        names = (entry.name, *aliases)
        for name in names:
            check_type(f"the name of the {self.kind}", name, str, "text")
            key = name.lower()
            if key in self._built_in or self._names.get(key, entry.name) != entry.name:
                raise ParameterError(
                    f"the name {name!r} belongs to the {self.kind} {self._names[key]!r}; "
                    "choose another name"
                )
        self._entries[entry.name] = entry
        self._names.update({name.lower(): entry.name for name in names})
        self._spellings.update({_spelling(name): entry.name for name in names})


def _spelling(name: str) -> str:
    """Return a name in lower case, with `+` for `plus` and `-` for `_`."""
    return name.lower().replace("_", "-").replace("-plus", "+").replace("plus", "+")
