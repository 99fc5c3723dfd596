# SPDX-License-Identifier: Apache-2.0
"""terminal.py BIN FAKE_SCHEDULER: what is seen at a terminal

Shells that complete what is typed, the line that shows how far a job is, and
the screen that shows a queue.
Each is started on a pseudo-terminal of its own; keys are pressed once what is
waited for is on the screen.
"""

import contextlib
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True
import harness  # noqa: E402

SCHEDULER = os.path.abspath(sys.argv.pop(2))  # tests/cli/fake_scheduler.c
COLUMNS = 80
ROWS = 24
PROMPT = "ready> "
KILL = "\x15"  # the line
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
CLEAR = "\r\x1b[K"
OTHER_SCREEN, FIRST_SCREEN = "\x1b[?1049h", "\x1b[?1049l"
NO_CURSOR, CURSOR = "\x1b[?25l", "\x1b[?25h"
HOME = "\x1b[H\x1b[J"
BAR = re.compile(r"\r(\w+ 2 ranks \[[#-]+\] +(\d+\.\d) %[^\r\n]*)\x1b\[K")


class Terminal:
    """A program, and all that it has written to its terminal."""

    def __init__(self, room, *argv, **env):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.written = b""
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, cwd=room.folder,
            env=dict(room.env, TERM="xterm", LC_ALL="C", **env),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)
        self.process.kill()
        self.process.wait()

    def text(self):
        return self.written.decode(errors="replace")

    def screen(self):
        return ESCAPES.sub("", self.text())

    def read(self, seconds):
        """Takes what comes in this time at most; False at the end of it all."""
        if not select.select([self.master], [], [], max(seconds, 0))[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # no program has the terminal open any more
            data = b""
        self.written += data
        return bool(data)

    def until(self, what, test):
        deadline = time.monotonic() + harness.PATIENCE
        while not test():
            left = deadline - time.monotonic()
            assert left > 0 and self.read(left), \
                f"{what} never came: {self.text()[-1000:]!r}"

    def until_end(self):
        deadline = time.monotonic() + harness.PATIENCE
        while self.read(deadline - time.monotonic()):
            assert time.monotonic() < deadline, "it does not end"
        return self.process.wait(harness.PATIENCE)

    def press(self, keys):
        self.written = b""
        os.write(self.master, keys.encode())

    def shows(self, text):
        """Waits until this was shown since the last keys."""
        self.until(repr(text), lambda: text in self.screen())


def shell(room, name, script, *options):
    """An interactive one that has read no file but this script."""
    path = shutil.which(name)
    if not path:
        raise harness.Skip(f"{name} is missing")
    room.write("setup", script)
    room.write(".zshrc", "")  # or it asks whether one is wanted
    at = Terminal(room, path, *options, "-i", HOME=room.folder,
                  ZDOTDIR=room.folder, HISTFILE="", PS1=PROMPT,
                  PATH=harness.BIN + ":" + room.env["PATH"])
    at.shows(PROMPT)
    # the word is not in what is typed, whose echo comes first
    at.press(". ./setup; echo set''tled\r")
    at.shows("settled")
    at.until("a prompt", lambda: at.screen().endswith(PROMPT))
    return at


def completes(at, *pairs):
    """What is typed becomes the other, each by the first TAB."""
    for typed, becomes in pairs:
        at.press(typed)
        at.shows(typed)
        at.press("\t")
        at.shows(becomes.removeprefix(typed))
        at.press(KILL)
    at.press("exit\r")
    at.until_end()


PAIRS = ("bellows sta", "bellows status"), \
    ("bellows run --no-p", "bellows run --no-progress")


def bash_completes_at_the_first_tab(room):
    with shell(room, "bash", "source <(bellows completion bash)",
               "--norc", "--noprofile") as at:
        completes(at, *PAIRS)


def zsh_completes_at_the_first_tab_after_it_was_sourced(room):
    with shell(room, "zsh", "autoload -U compinit; compinit -u -D\n"
               "source <(bellows completion zsh)", "-d") as at:
        completes(at, *PAIRS)


def zsh_completes_at_the_first_tab_after_it_was_installed(room):
    os.mkdir(room.path("functions"))
    room.write("functions/_bellows",
               room.run("bellows", "completion", "zsh").output)
    with shell(room, "zsh", "fpath=(./functions $fpath)\n"
               "autoload -U compinit; compinit -u -D", "-d") as at:
        completes(at, *PAIRS)


def how_far_a_job_is_stands_on_one_line_which_is_cleared(room):
    job = room.job(harness.work_for(3))
    with Terminal(room, os.path.join(harness.BIN, "bellows"), "run", job) as at:
        code = at.until_end()
    assert code == 0, f"it ended with {code}: {at.text()[-1000:]}"
    drawn = list(BAR.finditer(at.text()))
    shares = [float(each[2]) for each in drawn]
    assert shares[-1:] > shares[:1] and shares == sorted(shares), shares
    assert all(len(each[1]) < COLUMNS for each in drawn), "a line that wraps"
    ends = [each.end() for each in drawn]
    gaps = [at.text()[a:b] for a, b in
            zip(ends, [each.start() for each in drawn[1:]] + [None])]
    # it is drawn over, or whole lines take its place
    assert all(gap == "" or (gap.startswith(CLEAR) and gap.endswith("\n"))
               for gap in gaps), gaps
    assert "done" in gaps[-1] and "%" not in gaps[-1], gaps[-1]


def how_far_a_simulation_is_stands_on_one_line_which_is_cleared(room):
    jobs = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../sim/workloads/elastic_random.json")
    line = re.compile(r"\rsimulating \[[#-]+\] +\d+\.\d %  [^\r\n]* left\x1b\[K")
    with Terminal(room, os.path.join(harness.BIN, "bellows"), "simulate", jobs,
                  "--sweep", "T=0:9999:1", "--csv") as at:
        at.until("a line", lambda: line.search(at.text()))
        at.until("a row", lambda: "," in line.split(at.text())[-1])
    gap = line.split(at.text())[-1]
    assert gap.startswith(CLEAR), gap


@contextlib.contextmanager
def queue_of(room):
    """A scheduler plays a queue; what follows the words of a command."""
    folder = room.path("queue")
    os.mkdir(folder, 0o700)
    scheduler = room.start(SCHEDULER, folder, f"unix:{folder}/s.sock")
    room.wait("an address", lambda: os.path.exists(f"{folder}/address"))
    yield "--state", folder
    scheduler.tell(signal.SIGTERM)
    scheduler.ends_with(0)


class Screen(Terminal):
    """A command of bellows that draws on the other screen."""

    def __init__(self, room, *words):
        super().__init__(room, os.path.join(harness.BIN, "bellows"), *words)
        self.modes = termios.tcgetattr(self.master)
        self.shows("heat")

    def keys(self, keys):
        os.write(self.master, keys.encode())

    def count(self, sequence):
        return self.text().count(sequence)

    def ends_clean(self, code):
        """On the first screen, with a cursor, and keys are echoed as before."""
        ended = self.until_end()
        assert ended == code, f"it ended with {ended}: {self.text()[-500:]!r}"
        for on, off in (OTHER_SCREEN, FIRST_SCREEN), (NO_CURSOR, CURSOR):
            assert self.text().rindex(on) < self.text().rindex(off), on
        assert termios.tcgetattr(self.master) == self.modes
        assert "\x1b[2J" not in self.text(), "a name moved the cursor"


def top_shows_the_queue_until_q_is_pressed(room):
    with queue_of(room) as queue, Screen(room, "top", *queue) as at:
        assert not termios.tcgetattr(at.master)[3] & termios.ECHO
        at.keys("x")
        room.run("bellows", "hold", "heat", *queue).ends_with(0)
        at.shows("held")
        at.keys("q")
        at.ends_clean(0)


def ctrl_c_leaves_the_terminal_as_it_was(room):
    with queue_of(room) as queue:
        for words in ("top",), ("queue", "--watch"):
            with Screen(room, *words, *queue) as at:
                at.keys("\x03")
                at.ends_clean(130)


def ctrl_z_gives_the_terminal_back_for_as_long(room):
    with queue_of(room) as queue, Screen(room, "top", *queue) as at:
        at.keys("\x1a")
        at.until("the first screen", lambda: at.count(FIRST_SCREEN) == 1)
        room.wait("the stop", lambda: harness.stat(at.process.pid)[0] == "T")
        assert termios.tcgetattr(at.master) == at.modes
        at.process.send_signal(signal.SIGCONT)
        at.until("the other screen", lambda: at.count(OTHER_SCREEN) == 2)
        at.keys("q")
        at.ends_clean(0)


def a_long_queue_is_cut_to_the_rows_of_the_terminal(room):
    job = room.job(harness.work_for(1), "cold")
    with queue_of(room) as queue:
        room.run("bellows", "submit", *[job] * 25, *queue).ends_with(0)
        with Screen(room, "queue", "--watch", *queue) as at:
            at.shows("more lines")
            drawn = [each for each in at.text().split(HOME)
                     if "more lines" in each][0]
            assert drawn.count("\n") == ROWS - 1, drawn
            at.keys("\x03")
            at.ends_clean(130)


harness.main(bash_completes_at_the_first_tab,
             zsh_completes_at_the_first_tab_after_it_was_sourced,
             zsh_completes_at_the_first_tab_after_it_was_installed,
             how_far_a_job_is_stands_on_one_line_which_is_cleared,
             how_far_a_simulation_is_stands_on_one_line_which_is_cleared,
             top_shows_the_queue_until_q_is_pressed,
             ctrl_c_leaves_the_terminal_as_it_was,
             ctrl_z_gives_the_terminal_back_for_as_long,
             a_long_queue_is_cut_to_the_rows_of_the_terminal)
