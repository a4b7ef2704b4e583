"""A Dask cluster of this machine: a scheduler, and two workers on two loopback hosts."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

HOSTS = ("127.0.0.2", "127.0.0.3")
ROOT = Path(__file__).parents[2]


class Cluster:
    """The address of the scheduler, and the processes that start the workers again."""

    def __init__(self, address, nannies):
        self.address, self.nannies = address, nannies

    def kill_a_worker(self, rng):
        """Kill a worker as `kill -9` does; its nanny starts another one."""
        workers = [
            child
            for nanny in self.nannies
            for child in psutil.Process(nanny.pid).children()
            if "resource_tracker" not in " ".join(child.cmdline())
        ]
        if not workers:
            return False
        rng.choice(workers).send_signal(signal.SIGKILL)
        return True

    @contextmanager
    def kills(self, number, seed, pause):
        """Kill workers at random moments while a block runs; yield the list of these moments."""
        rng, ends, moments = random.Random(seed), threading.Event(), []

        def kill():
            while len(moments) < number and not ends.wait(rng.uniform(*pause)):
                if self.kill_a_worker(rng):
                    moments.append(time.monotonic())

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            yield moments
        finally:
            ends.set()
            thread.join()


@contextmanager
def dask_cluster(folder):
    """Start a cluster, whose processes find the tests and the library, and end it."""
    file = Path(folder, "scheduler.json")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}

    def start(kind, *options):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
        with Path(folder, f"{kind}.log").open("a") as log:
            return subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, cwd=folder, process_group=0
            )

    place = ("--scheduler-file", str(file), "--host", "127.0.0.1", "--port", "0")
    processes = [start("scheduler", *place, "--no-dashboard")]
    try:
        address = _address(file)
        options = ("--nthreads", "1", "--no-dashboard", "--local-directory", str(folder))
        processes += [start("worker", address, *options, "--host", host) for host in HOSTS]
        yield Cluster(address, processes[1:])
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _address(file):
    """Wait for the file of the scheduler, and return its address."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        with suppress(OSError, ValueError):
            return json.loads(file.read_text())["address"]
        time.sleep(0.05)
    raise AssertionError("the scheduler did not start")
