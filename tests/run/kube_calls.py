# SPDX-License-Identifier: Apache-2.0
"""Calls of the Kubernetes API to a server that misbehaves on purpose

`kubetool` is the client; what the server says is in each test.
"""

import base64
import json
import os
import pathlib
import stat
import time

from fake_kube import Api, answer, drop, silent, status
from kube_room import GOOD, KEYS, PATIENCE, ROOM, ask, config, run, start

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


def test_what_may_be_made_but_not_read_is_made_all_the_same():
    with Api(KEYS, answer(200, {**GOOD, "kind": "Pod", "apiVersion": "v1"}),
             drop, status(409, "AlreadyExists", "it is there"),
             status(403, "Forbidden", 'User "me" cannot get')) as api:
        assert ask(api, "tell", "pods", "a", "Grown", "note")[0] == 0
        assert [got["method"] for got in api.requests] == [
            "GET", "POST", "POST", "GET"]


def test_many_calls_may_be_under_way():
    with Api(KEYS, *[answer(200, GOOD)] * 50) as api:
        tool = start(config(api), "--times", "50", "get", "pods", "a")
        out, _ = tool.communicate(timeout=PATIENCE)
        assert out.count("0 200") == 50


# ---- the client's token and certificate ----

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


def test_a_plugin_that_wants_to_know_the_cluster_is_told_all_of_it():
    told = ROOM / "told"
    user = plugin(f'printf %s "$KUBERNETES_EXEC_INFO" >{told}\n'
                  f"printf '{CREDENTIAL % 'n'}'\n", provideClusterInfo=True)
    with Api(KEYS, answer(200, GOOD)) as api:
        assert ask(api, "get", "pods", "a", user=user)[0] == 0
    cluster = json.loads(told.read_text())["spec"]["cluster"]
    assert cluster == {
        "server": f"https://127.0.0.1:{api.port}",
        "certificate-authority-data": base64.b64encode(
            (KEYS / "ca.crt").read_bytes()).decode()}, cluster


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


run(globals())
