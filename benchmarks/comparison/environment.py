"""Virtual environment of the peers, outside the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["PeerEnvironment", "default_folder"]

INSTALL_SECONDS = 1800


def default_folder() -> Path:
    """Return the folder of the environment in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "infoset-benchmarks" / "peers"


@dataclass(frozen=True)
class PeerEnvironment:
    """A virtual environment, created when it is first needed.

    Attributes
    ----------
    folder : Path
    missing : dict[str, str]
        Reasons why requirements could not be installed.
    """

    folder: Path
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def python(self) -> Path:
        """Path of the Python interpreter."""
        inside = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        return self.folder.joinpath(*inside)

    def install(self, requirement: str) -> None:
        """Install a pinned distribution, compiled if there is no wheel, or record the failure.

        Parameters
        ----------
        requirement : str
            For example, `"open_spiel==2.0.2"`.
        """
        if not self.python.exists():
            venv.create(self.folder, with_pip=True)
        name, _, version = requirement.partition("==")
        if self.version(name) == version:
            return
        sys.stderr.write(f"installing {requirement} into {self.folder}\n")
        command = [str(self.python), "-m", "pip", "install", "--quiet", requirement]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            self.missing[requirement] = f"installing it takes more than {INSTALL_SECONDS} s"
            return
        if done.returncode:
            self.missing[requirement] = f"not installed: {failure(done.stderr)}"

    def version(self, name: str) -> str:
        """Return the version of a distribution, or an empty text if it is not installed."""
        code = (
            "import importlib.metadata as m, json, sys\n"
            "print(json.dumps([d.version for d in m.distributions(name=sys.argv[1])]))"
        )
        found = subprocess.check_output([str(self.python), "-c", code, name], text=True)
        return next(iter(json.loads(found)), "")


def failure(errors: str) -> str:
    """Return the line of pip's output that contains the error."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    telling = [line for line in lines if line.lower().startswith("error")]
    return (telling or lines or ["pip failed"])[-1][:200]
