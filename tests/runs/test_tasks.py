"""Tasks on threads: order, errors, interrupts, and what may be sent to workers."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from types import ModuleType

import pytest

from infoset.errors import LostWorkersError, ParameterError, WorkerVersionError
from infoset.runs import check_workers, differing_machines, parallel_map, this_machine
from infoset.runs import task_messages as messages
from infoset.runs import tasks as tasks_module
from infoset.runs.task_messages import packed, perform
from infoset.runs.tasks import MAX_RETRIES, WorkerPool, run_tasks


class LocalExecutor(Executor):
    """Runs each call where it is submitted, with everything pickled on the way, and may lose it."""

    def __init__(self, losses=0, error=None):
        self.losses, self.calls = losses, 0
        self.error = error or RuntimeError("node lost")

    def submit(self, function, /, *arguments):
        self.calls += 1
        future = Future()
        future.set_running_or_notify_cancel()
        if self.losses:
            self.losses -= 1
            future.set_exception(self.error)
        else:
            sent = pickle.loads(pickle.dumps((function, arguments)))
            future.set_result(pickle.loads(pickle.dumps(sent[0](*sent[1]))))
        return future


def square(number, interrupt):
    return number**2


def is_set(number, interrupt):
    return interrupt.is_set()


def fail(number, interrupt):
    raise ZeroDivisionError(f"item {number}")


class OddError(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


def fail_oddly(number, interrupt):
    raise OddError("odd", number)


class Big:
    """A work that is too large to be sent with each task."""

    def __init__(self):
        self.numbers = bytes(range(256)) * 1000

    def __call__(self, number, interrupt):
        return self.numbers[number]


def results(work, items, executor, **options):
    found = []
    run_tasks(work, items, WorkerPool(executor, **options), found.append)
    return {done.position: done.result for done in found}


@pytest.mark.parametrize("make", [LocalExecutor, lambda: ThreadPoolExecutor(2)])
def test_each_item_has_its_result(make):
    assert results(square, range(9), make()) == {n: n**2 for n in range(9)}


def test_a_large_work_is_sent_once_for_all_tasks():
    executor = LocalExecutor()
    assert results(Big(), [3, 4, 5], executor, max_submitted=1) == {0: 3, 1: 4, 2: 5}
    assert executor.calls == 4


def test_lost_workers_cost_another_try_and_at_most_three():
    executor = LocalExecutor(losses=MAX_RETRIES)
    assert results(square, [7], executor) == {0: 49}
    assert executor.calls == MAX_RETRIES + 1
    with pytest.raises(LostWorkersError, match=r"lost 4 times .*RuntimeError: node lost"):
        results(square, [7], LocalExecutor(losses=MAX_RETRIES + 1))


def test_a_worker_without_the_library_is_not_asked_again():
    executor = LocalExecutor(losses=1, error=ModuleNotFoundError("No module named 'infoset'"))
    with pytest.raises(LostWorkersError, match="install the same version of infoset"):
        results(square, [7], executor)
    assert executor.calls == 1


def test_an_error_of_a_task_is_raised_and_not_repeated():
    executor = LocalExecutor()
    with pytest.raises(ZeroDivisionError, match="item 4") as caught:
        results(fail, [4, 5], executor, max_submitted=1)
    assert executor.calls == 1
    assert "def fail" not in caught.value.__notes__[0]
    assert 'raise ZeroDivisionError(f"item {number}")' in caught.value.__notes__[0]
    # The text remains, also where other packages have taught pickle to copy such errors.
    with pytest.raises((RuntimeError, OddError), match="odd 4"):
        results(fail_oddly, [4], LocalExecutor())


def test_a_worker_of_another_version_runs_nothing(monkeypatch):
    monkeypatch.setattr(tasks_module, "__version__", "0.0.1")
    with pytest.raises(WorkerVersionError, match=r"has infoset .* has 0\.0\.1; install"):
        results(fail, [4], LocalExecutor())


def test_an_executor_that_was_shut_down():
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(LostWorkersError, match="accepts no tasks"):
        results(square, [1], executor)


def test_interrupts_of_this_process_reach_packed_tasks():
    event = WorkerPool(LocalExecutor()).interrupt
    pool = WorkerPool(LocalExecutor(), event)
    event.set()
    found = []
    run_tasks(is_set, [0], pool, found.append)
    assert found[0].result is True
    reply = perform(messages.__version__, "another", "name", packed(is_set), packed(0), 0)
    assert pickle.loads(reply[1]) is False
    assert messages.interrupts == {}


def test_what_only_this_process_can_import_is_refused(monkeypatch):
    module = ModuleType("infoset_user_file_cuckoo")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec("class Cuckoo:\n    pass", vars(module))
    with pytest.raises(ParameterError, match=r"Cuckoo comes from the file cuckoo\.py, which work"):
        packed([module.Cuckoo()])
    with pytest.raises(ParameterError, match="top level of a module"):
        packed(lambda: None)


def test_threads_get_copies_of_what_they_may_not_share():
    seen = []

    class Recorder:
        def __call__(self, portion):
            seen.append(id(self))
            return portion

    with parallel_map(Recorder(), executor=ThreadPoolExecutor(2), compiled=True) as apply:
        assert list(apply(range(5))) == list(range(5))
    assert len(set(seen)) == 1
    with (
        pytest.raises(ParameterError, match="cannot be sent to workers"),
        parallel_map(Recorder(), executor=ThreadPoolExecutor(2)) as apply,
    ):
        list(apply(range(5)))


@pytest.mark.parametrize(
    ("workers", "executor", "words"),
    [
        (2, ThreadPoolExecutor(1), "workers=2 and an executor are both given"),
        (0, None, "workers=0"),
        (None, "dask", "executor='dask'.*client.get_executor"),
        (None, ThreadPoolExecutor, "executor"),
    ],
)
def test_mistakes(workers, executor, words):
    with pytest.raises(ParameterError, match=words):
        check_workers(workers, executor)


def test_machines_differ_in_more_than_their_names():
    here = this_machine()
    there = replace(here, host="there")
    assert differing_machines([here, there]) == ()
    other = replace(there, cpu="z80", numba="0.1")
    assert differing_machines([here, there, other]) == (
        f"cpu: {', '.join(sorted([here.cpu, 'z80']))}",
        f"numba: {', '.join(sorted([here.numba, '0.1']))}",
    )
