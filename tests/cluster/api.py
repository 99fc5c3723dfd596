# SPDX-License-Identifier: Apache-2.0
"""The API server, as an administrator sees it"""

import http.client
import json
import ssl
import sys
import threading
import time

ADDRESS, PORT = "10.244.0.1", 443
PATIENCE = 30
RETRY = 0.2


class Api:
    def __init__(self, folder):
        self.folder = folder

    def connect(self, patience=PATIENCE):
        context = ssl.create_default_context(cafile=f"{self.folder}/ca.crt")
        context.load_cert_chain(f"{self.folder}/admin.crt",
                                f"{self.folder}/admin.key")
        return http.client.HTTPSConnection(ADDRESS, PORT, timeout=patience,
                                           context=context)

    def ask(self, method, path, body=None):
        """(status, text); (0, why) if nobody answers."""
        try:
            at = self.connect()
            at.request(method, path, json.dumps(body) if body else None,
                       {"Content-Type": "application/json"})
            answer = at.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as reason:
            return 0, str(reason)

    def get(self, path):
        """The object, or None."""
        status, text = self.ask("GET", path)
        return json.loads(text) if status == 200 else None

    def make(self, path, body):
        """It is there; true if it was so before, too."""
        return self.ask("POST", path, body)[0] in (200, 201, 409)


class Watch:
    """All objects of a kind by (namespace, name), as they are now."""

    def __init__(self, api, path, on_change=None):
        self.api, self.path, self.on_change = api, path, on_change
        self.objects, self.is_synced = {}, threading.Event()
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        while True:
            try:
                self.list_and_watch()
            except (OSError, ValueError, KeyError,
                    http.client.HTTPException) as reason:
                print(f"{self.path}: {reason!r}", file=sys.stderr, flush=True)
            time.sleep(RETRY)

    def list_and_watch(self):
        at = self.api.connect(patience=900)
        at.request("GET", self.path)
        listed = json.loads(at.getresponse().read())
        self.objects = {key(item): item for item in listed["items"]}
        self.is_synced.set()
        self.tell(*self.objects.values())
        version = listed["metadata"]["resourceVersion"]
        at.request("GET", f"{self.path}?watch=1&resourceVersion={version}")
        answer = at.getresponse()
        while line := answer.readline():
            event = json.loads(line)
            if event["type"] == "ERROR":
                return
            item = event["object"]
            if event["type"] == "DELETED":
                self.objects.pop(key(item), None)
            else:
                self.objects[key(item)] = item
                self.tell(item)

    def tell(self, *items):
        for item in items if self.on_change else ():
            self.on_change(item)


def key(item):
    return item["metadata"].get("namespace"), item["metadata"]["name"]
