"""Run the parsers on damaged texts: any exception but `InfosetError` is a bug.

    python tests/efg/files/fuzz.py efg --inputs 1000000 --seed 1

Damaged texts are valid texts with pieces deleted, doubled, moved or replaced. An extensive form
that is read must be the same after being written and read again. More than two seconds for a text
also count as a bug. The last line of the output reports how many texts were read and how many were
refused.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from infoset.errors import InfosetError

MAX_SECONDS = 2.0
"""Limit for one text when this file is run as a program; the tests look at no clock."""
PIECE = re.compile(r'"[^"\\]*"|[\w.+/-]+|\s+|.', re.DOTALL)
ODD = [
    *'"\\{}(),=[]/.-+#', "\x00", "\n", "\r", "\ufeff", "é", "\ud800", "１", "0", "1", "-1", "2",
    "1/0", "0/0", "1e308", "1e400", "1e-400", "1e999999999", "9" * 30, "9" * 5000, "1/" + "7" * 900,
    "0.1", "nan", "inf", "1_0", '""', '"\\"', "{ }", "{" * 50, "[" * 3000, "(" * 3000, "c", "p",
    "t", "EFG", 'p "" 1 1 0', 't "" 0', 't "" 1', 'c "" 1 "" { "a" 1 } 0',
]  # fmt: skip

Parser = Callable[[str], None]


def mutate(text: str, others: Sequence[str], rng: random.Random) -> str:
    """Return a text with some damaged pieces."""
    pieces = PIECE.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        start = rng.randrange(len(pieces) + 1)
        end = min(len(pieces), start + rng.choice((0, 1, 1, 1, 2, 5, 40)))
        kind = rng.randrange(7)
        if kind == 0:
            del pieces[start:end]
        elif kind == 1:
            pieces[start:start] = pieces[start:end]
        elif kind == 2:
            pieces[start:end] = [rng.choice(ODD)]
        elif kind == 3:
            to = rng.randrange(len(pieces) + 1)
            pieces[to:to] = pieces[start:end]
        elif kind == 4:
            donor = PIECE.findall(rng.choice(others))
            at = rng.randrange(len(donor))
            pieces[start:end] = donor[at : at + rng.choice((1, 2, 10, 60))]
        elif kind == 5:
            pieces[start:end] = [chr(rng.randrange(32, 127))]
        else:
            joined = "".join(pieces)
            cut = rng.randrange(len(joined) + 1)
            pieces = PIECE.findall(joined[:cut] + joined[cut + rng.choice((1, 1, len(joined))) :])
    return "".join(pieces)


def efg() -> tuple[list[str], Parser]:
    """Return valid .efg files, and a function that reads, writes and reads them again."""
    from infoset.efg import format_efg, parse_efg
    from tests.efg.files.efg_forms import GAMES, assert_same

    def parse(text: str) -> None:
        form = parse_efg(text)
        assert_same(form, parse_efg(format_efg(form)))

    return [path.read_text(encoding="utf-8") for path in sorted(GAMES.glob("*.efg"))], parse


def efg_file() -> tuple[list[str], Parser]:
    """Return .efg files as bytes, some of them invalid UTF-8, and a function that reads them."""
    from infoset.efg import load_efg

    texts, _ = efg()
    path = Path(tempfile.mkdtemp()) / "fuzz.efg"

    def parse(text: str) -> None:
        path.write_bytes(text.encode("latin-1", "replace"))
        load_efg(path)

    return texts, parse


def nfg() -> tuple[list[str], Parser]:
    """Return valid .nfg files, and a function that reads, writes and reads them again."""
    from infoset.efg import format_nfg, parse_nfg
    from tests.efg.files.test_nfg import BY_OUTCOME, BY_PAYOFF, GAMBIT_WRITES

    def parse(text: str) -> None:
        game = parse_nfg(text)
        again = parse_nfg(format_nfg(game))
        assert again.payoffs == game.payoffs
        assert list(map(len, again.strategies)) == list(map(len, game.strategies))

    return [BY_OUTCOME, BY_PAYOFF, GAMBIT_WRITES], parse


def spec() -> tuple[list[str], Parser]:
    """Return valid names of games with parameters, and their parser."""
    from infoset.games import parse_spec

    texts = [
        "leduc_poker(players=2,num_ranks=4)",
        "goofspiel( num_cards=5 , imp_info=True,points_order=descending)",
        "matrix_game(row_payoffs=[[0,2.5],[1,'a b']],column_payoffs=((0,-2.5),(-1,\"c\")))",
        "kuhn_poker",
    ]
    return texts, lambda text: void(parse_spec(text))


def csv() -> tuple[list[str], Parser]:
    """Return a valid policy as CSV, and a function that reads it."""
    from infoset.games import load_game
    from infoset.policy import load_policy_csv, save_policy_csv, uniform_policy
    from infoset.tree import build_tree

    form = build_tree(load_game("kuhn_poker")).sequence_form
    path = Path(tempfile.mkdtemp()) / "fuzz.csv"
    save_policy_csv(uniform_policy(form), path)
    good = path.read_text(encoding="utf-8")

    def parse(text: str) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        load_policy_csv(path, form)

    return [good, good.replace("0.5", "1").replace(",", ";")], parse


PARSERS = {"efg": efg, "efg-file": efg_file, "nfg": nfg, "spec": spec, "csv": csv}


def void(_: object) -> None:
    """Ignore a result."""


def fuzz(name: str, inputs: int, seed: int, max_seconds: float = math.inf) -> Counter[str]:
    """Parse damaged texts; return the numbers of read and of refused texts.

    Any exception except `InfosetError` is raised with the text as a note.
    """
    texts, parse = PARSERS[name]()
    rng = random.Random(seed)
    ends: Counter[str] = Counter()
    for _ in range(inputs):
        text = mutate(rng.choice(texts), texts, rng)
        begin = time.perf_counter()
        try:
            parse(text)
            ends["read"] += 1
        except InfosetError:
            ends["refused"] += 1
        except BaseException as error:
            error.add_note(f"by the text {text[:5000]!r}")
            raise
        assert time.perf_counter() - begin < max_seconds, f"slow: {text[:5000]!r}"
    return ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parser", choices=PARSERS)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    begin = time.perf_counter()
    ends = fuzz(given.parser, given.inputs, given.seed, MAX_SECONDS)
    seconds = time.perf_counter() - begin
    print(
        f"{given.parser}, seed {given.seed}: {given.inputs:,} inputs, {ends['read']:,} read, "
        f"{ends['refused']:,} refused, {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
