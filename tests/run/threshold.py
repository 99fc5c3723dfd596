#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job under scale.policy: threshold follows what a Prometheus server knows.
args: BIN

The server is Debian's.  It scrapes this test every second, which says what it
likes, or the job's own coordinator.
"""

import glob
import http.server
import json
import re
import shutil
import signal
import socket
import threading

import harness
from crew import Crew

PROMETHEUS = shutil.which("prometheus")


def free_port():
    with socket.socket() as at:
        at.bind(("127.0.0.1", 0))
        return at.getsockname()[1]


class Gauge:
    """A page of metrics with one gauge."""

    def __init__(self, value):
        gauge = self
        self.value = value

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = f"queue_depth {gauge.value}\n".encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Prometheus:
    """A server of one target; it ends with the test, if not before."""

    def __init__(self, room, target):
        if not PROMETHEUS:
            raise harness.Skip("there is no prometheus")
        self.room, self.port = room, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.file = room.write("prometheus.yaml", json.dumps({
            "global": {"scrape_interval": "1s"},
            "scrape_configs": [{"job_name": "x", "static_configs": [
                {"targets": [f"127.0.0.1:{target}"]}]}]}))
        self.program = None

    def begin(self):
        self.program = self.room.start(
            PROMETHEUS, f"--config.file={self.file}",
            f"--storage.tsdb.path={self.room.path('tsdb')}",
            f"--web.listen-address=127.0.0.1:{self.port}")
        return self

    def end(self):
        self.program.tell(signal.SIGKILL)
        self.program.end()

    def scale(self, query, above, below):
        """The section of a job file."""
        return json.dumps({
            "policy": "threshold", "prometheus": self.url, "query": query,
            "above": above, "below": below, "for": "2s", "every": "1s"})


def log_of(room):
    path, = glob.glob(room.path("state", "*", "monitor.log"))
    return harness.read(path).decode()


def logs(room, pattern):
    return room.wait(pattern, lambda: re.search(pattern, log_of(room)))


def rescaled(job, reason):
    """The last change of the job has this reason, and took 2 s of it or more."""
    last = job["history"][-1]
    found = re.fullmatch(reason + r" for ([0-9.]+) s", last["reason"])
    assert found and last["result"] == "done", last
    assert float(found[1]) >= 2, last


def follows(room, server, work):
    """A job that follows queue_depth, which is 5: it stays on one rank."""
    at = room.start("bellows", "run", room.job(
        work, ranks=(1, 1, 2), scale=server.scale("queue_depth", 10, 2)))
    room.runs_on(1)
    logs(room, r"the query has a value( again)?: 5\n")
    assert not room.status()["history"]
    return at


def a_job_grows_and_shrinks_as_the_figure_does(room):
    work = harness.lasting_work(steps=True)
    with Gauge(5) as gauge:
        server = Prometheus(room, gauge.port).begin()
        at = follows(room, server, work)
        gauge.value = 12.5
        rescaled(room.runs_on(2),
                 "threshold: 1 -> 2: the query is 12.5, above 10")
        logs(room, r"size=2 stays: the query is 12\.5, above 10 for [0-9.]+ s, "
             "and 2 ranks are the most")

        gauge.value = 1
        rescaled(room.runs_on(1, after=2),
                 "threshold: 2 -> 1: the query is 1, below 2")
        server.end()
        room.finishes(at, work)


def without_the_server_the_size_stays_and_it_is_told(room):
    work = harness.lasting_work(steps=True)
    with Gauge(5) as gauge:
        server = Prometheus(room, gauge.port).begin()
        at = follows(room, server, work)
        before = log_of(room).count("the query has no value")
        server.end()
        room.wait("that it is told once more", lambda:
                  log_of(room).count("the query has no value") == before + 1)
        logs(room, "the query has no value, so the size stays: 127.0.0.1 port "
             f"{server.port}: cannot connect: Connection refused")
        assert not room.status()["history"] and room.status()["want"] == 1

        gauge.value = 20
        server.begin()
        logs(room, r"the query has a value again: ")
        room.runs_on(2)
        assert log_of(room).count("the query has no value") == before + 1
        server.end()
        room.finishes(at, work)


def a_job_may_follow_its_own_metrics(room):
    work = harness.lasting_work(steps=True)
    metrics = free_port()
    server = Prometheus(room, metrics).begin()
    path = room.job(work, ranks=(1, 1, 2), scale=server.scale(
        "bellows_eta_seconds{job=\"x\"}", 5, 1))
    crew = Crew(room, path, 0, listen=["--metrics", f"127.0.0.1:{metrics}"])
    monitor = room.start("bellows-monitor", "--job", path, "--coordinator",
                         crew.address)
    job = room.runs_on(2)
    reason = job["history"][-1]["reason"]
    assert re.fullmatch(r"threshold: 1 -> 2: the query is [0-9.]+, above 5 for "
                        r"[0-9.]+ s", reason), reason
    server.end()
    crew.done(work)
    monitor.ends_with(0)


harness.main(
    a_job_grows_and_shrinks_as_the_figure_does,
    without_the_server_the_size_stays_and_it_is_told,
    a_job_may_follow_its_own_metrics,
)
