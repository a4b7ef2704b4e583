"""Helpers for the whole library: arguments, registries, files, compilation, random streams."""
