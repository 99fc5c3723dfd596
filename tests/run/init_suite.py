# SPDX-License-Identifier: Apache-2.0
"""What a process 1 of a container has to do, as tests of any init

An init is described by what it promises (Init); a behaviour is a function that
is given a room and an init, begins that init as process 1 of a namespace with
kin.c as its only child, and looks from outside.
"""

import os
import re
import shutil
import signal
import subprocess

import harness

UNSHARE = [shutil.which("unshare") or "unshare", "--pid", "--fork",
           "--mount-proc", "--kill-child"]
MANY = 100

HUP, INT, QUIT, TERM = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT,
                        signal.SIGTERM)
USR1, USR2, CONT = signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT
TSTP, TTIN, TTOU = signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU
PASSED_ON = (HUP, INT, QUIT, TERM, USR1, USR2, CONT, signal.SIGWINCH,
             signal.SIGALRM, signal.SIGRTMIN + 3)
DEADLY = (HUP, INT, TERM, USR1, signal.SIGKILL, signal.SIGSEGV,
          signal.SIGABRT, signal.SIGPIPE, signal.SIGALRM)


def unshare():
    for more in ([], ["--user", "--map-root-user"]):
        words = UNSHARE + more
        if subprocess.run(words + ["true"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            return words
    raise harness.Skip("needs the right to make a process namespace")


class Init:
    """words: its command line, before that of its child.

    group: signals reach the whole group; inherits: the child gets the
    dispositions and the mask that the init was given, not the defaults; blocks:
    what it finds blocked besides; tty: what becomes of SIGTSTP, SIGTTIN and
    SIGTTOU: all are "passed on", or "kept" from the child, or "first" alone is
    not, or it "stops".  codes: which are tried."""

    def __init__(self, name, words, group=False, inherits=True, blocks=(),
                 tty="passed on", codes=range(256), patience=harness.PATIENCE):
        self.name, self.words = name, words
        self.group, self.inherits, self.blocks = group, inherits, blocks
        self.tty = tty
        self.codes, self.patience = codes, patience

    def begin(self, room, kin, *words, given=()):
        return Life(room, self, [*given, *self.words, kin, *map(str, words)])


class Life:
    """One run of it."""

    def __init__(self, room, init, words):
        self.room, self.patience = room, init.patience
        self.at = room.start(*unshare(), *words)

    def wait(self, what, test):
        return self.room.wait(what, test, self.patience)

    def reads(self, path, line="ready"):
        """Waits until that line is in the file."""
        self.wait(f"'{line}'", lambda: line in
                  harness.read(path, "r").splitlines())
        return self

    @property
    def pid(self):
        """Of process 1, as it is out here."""
        return self.wait("process 1", lambda: harness.children(self.at.pid))[0]

    def kin(self):
        """Of its first child; orphans come later."""
        return min(self.wait("a child", lambda: [
            pid for pid in harness.children(self.pid)
            if os.path.basename((harness.command(pid) or [""])[0]) == "kin"]),
            key=harness.namespace_pid)

    def tell(self, signo):
        os.kill(self.pid, signo)

    def ends_with(self, code):
        self.at.ends_with(code, self.patience)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        self.at.end()


def heard(path):
    return [int(line) for line in harness.read(path, "r").splitlines()
            if line.isdigit()]


# ---- behaviours ----

def exit_codes_are_passed_on(room, init, kin):
    """Some at a time."""
    for first in range(0, len(init.codes), 16):
        lives = [(code, init.begin(room, kin, "exit", code))
                 for code in init.codes[first:first + 16]]
        for code, life in lives:
            life.ends_with(code)


def death_by_a_signal_is_128_and_its_number(room, init, kin):
    for signo in DEADLY:
        init.begin(room, kin, "die", int(signo)).ends_with(128 + signo)


def signals_are_passed_on(room, init, kin):
    path = room.path("heard")
    life = init.begin(room, kin, "hear", path).reads(path)
    for number, signo in enumerate(PASSED_ON, 1):
        life.tell(signo)
        life.wait(f"signal {signo}",
                  lambda number=number: len(heard(path)) >= number)
    assert heard(path) == [int(signo) for signo in PASSED_ON]
    life.end()


def the_group_hears_them_if_that_is_promised(room, init, kin):
    """The child ignores them; its own child does not."""
    path = room.path("heard")
    life = init.begin(room, kin, "family", path).reads(path)
    for signo in (USR1, TERM):
        life.tell(signo)
    if init.group:
        life.wait("both", lambda: sorted(heard(path)) == sorted(
            (int(USR1), int(TERM))))
    else:
        # what is passed on to the child alone never comes: what is sent to the
        # other directly comes after it would have
        pid, other = life.pid, harness.children(life.kin())[0]
        life.wait("the signals to be taken", lambda: not any(
            is_pending(pid, signo) for signo in (USR1, TERM)))
        os.kill(other, USR2)
        life.reads(path, str(int(USR2)))
        assert heard(path) == [int(USR2)]
    life.end()


def a_child_that_ignores_sigterm_is_waited_for(room, init, kin):
    path = room.path("said")
    life = init.begin(room, kin, "stubborn", path).reads(path)
    life.tell(TERM)
    child, pid = life.kin(), life.pid
    life.wait("the signal to be taken", lambda: not is_pending(pid, TERM))
    assert harness.is_alive(child) and not life.at.is_over()
    os.kill(child, signal.SIGKILL)
    life.ends_with(137)


def orphans_are_reaped_and_are_not_taken_for_the_child(room, init, kin):
    """A hundred that end at once, each with a code of its own."""
    path = room.path("said")
    life = init.begin(room, kin, "orphans", path, MANY, 42).reads(path)
    child, pid = life.kin(), life.pid
    life.wait("the orphans", lambda:
              len(harness.children(pid)) == MANY + 1)
    os.kill(child, USR1)
    life.wait("their burial", lambda: harness.children(pid) == [child])
    os.kill(child, USR2)
    life.ends_with(42)


def orphans_that_come_and_go_are_reaped(room, init, kin):
    """One after the other, while the child lives."""
    path = room.path("said")
    life = init.begin(room, kin, "stubborn", path).reads(path)
    child, pid = life.kin(), life.pid
    scatter(room, pid, kin, MANY)
    life.wait("their burial", lambda: harness.children(pid) == [child])
    life.end()


def the_child_starts_as_the_init_was_started(room, init, kin):
    """Or with the defaults, if that is promised."""
    path = room.path("said")
    given = [kin, "given", f"{int(USR1)}", f"{int(USR2)},{int(HUP)}"]
    life = init.begin(room, kin, "signals", path, given=given)
    life.ends_with(0)
    said = harness.read(path, "r").splitlines()
    assert said[-1] == "ready"
    expected = [f"blocked {int(HUP)}", f"ignored {int(USR1)}",
                f"blocked {int(USR2)}"] if init.inherits else []
    expected += [f"blocked {int(signo)}" for signo in init.blocks]
    assert sorted(said[:-1]) == sorted(expected), said


def what_a_terminal_sends_is_treated_as_promised(room, init, kin):
    path = room.path("heard")
    life = init.begin(room, kin, "hear", path).reads(path)
    child = life.kin()
    for signo in (TSTP, TTIN, TTOU):
        life.tell(signo)
        if init.tty == "stops":
            life.wait("a stop", lambda: harness.stat(child)[0] == "T")
            life.tell(CONT)
            life.wait("going on", lambda: harness.stat(child)[0] != "T")
    life.tell(USR1)
    life.reads(path, str(int(USR1)))
    got = [signo for signo in heard(path) if signo in (TSTP, TTIN, TTOU)]
    expected = {"passed on": [TSTP, TTIN, TTOU], "first": [TSTP], "kept": [],
                "stops": []}
    assert got == [int(signo) for signo in expected[init.tty]], got
    assert not life.at.is_over()
    life.end()


BEHAVIOURS = [
    exit_codes_are_passed_on,
    death_by_a_signal_is_128_and_its_number,
    signals_are_passed_on,
    the_group_hears_them_if_that_is_promised,
    a_child_that_ignores_sigterm_is_waited_for,
    orphans_are_reaped_and_are_not_taken_for_the_child,
    orphans_that_come_and_go_are_reaped,
    the_child_starts_as_the_init_was_started,
    what_a_terminal_sends_is_treated_as_promised,
]


# ---- from outside ----

def is_pending(pid, signo):
    """Sent to it, and not taken yet."""
    words = re.findall(r"^(?:ShdPnd|SigPnd):\s+([0-9a-f]+)$",
                       harness.read(f"/proc/{pid}/status", "r"), re.M)
    return any(int(word, 16) >> (signo - 1) & 1 for word in words)


def scatter(room, pid, kin, n):
    """Orphans in the namespace of a process, that are its to bury."""
    path = room.path(f"scattered-{pid}")
    words = ["nsenter", "--target", str(pid), "--pid"]
    if os.getuid() != 0:
        words += ["--user", "--preserve-credentials"]
    at = room.start(shutil.which(words[0]) or words[0], *words[1:], kin,
                    "scatter", path, n)
    at.ends_with(0)
    assert "ready" in harness.read(path, "r")
