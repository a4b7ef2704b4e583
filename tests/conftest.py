"""One profile for all property tests: the same examples each time, and no stopwatch."""

from hypothesis import settings

settings.register_profile("infoset", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("infoset")
