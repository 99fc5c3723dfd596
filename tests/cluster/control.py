# SPDX-License-Identifier: Apache-2.0
"""The cluster's own network and its control plane

Everything listens on addresses of the cluster's network alone.  The API server
listens on all of them, and one is the address of the Service `kubernetes`: so
pods reach it by that, without kube-proxy.
"""

import pki
from api import ADDRESS, PORT
from daemons import Daemon, run, wait

BRIDGE = "cni0"
# Without one of its own a bridge takes the lowest of its ports': with a pod that
# joins it would change, and those that run would lose all that it stands for.
BRIDGE_LINK = "02:be:11:05:00:01"
ETCD = "http://127.0.0.1:2379"
SERVICES = "10.96.0.0/16"


def make_network():
    ip = "ip"
    run(ip, "link", "set", "lo", "up")
    run(ip, "address", "add", f"{pki.SERVICE}/32", "dev", "lo")
    run(ip, "link", "add", BRIDGE, "address", BRIDGE_LINK, "type", "bridge")
    run(ip, "address", "add", f"{ADDRESS}/16", "dev", BRIDGE)
    run(ip, "link", "set", BRIDGE, "up")
    # a bridge without a port has no carrier, and nobody can use its address
    run(ip, "link", "add", "port", "type", "veth", "peer", "name", "plug")
    run(ip, "link", "set", "port", "master", BRIDGE, "up")
    run(ip, "link", "set", "plug", "up")
    with open("/proc/sys/net/ipv4/ip_forward", "w", encoding="ascii") as file:
        file.write("1")


def start_etcd(place):
    return Daemon(
        place, "etcd", "etcd", "--name=bed",
        f"--data-dir={place.path('etcd')}", f"--listen-client-urls={ETCD}",
        f"--advertise-client-urls={ETCD}",
        "--listen-peer-urls=http://127.0.0.1:2380", "--unsafe-no-fsync",
        "--logger=zap", "--log-level=warn")


def start_api_server(place, keys):
    return Daemon(
        place, "kube-apiserver", "kube-apiserver", f"--etcd-servers={ETCD}",
        "--bind-address=0.0.0.0", f"--secure-port={PORT}",
        f"--advertise-address={ADDRESS}",
        f"--service-cluster-ip-range={SERVICES}", "--allow-privileged=true",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        # webhooks are reached by their endpoints, as there is no kube-proxy
        "--enable-aggregator-routing=true",
        f"--client-ca-file={keys}/ca.crt",
        f"--tls-cert-file={keys}/apiserver.crt",
        f"--tls-private-key-file={keys}/apiserver.key",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={keys}/accounts.pub",
        f"--service-account-signing-key-file={keys}/accounts.key",
        f"--kubelet-client-certificate={keys}/kubelet-client.crt",
        f"--kubelet-client-key={keys}/kubelet-client.key",
        "--kubelet-preferred-address-types=InternalIP",
        f"--requestheader-client-ca-file={keys}/ca.crt",
        "--requestheader-allowed-names=front-proxy",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={keys}/front-proxy.crt",
        f"--proxy-client-key-file={keys}/front-proxy.key",
        "--profiling=false")


def start_controllers(place, keys):
    own = f"{keys}/controller-manager.kubeconfig"
    return Daemon(
        place, "kube-controller-manager", "kube-controller-manager",
        # one administrator for all of them: their own accounts come late
        f"--kubeconfig={place.kubeconfig}",
        "--use-service-account-credentials=false",
        f"--authentication-kubeconfig={own}",
        f"--authorization-kubeconfig={own}",
        "--bind-address=127.0.0.1", "--leader-elect=false",
        f"--service-account-private-key-file={keys}/accounts.key",
        f"--root-ca-file={keys}/ca.crt", "--cluster-name=bed",
        "--allocate-node-cidrs=false", "--node-monitor-grace-period=20s",
        # A claim that came before its volume is looked at again after this.
        "--pvclaimbinder-sync-period=1s")


def start_scheduler(place, keys):
    own = f"{keys}/scheduler.kubeconfig"
    return Daemon(
        place, "kube-scheduler", "kube-scheduler", f"--kubeconfig={own}",
        f"--authentication-kubeconfig={own}",
        f"--authorization-kubeconfig={own}",
        "--bind-address=127.0.0.1", "--leader-elect=false")


def start(place, api):
    """All of it, ready to be asked."""
    keys = place.path("pki")
    make_network()
    etcd = start_etcd(place)
    pki.make(keys, place.kubeconfig)
    server = start_api_server(place, keys)
    wait("the API server", lambda: api.ask("GET", "/readyz")[0] == 200,
         etcd, server)
    return [etcd, server, start_controllers(place, keys),
            start_scheduler(place, keys)]
