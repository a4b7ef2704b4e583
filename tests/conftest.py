"""Settings of all tests.

Property tests draw the same examples each time and have no deadline. SIGINT is enabled also for
tests that run in the background, where shells disable it.
"""

import signal

from hypothesis import settings

settings.register_profile("infoset", deadline=None, derandomize=True, max_examples=20)
settings.load_profile("infoset")
signal.signal(signal.SIGINT, signal.default_int_handler)
