"""JupyterLab on this machine, and the notebooks that it opens."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SETTINGS = [
    "--no-browser",
    "--allow-root",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--ServerApp.port_retries=0",
]


@dataclass(frozen=True)
class JupyterLab:
    """A server of notebooks.

    Attributes
    ----------
    url : str
        Address without a path, such as `http://127.0.0.1:8888`.
    token : str
    folder : Path
        Where its notebooks are.
    """

    url: str
    token: str
    folder: Path

    def write(self, name: str, cells: Sequence[str]) -> str:
        """Write a notebook; return the address that opens it."""
        content = {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": None,
                    "id": f"cell{number}",
                    "metadata": {},
                    "outputs": [],
                    "source": text,
                }
                for number, text in enumerate(cells)
            ],
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (self.folder / name).write_text(json.dumps(content))
        return f"{self.url}/lab/tree/{name}?token={self.token}&reset"

    def ask(self, method: str, path: str) -> object:
        """Send a request to the server's interface."""
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"{self.url}/api/{path}", method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")


@contextmanager
def run_jupyterlab(folder: Path) -> Iterator[JupyterLab]:
    """Run JupyterLab with settings, files and history of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    lab = JupyterLab(f"http://127.0.0.1:{port}", secrets.token_hex(8), notebooks)
    command = [
        *(sys.executable, "-m", "jupyterlab", *SETTINGS),
        *(f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1"),
        *(f"--ServerApp.root_dir={notebooks}", f"--IdentityProvider.token={lab.token}"),
    ]
    with (folder / "jupyterlab.log").open("w") as log:
        server = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            env={**os.environ, **{place: str(folder / place.lower()) for place in places}},
        )
    try:
        _wait(lab, server)
        yield lab
    finally:
        server.terminate()
        server.wait(20)


def _wait(lab: JupyterLab, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    for _ in range(300):
        assert server.poll() is None, "JupyterLab has ended; its log is in the test's folder"
        try:
            lab.ask("GET", "status")
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("JupyterLab does not answer")
