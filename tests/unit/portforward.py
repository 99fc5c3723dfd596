# SPDX-License-Identifier: Apache-2.0
"""What an API server and a kubelet do for a port forward over a WebSocket.

The pod's name says how it goes: see the methods of PortForward.
"""

import base64
import hashlib
import json
import struct

MAGIC = b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class PortForward:
    """Of a request handler; server.flooded: all was written."""

    flooded = False

    # ---- WebSocket ----

    def open_socket(self, key=None):
        key = (key or self.headers['Sec-WebSocket-Key']).encode()
        accept = base64.b64encode(hashlib.sha1(key + MAGIC).digest())
        self.close_connection = True
        self.wfile.write(b'HTTP/1.1 101 Switching Protocols\r\n'
                         b'Upgrade: websocket\r\nConnection: Upgrade\r\n'
                         b'Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n'
                         b'Sec-WebSocket-Accept: ' + accept + b'\r\n\r\n')

    def send_frame(self, kind, data):
        n = len(data)
        head = struct.pack('>BB', 0x80 | kind, n) if n < 126 else \
            struct.pack('>BBH', 0x80 | kind, 126, n) if n < 65536 else \
            struct.pack('>BBQ', 0x80 | kind, 127, n)
        self.wfile.write(head + data)

    def read_frame(self):
        """Kind and payload; it must be masked, as a client's is."""
        first, size = self.rfile.read(2)
        assert first & 0x80 and size & 0x80
        size &= 0x7f
        if size == 126:
            size, = struct.unpack('>H', self.rfile.read(2))
        elif size == 127:
            size, = struct.unpack('>Q', self.rfile.read(8))
        mask = (self.rfile.read(4) * (size // 4 + 1))[:size]
        data = int.from_bytes(self.rfile.read(size), 'big')
        return first & 0xf, (data ^ int.from_bytes(mask, 'big')).to_bytes(
            size, 'big')

    # ---- the API ----

    def do_api(self, argument):
        path, _, query = argument.partition('?')
        words = path.split('/')
        assert words[:2] == ['v1', 'namespaces'] and words[3] == 'pods'
        assert words[5:] == ['portforward'] and query == 'ports=7000'
        assert self.headers['Sec-WebSocket-Version'] == '13'
        assert self.headers['Sec-WebSocket-Protocol'] == 'v4.channel.k8s.io'
        getattr(self, 'pod_' + words[4].replace('-', '_'))()

    def status(self, code, reason, message, **details):
        self.answer(code, json.dumps({
            'kind': 'Status', 'apiVersion': 'v1', 'status': 'Failure',
            'message': message, 'reason': reason, 'code': code,
            'details': details}).encode())

    def forbid(self, verb):
        self.status(403, 'Forbidden',
                    f'pods "x" is forbidden: User "me" cannot {verb} resource '
                    '"pods/portforward" in API group "" in the namespace '
                    '"heat"', name='x', kind='pods')

    # ---- pods ----

    def open_channels(self):
        self.open_socket()
        self.send_frame(BINARY, b'\x00' + struct.pack('<H', 7000))
        self.send_frame(BINARY, b'\x01' + struct.pack('<H', 7000))

    def pod_echo(self):
        self.open_channels()
        while (frame := self.read_frame())[0] != CLOSE:
            if frame[0] == BINARY:
                self.send_frame(BINARY, frame[1])
        self.send_frame(CLOSE, b'\x03\xe8')

    def pod_asks(self):
        """Wants its ping answered before it sends anything."""
        self.open_channels()
        self.send_frame(PING, b'there?')
        assert self.read_frame() == (PONG, b'there?')
        self.send_frame(BINARY, b'\x00good')
        self.send_frame(CLOSE, b'\x03\xe8')

    def pod_flood(self):
        type(self).flooded = False
        self.open_channels()
        for _ in range(1024):
            self.send_frame(BINARY, b'\x00' + b'x' * 32768)
        type(self).flooded = True

    def do_flooded(self, _):
        self.answer(200, b'yes' if self.flooded else b'no')

    def pod_deaf(self):
        self.open_channels()
        self.send_frame(BINARY, b'\x01dial tcp4 127.0.0.1:7000: ')
        self.send_frame(BINARY, b'\x01connect: connection refused')
        self.send_frame(CLOSE, b'\x03\xe8')

    def pod_gone(self):
        self.open_channels()
        self.send_frame(BINARY, b'\x01no sandbox\nof that')
        self.send_frame(BINARY, b'\x01 name')

    def pod_forbidden(self):
        self.forbid('get')

    def pod_forbidden_since_1_35(self):
        self.forbid('create')

    def pod_missing(self):
        self.status(404, 'NotFound', 'pods "missing" not found',
                    name='missing', kind='pods')

    def pod_strict(self):
        if self.headers['Authorization'] != 'Bearer fresh':
            return self.status(401, 'Unauthorized', 'Unauthorized')
        return self.pod_echo()

    def pod_other_key(self):
        self.open_socket('b3RoZXIga2V5IGF0IGFsbA==')

    def pod_text(self):
        self.open_channels()
        self.send_frame(TEXT, b'hello')

    def pod_channel_7(self):
        self.open_channels()
        self.send_frame(BINARY, b'\x07hello')
