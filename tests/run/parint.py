#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parint under a real mpiexec.  usage: parint.py PARINT MPIEXEC PACE

PACE: pace.so, by which ranks nap before each iteration until run.end()."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import paced

PARINT, MPIEXEC, paced.SHIM = map(os.path.abspath, sys.argv[1:4])
PATIENCE = 120
LONG = {"array-size": 20011, "iterations": 3000, "nloop": 1}
ON_ONE_RANK = 20000  # microseconds
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   UBSAN_OPTIONS="halt_on_error=1")


class Skip(Exception):
    pass


def arguments(job, *more):
    return [f"--{key}={value}" for key, value in job.items()] + list(more)


class Run:
    """One mpiexec, which never outlives its patience or its test."""

    all = []

    def __init__(self, ranks, *args, pace=ON_ONE_RANK):
        Run.all.append(self)
        self.folder = tempfile.TemporaryDirectory()
        self.pace = os.path.join(self.folder.name, "pace")
        paced.write(self.pace, pace)
        # for the ranks alone; mpiexec must not nap
        env = paced.environment(self.pace)
        self.process = subprocess.Popen(
            [MPIEXEC, "--oversubscribe", "-n", str(ranks), "env",
             *(f"{key}={value}" for key, value in env.items()), PARINT, *args],
            env=ENVIRONMENT, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.output = ""
        self.errors = ""
        self.watchdog = threading.Timer(PATIENCE, self.process.kill)
        self.watchdog.start()
        self.drain = threading.Thread(target=self.read_errors)
        self.drain.start()

    def read_errors(self):
        self.errors = self.process.stderr.read()

    def wait_for(self, pattern):
        for line in self.process.stdout:
            self.output += line
            if re.search(pattern, line):
                return
        raise AssertionError(f"no line with '{pattern}'")

    def ranks(self):
        path = "/proc/{0}/task/{0}/children".format(self.process.pid)
        with open(path, encoding="ascii") as children:
            return [int(pid) for pid in children.read().split()]

    def tell(self, ranks=None):
        for pid in ranks or self.ranks():
            os.kill(pid, signal.SIGUSR1)

    def end(self):
        paced.write(self.pace, 0)
        self.output += self.process.stdout.read()
        code = self.process.wait()
        self.drain.join()
        self.watchdog.cancel()
        return code

    @staticmethod
    def end_all():
        for run in Run.all:
            if run.process.returncode is None:
                run.process.terminate()
                run.end()
            run.process.stdout.close()
            run.process.stderr.close()
            run.folder.cleanup()
        Run.all.clear()

    def digest(self):
        return re.search(r"^parint: digest ([0-9a-f]{16})$", self.output,
                         re.M).group(1)

    def sentences(self):
        return [line for line in self.errors.splitlines()
                if line.startswith("parint: ")]


def finish(ranks, *args):
    run = Run(ranks, *args, pace=0)
    assert run.end() == 0, run.errors
    return run


def save(ranks, path, told=slice(None), job=None):
    run = Run(ranks, *arguments(job or LONG, f"--checkpoint={path}"))
    run.wait_for("^parint: iteration")
    run.tell(run.ranks()[told])
    assert run.end() == 0, run.errors
    assert "digest" not in run.output, "it was over before it was told"
    return run


def step_saved(run):
    last, step, size = re.search(
        r"^parint: iteration (\d+) of \d+\n"
        r"parint: checkpoint at iteration (\d+), (\d+) bytes, "
        r"wrote in \d+\.\d{3} s\n\Z", run.output, re.M).groups()
    assert last == step and int(size) == 4096 + 8 * LONG["array-size"]
    return int(step)


def refused(path, code, sentence, job=None, more=()):
    run = Run(2, *arguments(job or LONG, f"--checkpoint={path}", *more))
    assert run.end() == code
    assert run.sentences() == [f"parint: {sentence}"], run.errors


def the_digest_is_the_same_on_any_number_of_ranks(folder):
    for size in (1, 4, 1003):
        job = arguments({"array-size": size, "iterations": 20, "nloop": 7})
        first = finish(1, *job).digest()
        for ranks in range(2, 7):
            assert finish(ranks, *job).digest() == first, (size, ranks)


def the_digest_knows_every_argument(folder):
    jobs = [{"array-size": 1003, "iterations": 20, "nloop": 7},
            {"array-size": 1004, "iterations": 20, "nloop": 7},
            {"array-size": 1003, "iterations": 21, "nloop": 7},
            {"array-size": 1003, "iterations": 20, "nloop": 8}]
    assert len({finish(1, *arguments(job)).digest() for job in jobs}) == 4


def a_job_saved_and_resumed_on_other_sizes_has_the_same_digest(folder):
    path, step = os.path.join(folder, "ckpt"), 0
    for ranks in (2, 3, 1, 4):
        run = save(ranks, path)
        if step:
            assert (f"parint: resumed at iteration {step} of 3000\n"
                    f"parint: iteration {step + 1} of 3000\n") in run.output
            assert re.search(r"^parint: read \d+ bytes in \d+\.\d{3} s$",
                             run.output, re.M)
        assert step_saved(run) > step
        step = step_saved(run)
        assert os.listdir(folder) == ["ckpt"]
    run = finish(5, *arguments(LONG, f"--checkpoint={path}"))
    assert run.digest() == finish(1, *arguments(LONG)).digest()
    assert "parint: iteration 3000 of 3000\n" in run.output


def one_rank_that_is_told_takes_all_with_it(folder):
    step_saved(save(3, os.path.join(folder, "ckpt"), told=slice(2, 3)))


def change(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def a_damaged_checkpoint_is_refused(folder):
    path = os.path.join(folder, "ckpt")
    save(2, path)
    good = os.path.join(folder, "good")
    size = os.path.getsize(path)
    os.rename(path, good)
    whole = [
        (lambda: os.truncate(path, size - 8),
         f"is damaged: it has {size - 8} bytes, not {size}"),
        (lambda: os.truncate(path, 40),
         "is damaged: its header is cut short"),
        (lambda: os.truncate(path, 0), "is damaged: its header is cut short"),
        (lambda: change(path, 0, b"X"), "is not a checkpoint of parint"),
        (lambda: change(path, 8, b"\7"), "is of version 7, not 1"),
        (lambda: change(path, 32, b"\7"), "is damaged: its seal is wrong"),
    ]
    for damage, sentence in whole:
        shutil.copy(good, path)
        damage()
        refused(path, 65, f"checkpoint {path} {sentence}")
    shutil.copy(good, path)
    change(path, size - 5, b"\0\1\2")
    run = Run(3, *arguments(LONG, f"--checkpoint={path}"))
    assert run.end() == 65
    assert re.fullmatch(rf"parint: checkpoint {path} is damaged: its digest "
                        r"is [0-9a-f]{16}, not [0-9a-f]{16}",
                        run.sentences()[0])
    os.unlink(path)
    os.mkdir(path)
    refused(path, 65, f"checkpoint {path} is not a file")


def a_checkpoint_of_another_run_is_refused(folder):
    path = os.path.join(folder, "ckpt")
    step = step_saved(save(2, path))
    refused(path, 65, f"checkpoint {path} is of array size 20011, not 20012",
            dict(LONG, **{"array-size": 20012}))
    refused(path, 65, f"checkpoint {path} is of nloop 1, not 2",
            dict(LONG, nloop=2))
    if step > 1:
        refused(path, 65, f"checkpoint {path} is at iteration {step}, "
                f"beyond the {step - 1} asked for",
                dict(LONG, iterations=step - 1))


def limit(run, size):
    for pid in run.ranks():
        resource.prlimit(pid, resource.RLIMIT_FSIZE,
                         (size, resource.RLIM_INFINITY))


def a_file_that_cannot_grow_is_no_end(folder):
    path = os.path.join(folder, "ckpt")
    save(2, path)
    with open(path, "rb") as file:
        before = file.read()
    run = Run(3, *arguments(LONG, f"--checkpoint={path}"))
    run.wait_for("^parint: iteration")
    limit(run, 100000)
    run.tell()
    run.wait_for("cannot write")
    assert run.output.endswith(f"parint: cannot write checkpoint {path}: File"
                               " too large; computing on\n")
    with open(path, "rb") as file:
        assert file.read() == before
    assert os.listdir(folder) == ["ckpt"]
    assert run.end() == 0, run.errors
    assert run.digest() == finish(1, *arguments(LONG)).digest()


def a_save_that_failed_is_tried_again_when_told_again(folder):
    path = os.path.join(folder, "ckpt")
    run = Run(2, *arguments(LONG, f"--checkpoint={path}"))
    run.wait_for("^parint: iteration")
    limit(run, 100000)
    run.tell()
    run.wait_for("cannot write")
    limit(run, resource.RLIM_INFINITY)
    run.wait_for("^parint: iteration")
    run.tell()
    assert run.end() == 0
    assert "checkpoint at iteration" in run.output
    assert os.listdir(folder) == ["ckpt"]


def a_full_disk_is_no_end(folder):
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs",
                            folder], stderr=subprocess.DEVNULL, check=False)
    if mount.returncode:
        raise Skip("needs the right to mount")
    try:
        path = os.path.join(folder, "ckpt")
        run = Run(3, *arguments(LONG, f"--checkpoint={path}"))
        run.wait_for("^parint: iteration")
        run.tell()
        run.wait_for("cannot write")
        assert run.output.endswith(f"parint: cannot write checkpoint {path}: "
                                   "No space left on device; computing on\n")
        assert os.listdir(folder) == []
        assert run.end() == 0
        assert run.digest() == finish(1, *arguments(LONG)).digest()
    finally:
        subprocess.run(["umount", folder], check=True)


def a_torn_temporary_is_no_obstacle(folder):
    path = os.path.join(folder, "ckpt")
    with open(path + ".tmp", "wb") as file:
        file.write(b"torn" * 100000)
    step_saved(save(2, path))
    assert os.listdir(folder) == ["ckpt"]


def a_job_without_checkpoint_computes_on(folder):
    run = Run(2, *arguments(LONG))
    run.wait_for("^parint: iteration")
    run.tell()
    assert run.end() == 0
    assert ("parint: cannot write checkpoint: there is no --checkpoint; "
            "computing on\n") in run.output
    assert run.digest() == finish(1, *arguments(LONG)).digest()


def a_wrong_command_line_is_one_sentence(folder):
    refused("x", 64, "--array-size: '12x' is not a number from 1 to "
            "72057594037927936", {"array-size": "12x"})
    refused("x", 64, "--nloop is missing; see --help",
            {"array-size": 4, "iterations": 2})
    refused("x", 64, "--frob: no such option; see --help", LONG, ["--frob"])
    refused("x", 64, "--nloop: its value is missing", LONG, ["--nloop"])
    refused("x", 64, "'more' is not an option; see --help", LONG, ["more"])
    refused(os.path.join(folder, "no", "ckpt"), 73,
            f"the folder '{folder}/no' for the checkpoint does not exist")


def steps_are_printed_with_the_time_of_day(folder):
    before = time.time()
    run = finish(2, *arguments({"array-size": 4, "iterations": 5, "nloop": 1},
                               "--steps"))
    stamps = re.findall(r"^parint: iteration (\d) of 5 at (\d+\.\d{6})$",
                        run.output, re.M)
    assert [step for step, _ in stamps] == list("12345")
    times = [float(stamp) for _, stamp in stamps]
    assert before < times[0] and times == sorted(times) < [time.time()]
    assert re.match(r"parint: MPI_Init took \d+\.\d{3} s\n", run.output)


TESTS = [
    the_digest_is_the_same_on_any_number_of_ranks,
    the_digest_knows_every_argument,
    a_job_saved_and_resumed_on_other_sizes_has_the_same_digest,
    one_rank_that_is_told_takes_all_with_it,
    a_damaged_checkpoint_is_refused,
    a_checkpoint_of_another_run_is_refused,
    a_file_that_cannot_grow_is_no_end,
    a_save_that_failed_is_tried_again_when_told_again,
    a_full_disk_is_no_end,
    a_torn_temporary_is_no_obstacle,
    a_job_without_checkpoint_computes_on,
    a_wrong_command_line_is_one_sentence,
    steps_are_printed_with_the_time_of_day,
]


def prove(number, test):
    name = f"{number} - {test.__name__}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(folder)
        except Skip as reason:
            print(f"ok {name} # SKIP {reason}", flush=True)
        except Exception as lie:  # pylint: disable=broad-except
            at = lie.__traceback__
            while at.tb_next:
                at = at.tb_next
            print(f"# line {at.tb_lineno}: {lie!r}"[:1000])
            print(f"not ok {name}", flush=True)
            return 1
        else:
            print(f"ok {name}", flush=True)
        finally:
            Run.end_all()
    return 0


print(f"1..{len(TESTS)}")
sys.exit(sum([prove(i, test) for i, test in enumerate(TESTS, 1)]) > 0)
