# SPDX-License-Identifier: Apache-2.0
"""Watches of the Kubernetes API, from a server that misbehaves on purpose"""

import threading

from fake_kube import Api, chunks, drop, event, pod, pods, status
from kube_room import KEYS, ROOM, Watch, run


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


def test_another_trouble_is_told():
    no = status(403, "Forbidden", 'User "me" cannot list')
    with Api(KEYS, status(503), status(503), no, no, pods(5),
             chunks(end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("trouble -5 503 list pods", "trouble -13 403 list pods",
                        "listed")


def test_a_server_that_went_away_is_found_again():
    with Api(KEYS, pods(5), chunks(event("ADDED", pod("a", 6)),
                                   end="broken"),
             drop, drop, chunks(event("ADDED", pod("b", 7)),
                                end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("listed", "there a 6", "trouble -111 0 watch pods",
                        "there b 7")
        assert version_of(queries(api)[4]) == ["6"]


def test_a_quiet_watch_that_breaks_is_no_trouble():
    later = threading.Event()
    threading.Timer(6, later.set).start()
    with Api(KEYS, pods(5), chunks(later, end="broken"),
             chunks(event("ADDED", pod("b", 7)), end="open")) as api:
        with Watch(api, "pods") as watch:
            watch.hears("listed", "there b 7")


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


run(globals())
