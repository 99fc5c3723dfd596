# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share

A test is a function whose name is the sentence it proves; it gets a Room: a
folder of its own, the programs it starts, and a mark in the environment of all
of them, by which whatever they start is found again.  When the test is over,
nothing that it started may be left: no process, no shared memory, no session
directory of Open MPI, no file in the state root but logs.

Nothing here sleeps to let something happen: wait() looks again and again until
it has happened, or a deadline has passed.  The deadlines are far longer than
anything takes, for machines that are busy.
"""

import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import apart
import paced
from known import known
# other files use these as harness.read and so on
from processes import (  # pylint: disable=unused-import
    read, processes, environment, number_of, stat, is_alive, began, age, send,
    computed, command, children, namespace_pid, zombies, descriptors, memory,
    segments, is_mapped, in_sight, in_files, tree)

BIN = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".")
MPIEXEC = shutil.which("mpiexec")
PATIENCE = 60
LOOK_AGAIN = 0.02
ASK_AGAIN = 0.15  # seconds: each question is a program that is started
ASK_SELDOM = 0.4  # of a job whose journal is as it was
SETTLED = 50     # looks without a change
MARK = "BELLOWS_TEST"
# what may stay in a job's state directory
LOGS = re.compile(r"(run\.)?lock|job\.yaml|\w+\.log|previous/|(previous/)?"
                  r"(journal(\.damaged)?|(host|rank)file-\d+|epoch-\d+\.(stdout|stderr|mpiexec))")
# what a coordinator or a monitor that was killed cannot remove; the next does
KILLED = re.compile(r"address|agent|coordinator\.sock|mpi-\d+/.*|worker-\d+/.*")
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1"}
WHOLE = os.environ.get("BELLOWS_WHOLE") == "1"
SEED = int(os.environ.get("BELLOWS_SEED", "2023"))


def some(everything, few):
    """How much of what is repeated, or drawn by lot: all of it takes hours."""
    return everything if WHOLE else few


def dice(number=0):
    """All that is drawn by lot is drawn with one of these."""
    return random.Random(SEED + number)


class Skip(Exception):
    """The test cannot be made here."""


def wait(what, test, patience=PATIENCE, again=LOOK_AGAIN):
    """What test() returns once it is something."""
    deadline = time.monotonic() + patience
    while True:
        found = test()
        if found:
            return found
        assert time.monotonic() < deadline, f"it never came: {what}"
        time.sleep(again)


# ---- programs ----

class Program:
    """One that a test has started; its output goes to files."""

    def __init__(self, room, argv, env=None, cwd=None, **more):
        self.name = os.path.basename(argv[0])
        base = room.path(f"{len(room.programs)}-{self.name}")
        self.paths = base + ".out", base + ".err"
        with open(self.paths[0], "wb") as out, \
                open(self.paths[1], "wb") as errors:
            self.process = subprocess.Popen(
                room.prefix + argv, env=dict(room.env, **(env or {})),
                cwd=cwd or room.folder, stdin=subprocess.DEVNULL, stdout=out,
                stderr=errors, **more)
        self.pid = self.process.pid
        room.programs.append(self)

    @property
    def output(self):
        return read(self.paths[0]).decode(errors="replace")

    @property
    def errors(self):
        return read(self.paths[1]).decode(errors="replace")

    def is_over(self):
        return self.process.poll() is not None

    def tell(self, signo):
        self.process.send_signal(signo)

    def end(self, patience=PATIENCE):
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} does not end") from None

    def ends_with(self, code, patience=PATIENCE):
        got = self.end(patience)
        assert got == code, f"{self.name} ended with {got}, not {code}"
        return self

    def says(self, *sentences):
        for sentence in sentences:
            assert sentence in self.errors, f"it does not say '{sentence}'"
        return self


class Room:
    """Where one test is made."""

    def __init__(self, folder):
        self.folder = folder
        self.mark = f"{MARK}={os.path.basename(folder)}"
        self.tmp = self.path("tmp")
        self.state = self.path("state")
        os.mkdir(self.tmp)
        os.mkdir(self.state, 0o700)
        os.mkdir(self.path("ck"))
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith(("OMPI_", "PMIX_", "BELLOWS_"))}
        self.env.update(BELLOWS_STATE=self.state, TMPDIR=self.tmp,
                        ASAN_OPTIONS="detect_leaks=0",
                        **dict([self.mark.split("=")]))
        self.prefix = []  # words before those of every program
        self.programs = []
        self.segments = segments()
        self.stale = re.compile("$^")  # what the test leaves on purpose

    def path(self, *names):
        return os.path.join(self.folder, *names)

    # -- starting

    def start(self, program, *args, **more):
        path = program if "/" in program else os.path.join(BIN, program)
        return Program(self, [path, *map(str, args)], **more)

    def run(self, program, *args, patience=PATIENCE, **more):
        """Starts it and waits for its end."""
        at = self.start(program, *args, **more)
        at.end(patience)
        return at

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def job(self, work, name="heat", ranks=(2, 1, 6), environment=None, **keys):
        """A job file for parint.  environment: of its ranks, as a dict; keys:
        more of the file, as YAML."""
        environment = {**(environment or {})}
        if work.pace:
            environment = paced.environment(self.path("pace"), environment)
            self.pace(work.pace)
        if environment:
            keys["environment"] = json.dumps(environment)
        words = {"name": name, "app": "parint",
                 "command": flow(["parint", *work.words]),
                 "ranks": "{{initial: {}, min: {}, max: {}}}".format(*ranks),
                 "checkpoint": "{dir: ck, deadline: 30s}", **keys}
        return self.write(f"{name}.yaml", "".join(
            f"{key}: {value}\n" for key, value in words.items()))

    def pace(self, microseconds):
        """What an iteration costs one rank from now on; 0: the paced job runs
        to its end."""
        paced.write(self.path("pace"), microseconds)

    def finishes(self, program, work, patience=180):
        """Lets the job of this program run to its end; the program ends with 0,
        and the job with the digest of plain mpiexec."""
        self.runs_out(program, patience)
        assert digest(program.output) == work.digest()
        return program

    def runs_out(self, program, patience=180):
        """Likewise, whatever the job computes."""
        self.pace(0)
        program.ends_with(0, patience)

    # -- looking

    def wait(self, what, test, patience=PATIENCE, again=LOOK_AGAIN):
        return wait(what, test, patience, again)

    def moment(self, seconds, is_over=lambda: False):
        """Lets this time pass, or less when nothing is left to wait for."""
        until = time.monotonic() + seconds
        self.wait("a moment", lambda: is_over() or time.monotonic() > until)

    def settled(self, pids, executors, most=None):
        """How many descriptors each of them has, once nothing changes and none
        has more than `most` says.  A program closes a connection that has ended
        with its next event, which may be a while."""
        seen = []

        def look():
            seen.append([descriptors(pid) for pid in pids])
            return (len(self.ours("mpiexec")) == 1
                    and len(self.ours("bellows-executor")) == executors
                    and len(seen) > SETTLED
                    and seen[-SETTLED:] == [seen[-1]] * SETTLED
                    and all(now <= then
                            for then, now in zip(most or seen[-1], seen[-1])))

        self.wait(f"a settled job, most descriptors: {most or 'any'}", look,
                  PATIENCE / 3)
        return seen[-1]

    def status(self, name="heat"):
        """The job as `bellows status --json` has it, None if none answers."""
        at = subprocess.run([*self.prefix, os.path.join(BIN, "bellows"),
                             "status", name, "--json"], env=self.env,
                            timeout=PATIENCE, stdin=subprocess.DEVNULL,
                            capture_output=True, check=False)
        return json.loads(at.stdout) if at.returncode == 0 else None

    def journal_mark(self, name):
        """Differs once the job's coordinator has written; None: no journal."""
        try:
            at = os.stat(self.path("state", name, "journal"))
        except OSError:
            return None
        return at.st_ino, at.st_size, at.st_mtime_ns

    def wait_job(self, what, test, name="heat", patience=PATIENCE):
        """The job once test(job) holds; asked for when its journal changes, and
        else seldom."""
        asked = marked = None

        def look():
            nonlocal asked, marked
            mark = self.journal_mark(name)
            rest = ASK_SELDOM if mark and mark == marked else ASK_AGAIN
            if asked and time.monotonic() - asked < rest:
                return None
            job = self.status(name)
            asked, marked = time.monotonic(), mark
            return job if job and test(job) else None
        return self.wait(what, look, patience)

    def runs_on(self, ranks, name="heat", after=0):
        """Waits until the job computes on so many ranks, with steps, in a start
        after that one."""
        return self.wait_job(
            f"{name} on {ranks} ranks after start {after}", lambda job:
            job["epoch"] > after and runs(job, ranks), name)

    def computes_on(self, ranks, name="heat"):
        """The same, though it may wait for executors to grow back."""
        return self.wait_job(
            f"{name} on {ranks} ranks", lambda job:
            job["ranks"] == ranks and (job["state"] == "growing" or
            job["state"] == "running" and has_stepped(job)), name)

    def scale(self, ranks, name="heat"):
        return self.run("bellows", "scale", name, ranks, "--wait", "--json")

    def ours(self, word=None):
        """Living processes with our mark; word: the program's name."""
        mark = self.mark.encode()
        found = [pid for pid in processes()
                 if pid != os.getpid() and is_alive(pid)
                 and mark in environment(pid)]
        if word is None:
            return found
        return [pid for pid in found
                if os.path.basename((command(pid) or [""])[0]) == word]

    def the(self, word):
        """The one process that runs this program."""
        found = self.wait(word, lambda: self.ours(word))
        assert len(found) == 1, f"{len(found)} of {word}"
        return found[0]

    # -- the end

    def left(self):
        """What is left of this test, in words."""
        found = [f"process {pid}: {' '.join(command(pid))[:120]}"
                 for pid in self.ours()]
        found += [path for path in segments() - self.segments
                  if not is_mapped(path)]
        found += [self.path("tmp", name) for name in os.listdir(self.tmp)]
        for folder in glob.glob(self.path("state", "*")):
            found += [os.path.join(folder, name) for name in tree(folder)
                      if not LOGS.fullmatch(name)
                      and not self.stale.fullmatch(name)]
        return found

    def nothing_is_left(self, patience=10):
        """What comes and goes is not left: it may be another one's."""
        deadline = time.monotonic() + patience
        left = set(self.left())
        while left and time.monotonic() < deadline:
            time.sleep(LOOK_AGAIN)
            left &= set(self.left())
        assert not left, "left: " + ", ".join(sorted(left))

    def clear(self):
        """Ends all that the test has started, however it went."""
        deadline = time.monotonic() + PATIENCE
        while self.ours() and time.monotonic() < deadline:
            for pid in self.ours():
                send(pid, signal.SIGKILL)
            time.sleep(LOOK_AGAIN)
        for program in self.programs:
            program.process.wait()
        reap()

    def describe(self):
        """The last words of all programs, for a test that failed."""
        paths = [path for program in self.programs[-3:]
                 for path in program.paths]
        paths += sorted(glob.glob(self.path("state", "*", "*.log")))
        paths += sorted(glob.glob(self.path("state", "*", "epoch-*.mpiexec")))
        for path in paths:
            for line in read(path).decode(errors="replace").splitlines()[-25:]:
                print(f"#   {os.path.basename(path)}: {line[:200]}")


def flow(words):
    """A list of texts in YAML."""
    return "[" + ", ".join(json.dumps(str(word)) for word in words) + "]"


# a command that does not save when it is told to
STUBBORN = flow(["sh", "-c", """trap '' USR1
i=0
while [ $i -lt 100000 ]; do
  i=$((i + 1))
  echo "parint: iteration $i of 100000"
  sleep 0.05
done"""])


def runs(job, ranks):
    """The job computes on so many ranks, with steps, and is to stay there."""
    return (job["state"] == "running" and job["ranks"] == ranks
            and job["target"] == ranks and has_stepped(job))


def has_stepped(job):
    """The newest start has made a step."""
    return (job["step"] > 0 if not job["history"]
            else job["history"][-1]["stepped_ms"] is not None
            or job["history"][-1]["result"] not in ("", "done"))


def reap():
    """This process is the parent of those that lost theirs."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


# ---- parint ----

class Work:
    """What parint is to compute.

    pace: microseconds that an iteration takes on one rank; 0: as long as it
    computes."""

    def __init__(self, size, iterations, nloop, steps=False, pace=0):
        self.words = ["--array-size", size, "--iterations", iterations,
                      "--nloop", nloop] + ["--steps"] * steps
        self.iterations, self.pace = iterations, pace

    def digest(self):
        """Of plain mpiexec."""
        words = [word for word in self.words if word != "--steps"]
        return known(lambda: digest(plain(2, *words)), BIN, *words)


def plain(ranks, *words):
    """The output of parint under plain mpiexec."""
    return mpiexec(ranks, os.path.join(BIN, "parint"), *words, patience=300)


def mpiexec(ranks, *command, patience):
    """What a command prints under mpiexec alone."""
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        return subprocess.run(
            [MPIEXEC, "--oversubscribe", "-n", str(ranks),
             *map(str, command)],
            env=dict(os.environ, TMPDIR=folder, ASAN_OPTIONS="detect_leaks=0",
                     **AS_ROOT),
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=patience, check=True).stdout


def digest(output, again=False):
    found = re.findall(r"^parint: digest ([0-9a-f]{16})$", output, re.M)
    assert len(set(found) if again else found) == 1, f"digests: {found}"
    return found[0]


def lasting_work(steps=False, size=10007):
    """Two ranks take a minute for it, or until the test lets it run to its end
    (Room.finishes): it is not over before what the test waits for."""
    return Work(size, 2000, 1, steps, 3 * paced.ON_ONE_RANK)


def work_for(seconds, size=10007):
    """So long do two ranks take for it, at next to no processor time."""
    return Work(size, max(1, round(seconds * paced.ITERATIONS)), 1,
                pace=paced.ON_ONE_RANK)


# ---- TAP ----

def prove(number, test):
    name = f"{number} - {test.__name__}"
    # short: a unix socket's path has 107 bytes
    began, before = time.monotonic(), computed()
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        room = Room(folder)
        try:
            test(room)
            room.nothing_is_left()
        except Skip as reason:
            print(f"ok {name} # SKIP {reason}", flush=True)
            return 0
        except Exception as lie:  # pylint: disable=broad-except
            at = lie.__traceback__
            lines = []
            while at:
                lines.append(str(at.tb_lineno))
                at = at.tb_next
            why = f"# lines {' '.join(lines)}: {lie!r}"[:2000]
            print(why)
            room.describe()
            print(why)  # again: the end of the output is what is shown first
            print(f"not ok {name}", flush=True)
            return 1
        finally:
            room.clear()
    print(f"# {time.monotonic() - began:.1f} s, {computed() - before:.1f} s of "
          f"processor time\nok {name}", flush=True)
    return 0


def main(*tests, side_by_side=1, at_last=()):
    """Makes the tests, so many at once; a second argument takes those with this
    word only.  at_last: tests that judge what all the others have found."""
    apart.be_alone()
    # below nohup, or behind a shell's &, they are ignored in all that is tested
    for signo in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT:
        if signal.getsignal(signo) is signal.SIG_IGN:
            signal.signal(signo, signal.SIG_DFL)
    if not MPIEXEC:
        print("1..0 # SKIP mpiexec is missing")
        sys.exit(0)
    if len(sys.argv) > 2:
        tests = [test for test in tests if sys.argv[2] in test.__name__]
        at_last = ()
    numbered = list(enumerate([*tests, *at_last], 1))
    beside = len(tests) if side_by_side > 1 else 0
    print(f"1..{len(numbered)}", flush=True)
    failed = apart.prove_each(numbered[:beside], side_by_side, prove)
    sys.exit(failed + sum([prove(*at) for at in numbered[beside:]]) > 0)
