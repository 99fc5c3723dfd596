#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks that need a cluster, without one: what they take, and what they
make of what they read.  args: BIN"""

import importlib.machinery
import importlib.util
import io
import json
import os
import sys
import tarfile

import harness

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")
sys.path.insert(1, BENCH)
sys.dont_write_bytecode = True
import apicalls  # noqa: E402  pylint: disable=wrong-import-position
import kubeapps  # noqa: E402  pylint: disable=wrong-import-position
import kubejobs  # noqa: E402  pylint: disable=wrong-import-position
import pace  # noqa: E402  pylint: disable=wrong-import-position
import runs  # noqa: E402  pylint: disable=wrong-import-position
import sshimage  # noqa: E402  pylint: disable=wrong-import-position
import image  # noqa: E402  pylint: disable=wrong-import-position

NAMES = ("kube-grow", "kube-overhead", "kube-scale")
DAY = "2026-01-31T10:00:"
STEP = "parint: iteration {} of 99 at {:.6f}\n"


def script(name):
    """One of them, as a module."""
    path = os.path.join(BENCH, name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), path)
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def second(n):
    return kubejobs.instant(f"{DAY}00") + n


def said(n, text):
    return f"{DAY}{n:06.3f}Z coordinator info: {text}\n"


def grow_log(steps_until):
    """Of a grow: asked at 10, there at 12, ordered at 13, done at 14.5."""
    events = [
        (1, said(1, "executor=heat-worker-0 joined slots=1 cores=2")),
        (2, "parint: MPI_Init took 0.1 s\n"),
        (10, said(10, "job=heat running -> growing size=2 target=4 epoch=1: "
                      "asked")),
        (11, said(11, "executor=heat-bellows-0 joined slots=1 cores=2")),
        (12, said(12, "executor=heat-bellows-1 joined slots=1 cores=2")),
        (12.5, said(12.5, "executor=heat-bellows-1 ready")),
        (13, said(13, "job=heat preparing -> saving size=2 target=4 epoch=1: "
                      "prepared")),
        (13.9, said(13.9, "job=heat saving -> stopping size=2 target=4 "
                          "epoch=1: saved")),
        (14, said(14, "epoch=2 up ranks=4 network=tcp")),
        (14.1, "parint: MPI_Init took 0.1 s\n"),
        (14.5, STEP.format(60, second(14.5)))]
    for i in range(1, 50):
        when = 2 + i / 4
        if when <= steps_until:
            events.append((when, STEP.format(i, second(when))))
    return kubejobs.Log("".join(text for _, text in sorted(events)))


PODS = [{"made": second(10.1), "placed": second(10.2), "running": second(11)},
        {"made": second(10.1), "placed": second(10.3), "running": second(12)}]


def each_says_what_it_measures(room):
    for name in NAMES:
        at = room.run(os.path.join(BENCH, name), "--help").ends_with(0)
        assert "-n N" in at.output and "--bin BIN" in at.output, at.output


def programs_that_are_not_there_are_told(room):
    for name in NAMES:
        at = room.run(os.path.join(BENCH, name), "--bin", room.path("none"))
        at.ends_with(1).says(f"{name}: no bellows in ", "--bin")


def a_user_who_is_not_root_gets_a_sentence(room):
    user = [] if os.getuid() != 0 else \
        ["/usr/bin/setpriv", "--reuid", "65534", "--clear-groups"]
    for name in NAMES:
        words = [*user, os.path.join(BENCH, name), "--bin", harness.BIN]
        at = room.run(words[0], *words[1:]).ends_with(1)
        at.says(f"{name}: no cluster here: it takes root")


def more_pods_than_a_kubelet_runs_are_refused(_room):
    scale = script("kube-scale")
    args = scale.argparse.Namespace
    assert [(kind.__name__, n) for kind, n in scale.make_plan(
        args(pods=None, marked=[7]))] == [("Alone", 7)]
    assert len(scale.make_plan(args(pods=None, marked=None))) == 5
    try:
        scale.size("5000")
    except scale.argparse.ArgumentTypeError as reason:
        assert "from 1 to 4096" in str(reason)
    else:
        raise AssertionError("5000 are taken")


def a_grow_is_read_from_the_log(_room):
    sample = script("kube-grow").Sample(second(9.5), grow_log(13.5), PODS)
    for name, when in (("accepted", 0.5), ("placed", 0.8), ("running", 2.5),
                       ("registered", 2.5), ("ready", 3), ("ordered", 3.5),
                       ("last", 4), ("saved", 4.4), ("up", 4.5),
                       ("first", 5)):
        assert abs(sample.at[name] - when) < 1e-3, (name, sample.at[name])
    assert sample.is_beside and sample.steps == 8
    assert abs(sample.step - 0.25) < 1e-3


def ranks_that_stood_still_while_pods_started_are_seen(_room):
    sample = script("kube-grow").Sample(second(9.5), grow_log(10.2), PODS)
    assert not sample.is_beside and sample.steps == 0


def what_bellows_costs_is_the_median_of_pairs(_room):
    overhead = script("kube-overhead")
    series = overhead.Series("bellows")
    series.pairs = [[overhead.Sample(ours, 1), overhead.Sample(theirs, 2)]
                    for ours, theirs in ((10.2, 10), (20.1, 20), (30, 30))]
    told = overhead.verdict(series, "time")
    assert told.startswith(
        "met: time, bellows beside plain: +0.50 % in the median, +0.00 % to "
        "+2.00 % (target"), told
    assert "-50.00 %" in overhead.verdict(series, "cpu"), series.pairs
    del series.pairs[1:]
    assert overhead.verdict(series, "time").startswith("NOT MET: ")


def jobs_are_compared_while_all_of_them_compute(_room):
    first = [(0, 0), (10, 100), (20, 200)]      # alone until 4, then to the end
    other = [(4, 0), (14, 50), (26, 170)]       # faster once it is alone
    begin, end = pace.window([first, other])
    assert (begin, end) == (4, 20)
    assert abs(pace.of_a_step(first, begin, end) - 0.1) < 1e-9
    assert abs(pace.of_a_step(other, begin, end) - 16 / 110) < 1e-9
    for wrong, word in (([first, []], "no step"),
                        ([first, [(20, 0), (30, 9)]], "one after the other")):
        try:
            pace.window(wrong)
        except runs.Failed as reason:
            assert word in str(reason), reason
        else:
            raise AssertionError(f"{wrong} can be compared")
    try:
        pace.of_a_step([(0, 7), (20, 7)], 4, 20)
    except runs.Failed as reason:
        assert "no step" in str(reason), reason
    else:
        raise AssertionError("a job that stands still has a pace")


def what_was_used_is_counted_while_all_compute(_room):
    overhead = script("kube-overhead")
    looks = [overhead.Look(when, overhead.collections.Counter(p=cpu), [cpu, 5])
             for when, cpu in ((0, 0), (1, 1), (3, 2), (9, 9))]
    programs, sides = overhead.parts(looks, 0.5, 4)
    assert programs == {"p": 0.5} and sides == [0.5, 0]
    try:
        overhead.parts(looks, 0.5, 2)
    except runs.Failed as reason:
        assert "--length" in str(reason)
    else:
        raise AssertionError("one look is enough")


def the_pace_of_gromacs_is_read_from_its_log(room):
    entry = "           Step           Time\n{:>15}{:>15.5f}\n" + "x" * 999 + "\n"
    assert kubeapps.Gromacs.look(room.path("")) is None
    path = room.write("md.log", "head\n")
    assert kubeapps.Gromacs.look(room.path("")) is None
    room.write("md.log", "".join(entry.format(i, i / 500)
                                 for i in range(0, 100, 5)))
    os.utime(path, (0, 1234.5))
    assert kubeapps.Gromacs.look(room.path("")) == (1234.5, 95)
    assert kubeapps.Gromacs.read("", [1, 2, 3, 4]) == ([2, 3], None)


def a_share_or_a_size_that_cannot_be_is_refused(_room):
    overhead = script("kube-overhead")
    assert overhead.share("0.25") == 0.25 and overhead.ranks("3") == 3
    for check, word in ((overhead.share, "2"), (overhead.share, "much"),
                        (overhead.ranks, "0"), (overhead.ranks, "-1")):
        try:
            check(word)
        except overhead.argparse.ArgumentTypeError as reason:
            assert str(reason).startswith(f"{word}: "), reason
        else:
            raise AssertionError(f"{word} is taken")


def calls_are_counted_by_their_kind(_room):
    line = (apicalls.METRIC + '{{flow_schema="{}",priority_level="x"}} {}\n')
    text = line.format("bellows-bench-create-pods", "1.5e+03") + \
        line.format("service-accounts", 9) + \
        line.format("bellows-bench-other", 2)
    now = apicalls.parse(text)
    assert now == {"create-pods": 1500, "other": 2}, now
    assert apicalls.since({"create-pods": 1000, "other": 2}, now) == {
        "create-pods": 500}
    names = [apicalls.name(verb, resource)
             for verb, _, resource in apicalls.KINDS]
    assert len(set(names)) == len(names)


def an_image_gets_one_more_layer(room):
    old = image.write(room.path("old.tar"), "localhost/old:1",
                      {"/a": room.write("a", "1")}, ["/a"])
    new = sshimage.upon(old, room.path("new.tar"), "localhost/new:1",
                        {"/b": room.write("b", "2")})
    with tarfile.open(new) as tar:
        manifest, = json.load(tar.extractfile("manifest.json"))
        config = json.load(tar.extractfile(manifest["Config"]))
        names = []
        for layer in manifest["Layers"]:
            data = io.BytesIO(tar.extractfile(layer).read())
            names += tarfile.open(fileobj=data).getnames()
    assert manifest["RepoTags"] == ["localhost/new:1"]
    assert names == ["a", "b"] and len(config["rootfs"]["diff_ids"]) == 2


harness.main(each_says_what_it_measures,
             programs_that_are_not_there_are_told,
             a_user_who_is_not_root_gets_a_sentence,
             more_pods_than_a_kubelet_runs_are_refused,
             a_grow_is_read_from_the_log,
             ranks_that_stood_still_while_pods_started_are_seen,
             what_bellows_costs_is_the_median_of_pairs,
             jobs_are_compared_while_all_of_them_compute,
             what_was_used_is_counted_while_all_compute,
             the_pace_of_gromacs_is_read_from_its_log,
             a_share_or_a_size_that_cannot_be_is_refused,
             calls_are_counted_by_their_kind,
             an_image_gets_one_more_layer)
