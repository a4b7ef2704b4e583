"""Communication with a peer that runs in its own process."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import Any

__all__ = ["Conversation", "PeerError"]

WORKERS = Path(__file__).parents[1] / "workers"


class PeerError(Exception):
    """Raised if a peer fails or takes too long."""


class Conversation:
    """Process of a worker, with requests and answers as one JSON object per line.

    Parameters
    ----------
    python : Path
        The interpreter of the peer's environment.
    script : Path
        The worker.
    folder : Path
        Home and working directory of the process, so that files written by the peer can be deleted.
    """

    def __init__(self, python: Path, script: Path, folder: Path) -> None:
        self._log = (folder / f"{script.stem}.log").open("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            [str(python), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
            cwd=folder,
        )
        self._answers: Queue[str] = Queue()
        Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> Conversation:
        """Return the conversation."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the worker."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                with suppress(BrokenPipeError):  # requests that a finished worker has not read
                    stream.close()

    def ask(self, method: str, limit: float, **arguments: Any) -> dict[str, Any]:
        """Call a method of the worker and return its answer.

        Raises
        ------
        PeerError
            If the method fails, the process ends, or `limit` seconds pass.
        """
        assert self._process.stdin is not None
        try:
            request = {"do": method, "limit": limit, **arguments}
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=limit)
        except Empty:
            raise PeerError(f">{limit:g} s") from None
        except BrokenPipeError:
            line = ""
        if not line:
            self._answers.put(line)
            raise PeerError(f"the worker ended: {self._last_words()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read().split("\n")
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "no message")
