"""Collecting the tests, which every worker does for all of them, computes nothing."""


def test_no_kernel_runs_while_tests_are_collected(kernels_of_collection):
    """Modules and parameters hold names and functions; tests build trees when they run."""
    assert kernels_of_collection == []
