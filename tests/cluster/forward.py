#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A port of a real pod, by a real API server and kubelet.  args: BIN

kubetool stands beside the folder BIN.
"""

import json
import os
import socket
import subprocess
import tempfile
import threading
import time

import kube  # first: it knows where harness is
import harness
import image

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(harness.BIN, "..", "kubetool")
IMAGE = "localhost/bellows-echo:1"
PATIENCE = 60
MANY = 30
MIB = 1 << 20


def load(cluster):
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        program = os.path.join(folder, "echo")
        subprocess.run(["cc", "-static", "-O2", "-s", "-o", program,
                        f"{HERE}/echo.c"], check=True)
        cluster.load(image.write(os.path.join(folder, "echo.tar"), IMAGE,
                                 {"/echo": program}, ["/echo", "7000"]))


def run_pod(space, name="echo"):
    space.kubectl("run", name, f"--image={IMAGE}",
                  "--image-pull-policy=Never")
    space.kubectl("wait", "--for=condition=Ready", f"pod/{name}",
                  f"--timeout={PATIENCE}s")


class Forward:
    def __init__(self, room, space, pod, port=7000, config=()):
        self.path = room.path(f"{pod}-{port}")
        self.tool = subprocess.Popen(
            [*room.prefix, TOOL, *config, "--namespace", space.name, "forward",
             "pods", pod, str(port), self.path], env=room.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.tool.stdout.readline() == "ready\n"

    def connect(self):
        at = socket.socket(socket.AF_UNIX)
        at.settimeout(PATIENCE)
        at.connect(self.path)
        return at

    def trouble(self):
        """Of a connection that nothing comes of."""
        with self.connect() as at:
            line = self.tool.stdout.readline()
            assert line.startswith("trouble "), line
            try:
                assert at.recv(1) == b""
            except ConnectionResetError:
                pass
        return line[len("trouble "):].strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tool.stdin.close()
        left = self.tool.stdout.read()
        assert self.tool.wait(PATIENCE) == 0
        assert not left, left
        assert not os.path.exists(self.path)


def receive(at, n):
    data = bytearray()
    while len(data) < n and (more := at.recv(65536)):
        data += more
    return bytes(data)


def talk(at, data):
    """What comes back."""
    sender = threading.Thread(target=at.sendall, args=(data,))
    sender.start()
    back = receive(at, len(data))
    sender.join()
    return back


def bytes_go_to_a_pod_and_back(room, space):
    run_pod(space)
    with Forward(room, space, "echo") as forward, forward.connect() as at:
        assert talk(at, b"hello") == b"hello"
        trips = []
        for _ in range(100):
            begun = time.monotonic()
            assert talk(at, b"x" * 100) == b"x" * 100
            trips.append(time.monotonic() - begun)
        data = os.urandom(MIB) * 32
        begun = time.monotonic()
        assert talk(at, data) == data
        took = time.monotonic() - begun
        print(f"# round trip {sorted(trips)[50] * 1e3:.2f} ms, "
              f"{32 / took:.0f} MiB/s each way")
        at.shutdown(socket.SHUT_WR)
        assert at.recv(1) == b""


def connections_go_side_by_side(room, space):
    run_pod(space)
    with Forward(room, space, "echo") as forward:
        all_of_them = [forward.connect() for _ in range(MANY)]
        for i, at in enumerate(all_of_them):
            at.sendall(b"%4d" % i)
        for i, at in enumerate(all_of_them):
            assert receive(at, 4) == b"%4d" % i
            at.close()


def a_pod_that_goes_ends_its_connections(room, space):
    run_pod(space)
    with Forward(room, space, "echo") as forward, forward.connect() as at:
        assert talk(at, b"hello") == b"hello"
        space.kubectl("delete", "pod", "echo", "--force", "--grace-period=0",
                      "--wait=false")
        assert at.recv(1) == b""


def a_port_that_nobody_listens_at_is_named(room, space):
    run_pod(space)
    where = f"pod echo in namespace {space.name}"
    with Forward(room, space, "echo", 7001) as forward:
        assert forward.trouble() == \
            f"port 7001 of {where}: nobody listens there"
    with Forward(room, space, "nobody") as forward:
        assert forward.trouble() == \
            f"get pods/portforward nobody in namespace {space.name}: " \
            "there is none"


def a_service_account_hears_which_verb_it_lacks(room, space):
    run_pod(space)
    space.kubectl("create", "serviceaccount", "m")
    token = space.kubectl("create", "token", "m").strip()
    config = json.loads(space.kubectl("config", "view", "--raw",
                                      "--output=json"))
    for user in config["users"]:
        user["user"] = {"token": token}
    path = room.path("config")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    lacks = f"get pods/portforward echo in namespace {space.name}: forbidden " \
        f"for system:serviceaccount:{space.name}:m; its role needs the verb " \
        '"get" on "pods/portforward"'
    with Forward(room, space, "echo",
                 config=["--kubeconfig", path]) as forward:
        assert forward.trouble() == lacks
        space.kubectl("create", "role", "r", "--verb=get,create",
                      "--resource=pods/portforward")
        space.kubectl("create", "rolebinding", "r", "--role=r",
                      f"--serviceaccount={space.name}:m")
        space.wait("the role is known", lambda: "yes" in space.kubectl(
            "auth", "can-i", "get", "pods", "--subresource=portforward",
            "--as", f"system:serviceaccount:{space.name}:m", check=False))
        with forward.connect() as at:
            assert talk(at, b"hello") == b"hello"


if __name__ == "__main__":
    kube.main(bytes_go_to_a_pod_and_back,
              connections_go_side_by_side,
              a_pod_that_goes_ends_its_connections,
              a_port_that_nobody_listens_at_is_named,
              a_service_account_hears_which_verb_it_lacks, prepare=load)
