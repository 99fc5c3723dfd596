# SPDX-License-Identifier: Apache-2.0
"""One node: containerd and a kubelet, in a mount namespace of their own

    node.py NAME NUMBER [--static]

What they keep outside of the node's folder is in memory that nobody else sees,
so two of them live side by side, each as if it were the only one, and nothing
of them is left when they have ended.
"""

import glob
import json
import os
import sys

import cgroup
import pki
from api import ADDRESS, Api
from control import BRIDGE
from daemons import Daemon, run, wait
from place import NODE, Place, Refused

SANDBOX = "localhost/bellows-pause:1"
PLUGINS = "/usr/lib/cni"
SOCKET = "/run/containerd/containerd.sock"
ALONE = ("unshare", "--mount", "--propagation", "private")  # to run it by
OWN = ("/run", "/var/lib", "/var/log")
SESSIONS = 8  # all pods, of three tests at a time: see cgroup.weigh()

# A kubelet wants the kernel to be so.  It is told that it is, which costs a
# crash that nobody expects; the machine's own settings stay as they are.
KERNEL = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1000000,
    "kernel/keys/root_maxbytes": 25000000,
}

CONTAINERD = """\
version = 2
root = "{folder}/containerd"
state = "/run/containerd"
# it would make folders in /opt
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{sandbox}"
  restrict_oom_score_adj = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "{plugins}"
  conf_dir = "{folder}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
"""


# Pods that are Guaranteed get whole processors of their own.
STATIC = {"cpuManagerPolicy": "static", "topologyManagerPolicy": "best-effort",
          "systemReserved": {"cpu": "100m"}}


class Node:
    def __init__(self, place, number, more):
        self.place, self.number, self.more = place, number, more
        self.name = f"node{number}"
        self.folder = place.path(self.name)
        self.address = f"10.244.{number}.1"
        self.env = dict(os.environ, **{NODE: str(number)})

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)
        return f"{self.folder}/{name}"

    # -- what is around it

    def furnish(self):
        run("mount", "--make-rshared", "/")
        for path in OWN:
            run("mount", "-t", "tmpfs", "tmpfs", path)
        for name in ("/run/lock", "/run/netns"):
            os.mkdir(name)
        for number, (name, value) in enumerate(KERNEL.items()):
            path = self.write(f"kernel{number}", f"{value}\n")
            run("mount", "--bind", path, f"/proc/sys/{name}")
        cgroup.make(f"{self.place.cgroup}/{self.name}")
        cgroup.weigh(self.place.cgroup, SESSIONS)
        if self.address not in run("ip", "address", "show", "dev", BRIDGE):
            run("ip", "address", "add", f"{self.address}/16", "dev", BRIDGE)

    def network(self):
        """As CNI wants it; pods get addresses 10.244.NUMBER.*"""
        return {
            "cniVersion": "1.0.0", "name": "bed", "plugins": [{
                "type": "bridge", "bridge": BRIDGE, "hairpinMode": True,
                "ipam": {
                    "type": "host-local",
                    "dataDir": f"{self.folder}/addresses",
                    "ranges": [[{
                        "subnet": "10.244.0.0/16", "gateway": ADDRESS,
                        "rangeStart": f"10.244.{self.number}.2",
                        "rangeEnd": f"10.244.{self.number}.254"}]],
                    "routes": [{"dst": "0.0.0.0/0"}]}}]}

    def kubelet(self):
        keys = self.place.path("pki")
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": self.address, "port": 10250, "readOnlyPort": 0,
            "healthzBindAddress": self.address,
            "tlsCertFile": f"{keys}/{self.name}.crt",
            "tlsPrivateKeyFile": f"{keys}/{self.name}.key",
            "authentication": {
                "anonymous": {"enabled": False},
                "webhook": {"enabled": True},
                "x509": {"clientCAFile": f"{keys}/ca.crt"}},
            "authorization": {"mode": "Webhook"},
            "containerRuntimeEndpoint": f"unix://{SOCKET}",
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{self.place.cgroup}/{self.name}",
            "enforceNodeAllocatable": ["pods"],
            "failCgroupV1": False, "failSwapOn": False, "oomScoreAdj": 0,
            "protectKernelDefaults": True, "makeIPTablesUtilChains": False,
            "podLogsDir": f"{self.folder}/pods",
            "resolvConf": "", "clusterDNS": [ADDRESS],
            "clusterDomain": "cluster.local",
            # a disk that others have filled is no reason to end a test's pods
            "evictionHard": {"memory.available": "50Mi"},
            "imageGCHighThresholdPercent": 100,
            "imageGCLowThresholdPercent": 99,
            "localStorageCapacityIsolation": False,
            "maxPods": 250, "serializeImagePulls": False,
            "nodeStatusUpdateFrequency": "5s", "syncFrequency": "5s",
            **self.more,
        }

    # -- starting

    def start_containerd(self):
        os.mkdir(f"{self.folder}/cni")
        self.write("cni/bed.conflist", json.dumps(self.network()))
        config = self.write("containerd.toml", CONTAINERD.format(
            folder=self.folder, socket=SOCKET, sandbox=SANDBOX,
            plugins=PLUGINS))
        return Daemon(self.place, f"{self.name}-containerd",
                      "containerd", "-c", config, env=self.env)

    def load_images(self):
        for path in glob.glob(f"{self.place.images()}/*.tar"):
            run("ctr", "-n", "k8s.io", "images", "import", path)

    def start_kubelet(self):
        pki.make_node(self.place.path("pki"), self.name, self.address)
        config = self.write("kubelet.json", json.dumps(self.kubelet()))
        return Daemon(
            self.place, f"{self.name}-kubelet", "kubelet",
            f"--config={config}", f"--hostname-override={self.name}",
            f"--kubeconfig={self.place.path('pki', self.name)}.kubeconfig",
            f"--node-ip={self.address}", f"--root-dir={self.folder}/kubelet",
            f"--cert-dir={self.folder}/kubelet-pki", env=self.env)

    def start(self):
        """Ready to run pods."""
        self.furnish()
        containerd = self.start_containerd()
        wait("containerd", lambda: os.path.exists(SOCKET), containerd)
        self.load_images()
        kubelet = self.start_kubelet()
        api = Api(self.place.path("pki"))
        wait(f"{self.name} is ready", lambda: is_ready(
            api.get(f"/api/v1/nodes/{self.name}")), containerd, kubelet)


def is_ready(node):
    return node and any(
        at["type"] == "Ready" and at["status"] == "True"
        for at in node["status"].get("conditions", []))


if __name__ == "__main__":
    try:
        Node(Place(sys.argv[1]), int(sys.argv[2]),
             STATIC if "--static" in sys.argv[3:] else {}).start()
    except Refused as reason:
        sys.exit(f"node{sys.argv[2]}: {reason}")
