"""What all tests go by.

Property tests have one profile: the same examples each time, and no stopwatch. Ctrl-C interrupts
also where tests run in the background, for which shells switch it off.
"""

import signal

from hypothesis import settings

settings.register_profile("infoset", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("infoset")
signal.signal(signal.SIGINT, signal.default_int_handler)
