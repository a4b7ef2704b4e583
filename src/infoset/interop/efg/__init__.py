"""Extensive forms from and to files in Gambit's .efg format."""

from infoset.interop.efg.labels import plain_labels
from infoset.interop.efg.reader import load_efg, parse_efg
from infoset.interop.efg.writer import format_efg, save_efg

__all__ = ["format_efg", "load_efg", "parse_efg", "plain_labels", "save_efg"]
