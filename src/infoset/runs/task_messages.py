"""What a driver and its workers send to each other: packed work, packed items, and replies.

All of it is bytes, numbers and text, so that any executor can carry it, and a worker with another
version of the library can still say so.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from threading import Event, local
from types import FunctionType
from typing import Any, Protocol, TypeAlias

from infoset._version import __version__
from infoset.errors import ParameterError, WorkerVersionError, as_error, describe_exception
from infoset.runs.machines import Machine, this_machine

FILE_MODULE = "infoset_user_file_"
"""Prefix of the modules that are executed from a Python file; only this process has them."""

MAX_WORKS = 4
"""Number of unpacked works that each thread of a worker keeps."""

NOT_PICKLED = (pickle.PicklingError, AttributeError, TypeError, RecursionError)
NOT_FOUND = (ImportError, AttributeError)


class Interrupt(Protocol):
    """Whether a running task should end; a `threading.Event` is one.

    An event cannot be sent to another process. A task there gets an interrupt of its own process,
    which is set if the driver can reach it, and never otherwise.
    """

    def is_set(self) -> bool:
        """Return whether the task should end soon."""


Work: TypeAlias = Callable[[Any, Interrupt], Any]
"""A function of an item and an interrupt, which any worker can call."""

interrupts: dict[str, Event] = {}
"""The interrupts of the sessions of this process, by their names."""

_process_interrupt: list[Interrupt] = []
"""The interrupt of all tasks of this process, if the driver's pool started it."""

_thread = local()


@dataclass(frozen=True)
class Reply:
    """The reply to a task."""

    kind: str
    """`done`, `error`, `unsendable` (the worker cannot unpack what it got), `version` (the worker
    has another version) or `wanted` (the worker needs the packed work)."""
    content: Any
    """The result, the exception, or text."""
    seconds: float = 0.0
    """Time that the task took, including compilation."""
    machine: Machine | None = None


class _Pickler(pickle.Pickler):
    """A pickler that refuses what only this process can import."""

    def reducer_override(self, value: Any) -> Any:
        """Raise an error for classes and functions of a file that was executed."""
        if isinstance(value, type | FunctionType):
            module = str(value.__module__)
            if module.startswith(FILE_MODULE):
                file = f"{module.removeprefix(FILE_MODULE)}.py"
                raise ParameterError(
                    f"{value.__qualname__} comes from the file {file}, which workers cannot "
                    "import: put it in a module that every worker can import, and pass an object "
                    "of that module; or give workers=1"
                )
        return NotImplemented


def packed(value: object) -> bytes:
    """Pickle an object for workers.

    Protocol 5 keeps read-only arrays read-only, so that workers use the kernels that are already
    compiled for them.

    Raises
    ------
    ParameterError
        If the object cannot be pickled, or belongs to a file that only this process has executed.
    """
    buffer = io.BytesIO()
    return _dumped(_Pickler(buffer, protocol=5), buffer, value)


def _dumped(pickler: _Pickler, buffer: io.BytesIO, value: object) -> bytes:
    try:
        pickler.dump(value)
    except NOT_PICKLED as error:
        raise ParameterError(
            f"policies or games cannot be sent to workers ({error}); define their classes and "
            "functions at the top level of a module, or give workers=1"
        ) from error
    return buffer.getvalue()


class _PicklerWithout(_Pickler):
    """A pickler that replaces one object, which the reader has already, by a mark."""

    shared: object = None

    def persistent_id(self, value: Any) -> str | None:
        """Return the mark for the shared object."""
        return "shared" if value is self.shared else None


class _UnpicklerWith(pickle.Unpickler):
    """The counterpart of `_PicklerWithout`."""

    shared: object = None

    def persistent_load(self, mark: Any) -> Any:
        """Return the shared object."""
        return self.shared


def packed_without(value: object, shared: object) -> bytes:
    """Pickle an object without an object in it that the reader has, such as a sequence form.

    Raises
    ------
    ParameterError
        As raised by `packed`.
    """
    buffer = io.BytesIO()
    pickler = _PicklerWithout(buffer, protocol=5)
    pickler.shared = shared
    return _dumped(pickler, buffer, value)


def unpacked_with(content: bytes, shared: object) -> Any:
    """Unpickle what `packed_without` returned, with the reader's own shared object."""
    unpickler = _UnpicklerWith(io.BytesIO(content))
    unpickler.shared = shared
    return unpickler.load()


def digest_of(content: bytes) -> str:
    """Return the name by which workers keep a packed work."""
    return hashlib.sha256(content).hexdigest()


def set_process_interrupt(interrupt: Interrupt) -> None:
    """Let an interrupt end all tasks of this process."""
    _process_interrupt[:] = [interrupt]


def interrupt_of(session: str) -> Interrupt:
    """Return the interrupt of a task, which is that of its session in the driver's process."""
    found: Interrupt | None = interrupts.get(session)
    if found is not None:
        return found
    return _process_interrupt[0] if _process_interrupt else Event()


def perform_here(work: Work, item: Any, interrupt: Interrupt) -> Reply:
    """Do a task of this process, without packing.

    The reply has every exception, because some executors end a worker whose task raises
    `SystemExit` or `KeyboardInterrupt`.
    """
    began = time.monotonic()
    try:
        result = work(item, interrupt)
    except KeyboardInterrupt as error:
        return Reply("error", error)
    except BaseException as error:
        return Reply("error", as_error(error))
    return Reply("done", result, time.monotonic() - began, this_machine())


def perform(
    version: str, session: str, digest: str, work: bytes | None, item: bytes, attempt: int
) -> tuple[Any, ...]:
    """Do a task of another process, and return the fields of a packed `Reply`.

    Parameters
    ----------
    version
        Version of the library at the driver; a worker with another one refuses the task.
    session
        Name of the driver's session.
    digest
        Name of the work.
    work
        The packed work; None if the worker should have it already.
    attempt
        Makes the calls of repeated tasks differ, as some executors run equal calls only once.
    """
    if version != __version__:
        text = f"{this_machine().host} has infoset {__version__}, and this process has {version}"
        return "version", text, 0.0, None
    try:
        found = _unpacked(digest, work)
        if found is None:
            return "wanted", "", 0.0, None
        wanted = pickle.loads(item)
    except NOT_FOUND as error:
        return "unsendable", str(error), 0.0, None
    except BaseException as error:  # of a module of the user that is imported here
        return "error", _packed_error(as_error(error)), 0.0, None
    reply = perform_here(found, wanted, interrupt_of(session))
    if reply.kind == "error":
        return "error", _packed_error(reply.content), 0.0, None
    try:
        content = packed(reply.content)
    except ParameterError as error:
        return "error", _packed_error(error), 0.0, None
    return reply.kind, content, reply.seconds, asdict(this_machine())


def _unpacked(digest: str, work: bytes | None) -> Work | None:
    """Return the work of a name; each thread has its own, as searchers change while they search."""
    works: OrderedDict[str, Work] | None = getattr(_thread, "works", None)
    if works is None:
        works = _thread.works = OrderedDict()
    if digest not in works:
        if work is None:
            return None
        works[digest] = pickle.loads(work)
        while len(works) > MAX_WORKS:
            works.popitem(last=False)
    works.move_to_end(digest)
    return works[digest]


def _packed_error(error: BaseException) -> bytes:
    """Return an exception that can be unpacked, which is the given one if possible."""
    text = "".join(traceback.format_exception(error))
    error.add_note(f"on {this_machine().host}:\n{text}")
    try:
        content = pickle.dumps(error, protocol=5)
        pickle.loads(content)  # fails if `__init__` needs more than `args`
    except Exception:
        return pickle.dumps(RuntimeError(describe_exception(error)), protocol=5)
    return content


def answer(reply: Reply | tuple[Any, ...]) -> Reply:
    """Return a reply with its content unpacked.

    Raises
    ------
    WorkerVersionError
        If the worker has another version of the library.
    ParameterError
        If the worker cannot import what it was sent.
    """
    if isinstance(reply, Reply):
        return reply
    kind, content, seconds, machine = reply
    if kind == "version":
        raise WorkerVersionError(f"{content}; install the same version on every worker")
    if kind == "unsendable":
        raise ParameterError(
            f"policies or games cannot be sent to workers ({content}); define their classes and "
            "functions in a module that every worker can import, or give workers=1"
        )
    if kind == "wanted":
        return Reply(kind, content)
    found = None if machine is None else Machine(**machine)
    return Reply(kind, pickle.loads(content), seconds, found)
