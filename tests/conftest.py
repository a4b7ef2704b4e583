"""Settings of all tests.

Property tests draw the same examples each time and have no deadline. SIGINT is enabled also for
tests that run in the background, where shells disable it.
"""

import gc
import signal

from hypothesis import settings

settings.register_profile("infoset", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("infoset")
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Leave the imported modules and collected tests out of garbage collection, and collect less.

    Compiling kernels creates many small objects. With the default thresholds, a tenth of the time
    of the tests went into traversing objects that live until the end.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
