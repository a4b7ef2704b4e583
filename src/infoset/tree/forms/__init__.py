"""Extensive forms: games given as trees, what they keep or break, and conversions."""
