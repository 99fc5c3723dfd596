# SPDX-License-Identifier: Apache-2.0
"""The cluster's DNS: addresses of Services and of what is behind headless ones

    dns.py FOLDER       of the administrator's keys

Answers for SERVICE.NAMESPACE.svc.cluster.local, by UDP and TCP, and for
HOST.SERVICE... where the Service is headless; everything else is not there.
"""

import socket
import socketserver
import struct
import sys
import threading

from api import ADDRESS, Api, Watch

SUFFIX = ".svc.cluster.local"
PORT, TTL = 53, 1
TYPE_A, TYPE_ANY = 1, 255
ANSWER, NAME_ERROR = 0x8580, 0x8583
HEADER = struct.Struct("!6H")


def question(packet):
    """(name, type, its bytes); ValueError if there is none."""
    labels, at = [], HEADER.size
    while at < len(packet) and packet[at]:
        length = packet[at]
        if length > 63 or at + 1 + length > len(packet):
            raise ValueError("not a name")
        labels.append(packet[at + 1:at + 1 + length].decode("latin-1"))
        at += 1 + length
    end = at + 5
    if end > len(packet):
        raise ValueError("cut short")
    kind, = struct.unpack_from("!H", packet, at + 1)
    return ".".join(labels).lower(), kind, packet[HEADER.size:end]


class Names:
    def __init__(self, api):
        self.services = Watch(api, "/api/v1/services")
        self.slices = Watch(api, "/apis/discovery.k8s.io/v1/endpointslices")

    def wait(self):
        self.services.is_synced.wait()
        self.slices.is_synced.wait()

    def find(self, name):
        """Its addresses; None if there is no such name."""
        if not name.endswith(SUFFIX):
            return None
        *host, service, space = [""] + name[:-len(SUFFIX)].split(".")
        at = self.services.objects.get((space, service))
        host = [label for label in host if label]
        if at is None or len(host) > 1:
            return None
        address = at["spec"].get("clusterIP", "None")
        if address != "None":
            return None if host else [address]
        every = at["spec"].get("publishNotReadyAddresses", False)
        return [address for end in self.behind(space, service)
                if every or end.get("conditions", {}).get("ready")
                if not host or end.get("hostname") == host[0]
                for address in end["addresses"]] or None

    def behind(self, space, service):
        for (at, _), item in list(self.slices.objects.items()):
            labels = item["metadata"].get("labels", {})
            if at == space and \
                    labels.get("kubernetes.io/service-name") == service:
                yield from item.get("endpoints") or []

    def answer(self, packet):
        name, kind, asked = question(packet)
        found = self.find(name)
        told = found if found and kind in (TYPE_A, TYPE_ANY) else []
        flags = ANSWER if found else NAME_ERROR
        number, = struct.unpack_from("!H", packet)
        return HEADER.pack(number, flags, 1, len(told), 0, 0) + asked + \
            b"".join(struct.pack("!HHHIH", 0xc00c, TYPE_A, 1, TTL, 4)
                     + socket.inet_aton(address) for address in told)


class Datagram(socketserver.BaseRequestHandler):
    def handle(self):
        packet, at = self.request
        try:
            at.sendto(self.server.names.answer(packet), self.client_address)
        except (ValueError, struct.error):
            pass  # no question, no answer


class Stream(socketserver.StreamRequestHandler):
    timeout = 10

    def handle(self):
        try:
            while len(head := self.rfile.read(2)) == 2:
                length, = struct.unpack("!H", head)
                said = self.server.names.answer(self.rfile.read(length))
                self.wfile.write(struct.pack("!H", len(said)) + said)
        except (ValueError, struct.error, OSError):
            pass  # it is hung up on


class Udp(socketserver.ThreadingUDPServer):
    daemon_threads = True


class Tcp(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


def main():
    names = Names(Api(sys.argv[1]))
    names.wait()
    udp, tcp = Udp((ADDRESS, PORT), Datagram), Tcp((ADDRESS, PORT), Stream)
    udp.names = tcp.names = names
    threading.Thread(target=tcp.serve_forever, daemon=True).start()
    udp.serve_forever()


if __name__ == "__main__":
    main()
