"""Helpers for the whole library: argument checks, registries, files, compilation, randomness."""
