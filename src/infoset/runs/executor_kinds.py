"""Executors that are named by text, such as `processes:4` or `dask:tcp://10.0.0.1:8786`."""

from __future__ import annotations

import os
import re
import shutil
import socket
from ast import literal_eval
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from time import monotonic
from typing import Any, Final

from infoset.errors import ParameterError, UnknownNameError
from infoset.runs.ray_executor import RayExecutor
from infoset.runs.workers import LocalProcesses
from infoset.utils.arguments import check_type
from infoset.utils.extras import import_extra

SECONDS_TO_ANSWER: Final = 10
SECONDS_WITHOUT_WORKERS: Final = 60.0
"""Time for which a cluster may have lost all its workers."""

EXAMPLES: Final = "threads, threads:4, processes:4, dask:HOST:PORT, ray:HOST:PORT or slurm:OPTIONS"


@contextmanager
def open_executor(on: str) -> Iterator[Executor]:
    """Provide the executor that a text names, and close it afterwards.

    Parameters
    ----------
    on
        `threads[:N]` or `processes[:N]` of this machine, N of them or one for each core;
        `dask:ADDRESS` of a scheduler; `ray:ADDRESS` of a head node; or `slurm:OPTIONS`, inside an
        allocation, where the options of executorlib are `max_workers=N` and those of each worker,
        such as `threads_per_core=1`.

    Raises
    ------
    MissingExtraError
        If the package for the kind is not installed.

    Examples
    --------
    >>> with open_executor("threads:2") as executor:
    ...     executor.submit(abs, -3).result()
    3
    """
    check_type("on", on, str, f"text such as {EXAMPLES}")
    kind, _, rest = on.partition(":")
    if kind not in KINDS:
        raise UnknownNameError(f"unknown executor {on!r}; give {EXAMPLES}")
    executor = KINDS[kind](rest)
    try:
        yield executor
    finally:
        if isinstance(executor, LocalProcesses):
            executor.interrupt.set()  # ends the tasks of the library
            # A thread feeds the processes through a pipe. If they have ended, its writes fail,
            # which may end the program where SIGPIPE is not ignored, so that it ends first.
            executor.shutdown(cancel_futures=True)
        else:
            executor.shutdown(wait=False, cancel_futures=True)


def _number(kind: str, rest: str) -> int:
    """Return the number of workers of this machine."""
    if not rest:
        return os.cpu_count() or 1
    if not rest.isdecimal() or int(rest) < 1:
        raise ParameterError(f"{kind}:{rest} is not a number of workers; give {kind}:4, or {kind}")
    return int(rest)


def _dask(address: str) -> Executor:
    _check_address("dask", address, "tcp://10.0.0.1:8786, which `dask scheduler` prints")
    return DaskExecutor(address)


class DaskExecutor(Executor):
    """The workers of a Dask cluster, whose scheduler is asked now and then whether there are any.

    Parameters
    ----------
    address
        Address of the scheduler.

    Raises
    ------
    MissingExtraError
        If Dask is not installed.
    ParameterError
        If the scheduler or its first worker does not answer within 10 seconds.
    """

    def __init__(self, address: str) -> None:
        distributed = import_extra("dask", "running on Dask")
        connect = partial(
            distributed.Client, address, timeout=SECONDS_TO_ANSWER, set_as_default=False
        )
        try:
            self._client = _in_time(connect)
        except (OSError, ValueError, TypeError) as error:
            raise ParameterError(
                f"Dask does not answer at {address} within {SECONDS_TO_ANSWER} s; start it with "
                "`dask scheduler`, and give the address that it prints"
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=SECONDS_TO_ANSWER)
        except OSError as error:
            self._client.close()
            raise ParameterError(
                f"the scheduler at {address} has no workers; start some with "
                f"`dask worker {address} --nthreads 1`"
            ) from error
        # Two equal calls are two calls: a repeated task must not get the lost result.
        self._executor: Executor = self._client.get_executor(pure=False)
        self._seen = monotonic()

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        """Submit a call."""
        return self._executor.submit(function, *arguments, **options)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which remains; calls that are not done are cancelled."""
        with suppress(OSError):
            self._executor.shutdown(wait=wait)
            self._client.close(timeout=SECONDS_TO_ANSWER)

    def problem(self) -> str:
        """Return that the cluster has had no workers for a minute; otherwise nothing."""
        with suppress(OSError):
            if self._client.scheduler_info()["workers"]:
                self._seen = monotonic()
        if monotonic() - self._seen < SECONDS_WITHOUT_WORKERS:
            return ""
        return f"the Dask cluster has had no workers for {SECONDS_WITHOUT_WORKERS:.0f} s"


def _in_time(connect: Callable[[], Any]) -> Any:
    """Return a connection, also where something listens that never answers.

    Raises
    ------
    TimeoutError
        If nothing answers in time; the thread that waits is left behind.
    """
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(connect())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future.result(timeout=SECONDS_TO_ANSWER)


def _ray(address: str) -> Executor:
    if address != "auto":
        _check_address("ray", address, "10.0.0.1:6379, which `ray start --head` prints")
    return RayExecutor(address)


def _check_address(kind: str, address: str, example: str) -> None:
    """Raise unless something listens at an address."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    if not host or not port.isdecimal():
        raise ParameterError(f"{kind}:{address} has no host and port; give {kind}:{example}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise ParameterError(
            f"nothing answers at {address} within {SECONDS_TO_ANSWER} s ({error}); give "
            f"{kind}:{example}"
        ) from error


def _slurm(rest: str) -> Executor:
    executorlib = import_extra("slurm", "running on Slurm")
    options = _options(rest)
    if shutil.which("srun") is None:
        raise ParameterError(
            "slurm: the command srun was not found; run this inside an allocation of Slurm, such "
            "as one of salloc or sbatch"
        )
    number = options.pop("max_workers", None)
    executor: Executor = executorlib.SlurmJobExecutor(
        max_workers=number, resource_dict=options, block_allocation=number is not None
    )
    return executor


def _options(rest: str) -> dict[str, Any]:
    """Return options such as `max_workers=4,threads_per_core=1`."""
    found: dict[str, Any] = {}
    # A comma is inside brackets if a closing one follows before an opening one.
    for part in filter(None, re.split(r",(?![^\[(]*[\])])", rest)):
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier():
            raise ParameterError(f"slurm:{rest}: {part!r} is not of the form NAME=VALUE")
        try:
            found[name] = literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


KINDS: Final[dict[str, Callable[[str], Executor]]] = {
    "threads": lambda rest: ThreadPoolExecutor(_number("threads", rest)),
    "processes": lambda rest: LocalProcesses(_number("processes", rest)),
    "dask": _dask,
    "ray": _ray,
    "slurm": _slurm,
}
