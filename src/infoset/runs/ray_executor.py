"""Ray as a `concurrent.futures.Executor`, which Ray itself does not provide."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from infoset.errors import ParameterError
from infoset.utils.extras import import_extra


class RayExecutor(Executor):
    """Runs calls as tasks of a Ray cluster.

    Ray does not repeat lost tasks here; whoever submits them does.

    Parameters
    ----------
    address
        `HOST:PORT` of the head node, or `auto` for the cluster of this machine.

    Raises
    ------
    MissingExtraError
        If Ray is not installed.
    ParameterError
        If the cluster cannot be reached.
    """

    def __init__(self, address: str) -> None:
        ray = import_extra("ray", "running on Ray")
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ParameterError(
                f"Ray does not answer at {address} ({error}); start it with `ray start --head`, "
                "and give the address that it prints"
            ) from error
        self._ray = ray
        self._call = ray.remote(max_retries=0)(_call)

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **options: Any
    ) -> Future[Any]:
        """Submit a call; a lost worker or node makes the future raise an error of Ray."""
        future: Future[Any] = self._call.remote(function, *arguments, **options).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which remains."""
        self._ray.shutdown()


def _call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function on a worker; Ray makes tasks of Python functions only."""
    return function(*arguments, **options)
