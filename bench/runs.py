# SPDX-License-Identifier: Apache-2.0
"""parint under Bellows and by hand, seen through what it prints.

Every wait is bounded.  Whatever a run started ends with it: this process is the
reaper of all that it started, directly or not, and kills what is left.
"""

import ctypes
import json
import os
import re
import selectors
import signal
import subprocess
import time

PATIENCE = 60
HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C")

PR_SET_CHILD_SUBREAPER = 36

# A host name for each rank that nothing looks up, as Bellows has them.
HOST = "127.1.0.{}"

STEP = re.compile(rb"parint: iteration (\d+) of \d+ at (\d+\.\d+)")
INIT = re.compile(rb"parint: MPI_Init took (\S+) s")
READ = re.compile(rb"parint: read \d+ bytes in (\S+) s")
WROTE = re.compile(rb"parint: checkpoint at iteration \d+, .* wrote in (\S+) s")


class Failed(Exception):
    pass


def adopt_orphans():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processes():
    """Parent and command of every process that is not a zombie."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                text = file.read()
        except OSError:
            continue
        state, parent = text[text.rindex(")") + 2:].split()[:2]
        if state not in "ZX":
            command = text[text.index("(") + 1:text.rindex(")")]
            found[int(name)] = (int(parent), command)
    return found


def descendants(of):
    all_of_them = processes()
    mine, more = {of}, True
    while more:
        more = {pid for pid, (parent, _) in all_of_them.items()
                if parent in mine and pid not in mine}
        mine |= more
    mine.discard(of)
    return {pid: all_of_them[pid][1] for pid in mine}


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except ChildProcessError:
        pass


def kill_all():
    for pid in descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def clear():
    """Waits a moment for what is leaving, then kills what is left."""
    begin = time.monotonic()
    while True:
        reap()
        left = descendants(os.getpid())
        if not left:
            return
        spent = time.monotonic() - begin
        if spent > PATIENCE:
            raise Failed(f"processes that do not end: {left}")
        if spent > 5:
            kill_all()
        time.sleep(0.02)


def wait_for_end(pid, patience=PATIENCE):
    """Of any process, noticed at once; returns the time of day."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return time.time()
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(fd, selectors.EVENT_READ)
            if not selector.select(patience):
                raise Failed(f"process {pid} does not end")
        return time.time()
    finally:
        os.close(fd)


class Start:
    """One start of the application, in its own words."""

    def __init__(self, init):
        self.init = init    # MPI_Init took
        self.read = None    # the checkpoint was read in
        self.wrote = None   # the next one was written in
        self.steps = []     # times of day at which a step was done

    def step_time(self):
        """Of one step, once it goes evenly."""
        steps = self.steps[len(self.steps) // 2:]
        return (steps[-1] - steps[0]) / (len(steps) - 1) \
            if len(steps) > 1 else 0.0


class Run:
    """A process whose output is parint's."""

    def __init__(self, argv, errors, environment):
        self.starts = []
        self.rest = b""
        with open(errors, "ab") as file:
            self.process = subprocess.Popen(
                argv, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=file, start_new_session=True)
        self.fd = self.process.stdout.fileno()
        os.set_blocking(self.fd, False)
        self.ended = False

    def take(self, line):
        found = STEP.match(line)
        if found and self.starts:
            self.starts[-1].steps.append(float(found.group(2)))
            return
        found = INIT.match(line)
        if found:
            self.starts.append(Start(float(found.group(1))))
            return
        found = READ.match(line)
        if found and self.starts:
            self.starts[-1].read = float(found.group(1))
        found = WROTE.match(line)
        if found and self.starts:
            self.starts[-1].wrote = float(found.group(1))

    def look(self, patience):
        with selectors.DefaultSelector() as selector:
            selector.register(self.fd, selectors.EVENT_READ)
            if not selector.select(max(patience, 0)):
                return
        data = os.read(self.fd, 1 << 16)
        if not data:
            self.ended = True
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.take(line)

    def until(self, what, condition, patience=PATIENCE):
        end = time.monotonic() + patience
        while not condition():
            if self.ended:
                raise Failed(f"it ended before {what}")
            if time.monotonic() > end:
                raise Failed(f"no {what} in {patience} s")
            self.look(end - time.monotonic())

    def settle(self, start, span, steps=3):
        """Until this start has computed evenly for span seconds."""
        def settled():
            if len(self.starts) <= start:
                return False
            seen = self.starts[start].steps
            return len(seen) >= steps and seen[-1] - seen[0] >= span
        self.until(f"{steps} steps of start {start + 1}", settled)

    def drain(self, patience=PATIENCE):
        end = time.monotonic() + patience
        while not self.ended:
            if time.monotonic() > end:
                raise Failed("its output does not end")
            self.look(end - time.monotonic())

    def mpiexec_line(self):
        """Of the mpiexec that runs now."""
        for pid, command in descendants(self.process.pid).items():
            if command == "mpiexec":
                return command_line(pid)
        return []

    def downtime(self, start):
        """From the last step of this start to the first of the next."""
        return self.starts[start + 1].steps[0] - self.starts[start].steps[-1]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        clear()


class Bellows(Run):
    def __init__(self, bindir, folder, command, ranks, largest,
                 network="auto", keep="two", more=None):
        self.bellows = os.path.join(bindir, "bellows")
        self.state = os.path.join(folder, "state")
        job = os.path.join(folder, "job.yaml")
        with open(job, "w") as file:
            json.dump({  # which YAML is a superset of
                "name": "bench",
                "app": "parint",
                "command": ["parint", *command],
                "dir": folder,
                "ranks": {"initial": ranks, "min": 1, "max": largest},
                "checkpoint": {"dir": ".", "keep": keep},
                "mpi": {"network": network},
                **(more or {}),
            }, file)
        self.errors = os.path.join(folder, "errors")
        super().__init__(
            [self.bellows, "run", job, "--quiet", "--state", self.state],
            self.errors, dict(ENVIRONMENT, TMPDIR=folder))

    def call(self, *words):
        done = subprocess.run(
            [self.bellows, words[0], "bench", *words[1:], "--state",
             self.state], env=ENVIRONMENT, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=PATIENCE)
        if done.returncode != 0:
            raise Failed(f"bellows {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def rescale(self, ranks):
        self.call("scale", str(ranks))

    def history(self):
        return json.loads(self.call("status", "--json"))["history"]

    def end(self):
        self.call("cancel")
        self.drain()
        self.process.wait(PATIENCE)


class ByHand(Run):
    """The script of a user, over SIZES one after the other."""

    def __init__(self, bindir, folder, command, sizes, words=(), hosts=False):
        environment = dict(ENVIRONMENT, TMPDIR=folder)
        if hosts:
            environment["HOSTS"] = folder
            for n in sizes:
                with open(os.path.join(folder, str(n)), "w") as file:
                    for i in range(n):
                        file.write(HOST.format(i + 1) + " slots=1\n")
        self.parint = [os.path.join(bindir, "parint"), *command,
                       "--checkpoint", os.path.join(folder, "parint.ckpt")]
        super().__init__(
            [os.path.join(HERE, "by-hand.sh"), " ".join(map(str, sizes)),
             *words, *self.parint],
            os.path.join(folder, "errors"), environment)

    def find(self, name):
        """Descendants of this process: daemons need not be the script's."""
        return [pid for pid, command in descendants(os.getpid()).items()
                if command == name]

    def ranks(self):
        return [pid for pid in self.find("parint")
                if command_line(pid)[:1] == self.parint[:1]]

    def tell_ranks(self):
        ranks = self.ranks()
        now = time.time()
        for pid in ranks:
            os.kill(pid, signal.SIGUSR1)
        return now

    def rescale(self):
        """To the next size; when it was ordered and mpiexec had ended."""
        mpiexec, = [pid for pid, command in
                    descendants(self.process.pid).items()
                    if command == "mpiexec"]
        ordered = self.tell_ranks()
        return ordered, wait_for_end(mpiexec)

    def end(self):
        """The last of the sizes: its ranks save, and all leaves by itself."""
        self.tell_ranks()
        self.drain()
        self.process.wait(PATIENCE)
