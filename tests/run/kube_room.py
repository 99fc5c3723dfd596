# SPDX-License-Identifier: Apache-2.0
"""What tests of the Kubernetes client share: kubetool, and how it is run"""

import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback

from fake_kube import make_keys, pod

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


def run(names):
    """Runs what is called test_..., and ends the program."""
    if not shutil.which("openssl"):
        print("1..0 # SKIP no openssl to make certificates with")
        sys.exit(0)
    tests = [(name[5:], fn) for name, fn in names.items()
             if name.startswith("test_")]
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
    sys.exit(failures > 0)
