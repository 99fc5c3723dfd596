# SPDX-License-Identifier: Apache-2.0
"""The Kubernetes client against an API server that misbehaves on purpose

`kubetool` is the client; what the server says is in each test.
"""

import inspect
import json
import os
import pathlib
import queue
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from fake_kube import (Api, answer, chunks, drop, event, make_keys, pod, pods,
                       silent, status)

TOOL = os.path.abspath(sys.argv[1])
ROOM = pathlib.Path(tempfile.mkdtemp(prefix="bellows-kube-"))
KEYS = ROOM / "keys"
GOOD = pod("a", 7)
PATIENCE = 30
ENV = {name: value for name, value in os.environ.items()
       if name.lower() not in ("https_proxy", "http_proxy", "kubeconfig")}


def config(api, user=None, **cluster):
    """A kubeconfig; the server's certificate is believed by default."""
    cluster = {"certificate-authority": str(KEYS / "ca.crt"), **cluster}
    cluster.setdefault("server", f"https://127.0.0.1:{api.port}")
    path = ROOM / "config"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user or {"token": "secret"}}],
        "contexts": [{"name": "x", "context": {
            "cluster": "c", "user": "u", "namespace": "heat"}}]}))
    return path


def start(path, *words, deadline=10000, **more):
    return subprocess.Popen(
        [TOOL, "--kubeconfig", str(path), "--deadline", str(deadline), *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENV,
        **more)


def ask(api, *words, user=None, deadline=10000, **cluster):
    """r, code, text and object of the last answer."""
    tool = start(config(api, user, **cluster), *words, deadline=deadline)
    out, _ = tool.communicate(timeout=PATIENCE)
    lines = out.splitlines()
    assert lines, (words, tool.returncode)
    thing = json.loads(lines.pop()) if lines[-1].startswith("{") else None
    r, code, text = lines[-1].split(" ", 2)
    return int(r), int(code), text, thing


class Watch:
    def __init__(self, api, *words, **more):
        self.tool = start(config(api, **more), "watch", *words)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.tool.stdout:
            self.lines.put(line.rstrip("\n"))

    def hears(self, *expected):
        for line in expected:
            is_ = self.lines.get(timeout=PATIENCE)
            assert is_.startswith(line), (is_, line)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.tool.stdin.close()
        code = self.tool.wait(PATIENCE)
        assert kind or code == 0, code
        assert kind or self.lines.empty(), self.lines.get()


# ---- calls ----

def test_a_request_says_where_it_goes_and_who_asks():
    with Api(KEYS, answer(200, GOOD)) as api:
        assert ask(api, "get", "pods", "a") == (0, 200, "", GOOD)
        (got,) = api.requests
        assert got["method"] == "GET"
        assert got["path"] == "/api/v1/namespaces/heat/pods/a"
        assert got["headers"]["Authorization"] == "Bearer secret"
        assert got["headers"]["Accept"] == "application/json"


def test_retry_after_is_obeyed():
    with Api(KEYS, status(429, Retry_After=2), answer(200, GOOD)) as api:
        assert ask(api, "get", "pods", "a")[0] == 0
        first, second = api.requests
        assert second["at"] - first["at"] >= 2


def test_a_longer_wait_than_the_deadline_is_not_waited_for():
    with Api(KEYS, status(429, message="busy", Retry_After=60)) as api:
        assert ask(api, "get", "pods", "a") == (
            -5, 429, "get pods a in namespace heat: the API has too much to "
            "do: busy", None)
        assert len(api.requests) == 1


def test_a_server_in_trouble_is_asked_again():
    with Api(KEYS, status(503), drop, status(500), answer(200, GOOD)) as api:
        assert ask(api, "get", "pods", "a")[0] == 0
        assert len(api.requests) == 4


def test_nobody_there_is_told_at_the_deadline():
    with Api(KEYS) as api:
        pass
    begun = time.monotonic()
    r, code, text, _ = ask(api, "get", "pods", "a", deadline=3000)
    assert (r, code) == (-111, 0)
    assert text.startswith("get pods a in namespace heat: no answer: 127.0.0.1")
    assert "; tried " in text and text.endswith(" times within 3 s"), text
    assert time.monotonic() - begun < 10


def test_a_server_that_never_answers_is_given_up_at_the_deadline():
    with Api(KEYS, silent) as api:
        r, code, text, _ = ask(api, "get", "pods", "a", deadline=1000)
        assert (r, code) == (-110, 0), text


def test_an_answer_that_is_no_object_is_refused():
    with Api(KEYS, answer(200, b"<html>")) as api:
        r, _, text, _ = ask(api, "get", "pods", "a")
        assert r == -5
        assert text.endswith("the answer is no object of Kubernetes; is that "
                             "its API?")


def test_a_create_that_was_not_answered_finds_what_it_made():
    taken = status(409, "AlreadyExists", 'pods "a" already exists')
    for first in (drop, status(504, "Timeout")):
        with Api(KEYS, first, taken, answer(200, GOOD)) as api:
            assert ask(api, "create", "pods", json.dumps(GOOD)) == (
                0, 200, "", GOOD)
            assert [got["method"] for got in api.requests] == [
                "POST", "POST", "GET"]
            assert api.requests[0]["path"].endswith("/heat/pods")
            assert api.requests[2]["path"].endswith("/heat/pods/a")


def test_a_name_that_was_taken_before_is_told():
    taken = status(409, "AlreadyExists", 'pods "a" already exists')
    with Api(KEYS, taken) as api:
        assert ask(api, "create", "pods", json.dumps(GOOD)) == (
            -17, 409, "create pods a in namespace heat: one of this name is "
            "there", None)
    with Api(KEYS, status(429), taken) as api:
        assert ask(api, "create", "pods", json.dumps(GOOD))[0] == -17


def test_a_quota_that_changes_meanwhile_is_no_end_of_a_create():
    with Api(KEYS, status(409, "Conflict", "on resourcequotas"),
             answer(201, GOOD)) as api:
        assert ask(api, "create", "pods", json.dumps(GOOD))[0] == 0


def test_refusals_are_told_at_once():
    for code, reason, message, r in (
            (403, "Forbidden", "exceeded quota: q", -122),
            (403, "Forbidden", 'User "me" cannot create', -13),
            (422, "Invalid", "spec", -22),
            (404, "NotFound", "", -2)):
        with Api(KEYS, status(code, reason, message)) as api:
            assert ask(api, "create", "pods", json.dumps(GOOD))[:2] == (r, code)
            assert len(api.requests) == 1


def test_a_patch_is_a_merge_and_a_conflict_is_told():
    with Api(KEYS, status(409, "Conflict", "modified")) as api:
        assert ask(api, "patch", "vcjobs", "heat", '{"spec":{}}')[0] == -11
        (got,) = api.requests
        assert got["method"] == "PATCH" and got["body"] == '{"spec":{}}'
        assert got["headers"]["Content-Type"] == "application/merge-patch+json"
        assert got["path"] == ("/apis/batch.volcano.sh/v1alpha1/namespaces/"
                               "heat/jobs/heat")


def test_a_delete_has_its_preconditions():
    with Api(KEYS, answer(200, GOOD), answer(200, GOOD)) as api:
        assert ask(api, "delete", "pods", "a", "uid-1", "5")[0] == 0
        assert ask(api, "delete", "pods", "a")[0] == 0
        one, other = (json.loads(got["body"]) for got in api.requests)
        assert one["preconditions"] == {"uid": "uid-1"}
        assert one["gracePeriodSeconds"] == 5
        assert "preconditions" not in other
        assert "gracePeriodSeconds" not in other


def test_an_event_is_made_once_and_regards_its_object():
    with Api(KEYS, answer(200, {**GOOD, "kind": "Pod", "apiVersion": "v1"}),
             drop, answer(201, {})) as api:
        assert ask(api, "tell", "pods", "a", "Grown", "ä" * 1000)[0] == 0
        _, one, again = api.requests
        assert one["path"] == "/apis/events.k8s.io/v1/namespaces/heat/events"
        assert one["body"] == again["body"]
        made = json.loads(one["body"])
        assert made["regarding"] == {"apiVersion": "v1", "kind": "Pod",
                                     "name": "a", "namespace": "heat"}
        assert made["note"] == "ä" * 512 and made["reason"] == "Grown"
        assert made["reportingController"] == "bellows.io/monitor"
        assert made["metadata"]["name"].startswith("a.")


def test_many_calls_may_be_under_way():
    with Api(KEYS, *[answer(200, GOOD)] * 50) as api:
        tool = start(config(api), "--times", "50", "get", "pods", "a")
        out, _ = tool.communicate(timeout=PATIENCE)
        assert out.count("0 200") == 50


# ---- who asks ----

def test_a_token_that_was_replaced_is_read_again():
    token = ROOM / "token"
    token.write_text("old\n")

    def refuse(handler):
        token.write_text("new\n")
        status(401, "Unauthorized")(handler)
    with Api(KEYS, refuse, answer(200, GOOD)) as api:
        assert ask(api, "get", "pods", "a",
                   user={"tokenFile": str(token)})[0] == 0
        assert [got["headers"]["Authorization"] for got in api.requests] == [
            "Bearer old", "Bearer new"]


def test_a_token_that_is_refused_is_told():
    with Api(KEYS, *[status(401, "Unauthorized")] * 3) as api:
        token = ROOM / "token"
        token.write_text("old\n")
        r, code, text, _ = ask(api, "get", "pods", "a",
                               user={"tokenFile": str(token)})
        assert (r, code, len(api.requests)) == (-13, 401, 2)
        assert "secret" not in text and "old" not in text
        assert ask(api, "get", "pods", "a")[:2] == (-13, 401)
        assert len(api.requests) == 3


def test_a_client_certificate_is_shown():
    with Api(KEYS, answer(200, GOOD)) as api:
        assert ask(api, "get", "pods", "a",
                   user={"client-certificate": str(KEYS / "client.crt"),
                         "client-key": str(KEYS / "client.key")})[0] == 0
        assert api.requests[0]["cert"]["commonName"] == "me"
        assert "Authorization" not in api.requests[0]["headers"]


def test_only_the_right_server_is_believed():
    other = {"certificate-authority": str(KEYS / "other.crt")}
    with Api(KEYS, answer(200, GOOD)) as api:
        r, _, text, _ = ask(api, "get", "pods", "a", deadline=1500, **other)
        assert r == -111 and "certificate" in text, text
        assert not api.requests
        assert ask(api, "get", "pods", "a", **{
            "certificate-authority": None,
            "insecure-skip-tls-verify": True})[0] == 0


def test_the_name_of_the_certificate_may_be_another():
    with Api(KEYS, answer(200, GOOD)) as api:
        api.context.load_cert_chain(KEYS / "named.crt", KEYS / "named.key")
        r, _, text, _ = ask(api, "get", "pods", "a", deadline=1500)
        assert r == -111 and not api.requests, text
        assert ask(api, "get", "pods", "a",
                   **{"tls-server-name": "kube.test"})[0] == 0


def plugin(text, **more):
    path = ROOM / "plugin"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1",
                     "command": str(path), "interactiveMode": "Never", **more}}


CREDENTIAL = ('{"apiVersion":"client.authentication.k8s.io/v1","kind":'
              '"ExecCredential","status":{"token":"%s"}}')


def test_a_plugin_is_asked_once_and_again_when_refused():
    count = ROOM / "count"
    count.write_text("")
    user = plugin(f"echo >>{count}\n"
                  f"printf '{CREDENTIAL % 'n%d'}' $(wc -l <{count})\n"
                  f'test "$A $1 $(echo $KUBERNETES_EXEC_INFO | grep -c '
                  'ExecCredential)" = "b c 1"\n',
                  args=["c"], env=[{"name": "A", "value": "b"}])
    with Api(KEYS, *[answer(200, GOOD)] * 5, status(401),
             answer(200, GOOD)) as api:
        out, _ = start(config(api, user), "--times", "5", "get", "pods",
                       "a").communicate(timeout=PATIENCE)
        assert out.count("0 200") == 5
        assert count.read_text() == "\n"
        count.write_text("")
        assert ask(api, "get", "pods", "a", user=user)[0] == 0
        assert [got["headers"]["Authorization"] for got in
                api.requests[-2:]] == ["Bearer n1", "Bearer n2"]


def test_a_plugin_that_fails_is_told_with_its_hint():
    with Api(KEYS) as api:
        for text, why in (("exit 3", "it ended with 3"),
                          ("kill -9 $$", "it was ended by signal 9"),
                          ("echo hello", "it does not print an ExecCredential"),
                          ("yes | head -c 2000000",
                           "it prints more than 1 MiB")):
            r, _, got, _ = ask(api, "get", "pods", "a",
                               user=plugin(text, installHint="get it"))
            assert r == -13, got
            assert got.endswith(f"exec plugin {ROOM}/plugin: {why}; get it"), got
        r, _, got, _ = ask(api, "get", "pods", "a", user={"exec": {
            **plugin("")["exec"], "command": "/nowhere/p",
            "installHint": "get it"}})
        assert r == -13 and got.endswith(
            "cannot run /nowhere/p: No such file or directory; get it"), got
        assert not api.requests


def test_a_plugin_that_hangs_holds_no_call_beyond_its_deadline():
    with Api(KEYS) as api:
        mark = ROOM / "pid"
        r, _, text, _ = ask(
            api, "get", "pods", "a", deadline=1000,
            user=plugin(f"sleep 1000 & echo $! >{mark}; wait"))
        assert r == -110, text
        pid = int(mark.read_text())
        end = time.monotonic() + PATIENCE
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                break
            time.sleep(0.02)
        assert time.monotonic() < end


# ---- watches ----

def queries(api):
    return [got["path"].partition("?")[2].split("&") for got in api.requests]


def version_of(query):
    return [word.partition("=")[2] for word in query
            if word.startswith("resourceVersion=")]


def test_a_list_comes_in_pages_and_is_watched_from_there():
    with Api(KEYS, pods(5, pod("a", 3), more="c/1"), pods(5, pod("b", 4)),
             chunks(event("ADDED", pod("c", 6)),
                    event("DELETED", pod("a", 7)), end="open")) as api:
        with Watch(api, "pods", "labelSelector=x%3Dy") as watch:
            watch.hears("there a 3 v1/Pod", "there b 4 v1/Pod", "listed",
                        "there c 6", "gone a 7")
        first, second, third = queries(api)
        assert first == ["labelSelector=x%3Dy", "limit=100"]
        assert second == ["labelSelector=x%3Dy", "limit=100", "continue=c%2F1"]
        assert "labelSelector=x%3Dy" in third and "watch=true" in third
        assert "allowWatchBookmarks=true" in third
        assert version_of(third) == ["5"]


def test_a_watch_goes_on_from_the_last_bookmark():
    with Api(KEYS, pods(5), chunks(event("ADDED", pod("a", 6)),
                                   event("BOOKMARK", pod("", 90))),
             chunks(event("MODIFIED", pod("a", 91)), end="broken"),
             chunks(end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("listed", "there a 6", "there a 91")
            api.wait_for(4)
        assert [version_of(query) for query in queries(api)[1:]] == [
            ["5"], ["90"], ["91"]]


def test_half_lines_are_put_together():
    line = event("ADDED", pod("a", 6))
    later = threading.Event()
    with Api(KEYS, pods(5), chunks(line[:9], later, line[9:] + line[:30],
                                   line[30:], end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("listed")
            api.wait_for(2)
            later.set()
            watch.hears("there a 6", "there a 6")


def test_what_the_server_has_forgotten_is_listed_again():
    gone = {"kind": "Status", "code": 410, "reason": "Expired",
            "message": "too old resource version"}
    for forgotten in (chunks(event("ERROR", gone), end="open"),
                      status(410, "Expired")):
        with Api(KEYS, pods(5, pod("a", 3)), forgotten, pods(9, pod("b", 8)),
                 chunks(end="open")) as api:
            with Watch(api, "pods") as watch:
                watch.hears("there a", "listed", "there b", "listed")
                api.wait_for(4)
            assert version_of(queries(api)[3]) == ["9"]


def test_a_list_that_expired_between_pages_is_told_as_one():
    with Api(KEYS, pods(5, pod("a", 3), more="c"), status(410, "Expired"),
             pods(9, pod("b", 8)), chunks(end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("there b", "listed")


def test_garbage_in_a_watch_is_told_and_all_is_listed_again():
    with Api(KEYS, pods(5), chunks(b"<html>\n", end="open"),
             pods(9, pod("b", 8)), chunks(end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("listed", "trouble -5 200 watch pods in namespace "
                        "heat: a line that is not JSON", "there b", "listed")


def test_trouble_is_told_once_until_it_is_over():
    no = status(403, "Forbidden", 'User "me" cannot watch')
    with Api(KEYS, status(503), status(503), pods(5), no, no, no,
             chunks(event("ADDED", pod("a", 6))), no,
             chunks(end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("trouble -5 503 list pods in namespace heat: ",
                        "listed", "trouble -13 403 watch pods in namespace "
                        'heat: forbidden for me; its role needs the verb '
                        '"watch" on "pods"', "there a 6", "trouble -13 403")
            api.wait_for(9)


def test_a_server_that_went_away_is_found_again():
    with Api(KEYS, pods(5), chunks(event("ADDED", pod("a", 6)),
                                   end="broken"),
             drop, drop, chunks(event("ADDED", pod("b", 7)),
                                end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("listed", "there a 6", "trouble -111 0 watch pods",
                        "there b 7")
        assert version_of(queries(api)[4]) == ["6"]


def test_a_watch_reads_a_token_that_was_replaced():
    token = ROOM / "token"
    token.write_text("old")

    def refuse(handler):
        token.write_text("new")
        status(401)(handler)
    with Api(KEYS, pods(5), refuse, chunks(end="open")) as api:
        with Watch(api, "pods", user={"tokenFile": str(token)}) as watch:
            watch.hears("listed")
            api.wait_for(3)
        assert api.requests[2]["headers"]["Authorization"] == "Bearer new"


def main():
    tests = [(name[5:], fn) for name, fn in globals().items()
             if name.startswith("test_") and inspect.isfunction(fn)]
    failures = 0
    make_keys(KEYS)
    print(f"1..{len(tests)}")
    for n, (name, fn) in enumerate(tests, 1):
        try:
            fn()
            print(f"ok {n} - {name}", flush=True)
        except Exception:  # pylint: disable=broad-except
            failures += 1
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {n} - {name}", flush=True)
    shutil.rmtree(ROOM)
    return failures > 0


if not shutil.which("openssl"):
    print("1..0 # SKIP no openssl to make certificates with")
    sys.exit(0)
sys.exit(main())
