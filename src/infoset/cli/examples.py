"""Examples of each command, which its help shows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "games": ("infoset games", "infoset games leduc_poker"),
        "check": ("infoset check kuhn_poker", "infoset check path/to/file.py:MyGame"),
        "info": ("infoset info 'leduc_poker(num_ranks=4)'",),
        "solve": (
            "infoset solve leduc_poker",
            "infoset solve leduc_poker --method dcfr --target 0.1%",
            "infoset solve path/to/file.py:MyGame --seconds 60",
        ),
        "learn": ("infoset learn kuhn_poker --method balanced-omd --episodes 1e5",),
        "train": ("infoset train leduc_poker --seconds 60",),
        "critic": ("infoset critic leduc_poker runs/leduc_poker-rnad --steps 20000",),
        "tune": ("infoset tune kuhn_poker --method ixomd --over rate=1e-3..1 --trials 20",),
        "compare": (
            "infoset compare kuhn_poker --methods cfr,cfr+,dcfr --iterations 1000",
            "infoset compare kuhn_poker --methods cfr+,es-mccfr --seeds 5",
            "infoset compare kuhn_poker --methods list",
        ),
        "plot": (
            "infoset plot runs/kuhn_poker-comparison --out figure.pdf",
            "infoset plot mine=mine.csv runs/leduc_poker-dcfr --out figure.svg --percent",
        ),
        "benchmark": (
            "infoset benchmark pcfr+",
            "infoset benchmark my_solver.py:MySolver --seconds 5 --out card",
            "infoset benchmark 'pimc(num_worlds=20)' --games kuhn_poker,leduc_poker",
        ),
        "prove": (
            "infoset prove kuhn_poker",
            "infoset prove leduc_poker --out leduc_poker.certificate.json",
        ),
        "verify": ("infoset verify leduc_poker.certificate.json",),
        "zoo": (
            "infoset zoo list --pack small",
            "infoset zoo make leduc_poker_4 --out leduc_poker_4.parquet",
            "infoset zoo check kuhn_poker",
        ),
        "evaluate": (
            "infoset evaluate runs/leduc_poker-lp",
            "infoset evaluate kuhn_poker uniform",
        ),
        "respond": ("infoset respond kuhn_poker uniform --player 1",),
        "show": ("infoset show runs/leduc_poker-lp --player 0 --match '[Ks]' --top 10",),
        "draw": ("infoset draw kuhn_poker --view public --out kuhn_poker.svg",),
        "play": (
            "infoset play leduc_poker --against runs/leduc_poker-lp --coach runs/leduc_poker-lp",
            "infoset play hanabi --against ismcts",
        ),
        "explore": (
            "infoset explore leduc_poker --policy lp --against pimc",
            "infoset explore kuhn_poker --policy lp --policy cfr --out kuhn_poker.html",
        ),
        "match": ("infoset match leduc_poker pimc 'ismcts(num_simulations=500)' --deals 200",),
        "export": ("infoset export kuhn_poker --out kuhn_poker.efg",),
        "report": (
            "infoset report spot.txt --over turns",
            "infoset report spot.txt --over flops --sample 30 --line check",
        ),
        "reproduce": ("infoset reproduce list", "infoset reproduce balanced --quick"),
        "warm": ("infoset warm",),
    }
)


def help_end(command: str) -> str:
    """Return the end of the help of a command: its examples, one in each paragraph."""
    return "\n\n".join(["Examples:", *EXAMPLES[command]])
