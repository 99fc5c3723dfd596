# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 by hand, for peers that do what no library would"""

import socket
import ssl
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, AWAY, WINDOW, MORE = \
    range(10)
END_STREAM, END_HEADERS = 1, 4
CANCEL = b"\0\0\0\x08"


def frame(kind, flags, stream, data, length=None):
    """length: another one than it has."""
    n = len(data) if length is None else length
    return (struct.pack(">I", n)[1:] + bytes([kind, flags])
            + struct.pack(">I", stream) + data)


GREETING = PREFACE + frame(SETTINGS, 0, 0, b"")


def text(word):
    """Of HPACK; at most 126 bytes."""
    return bytes([len(word)]) + word.encode()


def head(path, token=None, encrypted=False):
    """Of a call; the peer has nothing to remember of it."""
    return (b"\x83" + (b"\x87" if encrypted else b"\x86")  # POST, https or http
            + b"\x04" + text(path) + b"\x01" + text("x")
            + b"\x0f\x10" + text("application/grpc")
            + b"\x00" + text("te") + text("trailers")
            + (b"\x0f\x08" + text(f"Bearer {token}") if token else b""))


def call(stream, fields):
    """With an empty message, and no more to come."""
    return frame(HEADERS, END_HEADERS, stream, fields) + \
        frame(DATA, END_STREAM, stream, b"\0" * 5)


def connect(address, identity=None, server=None, timeout=20):
    """Greeted.  identity: folder with ca.crt, tls.crt, tls.key; server: the
    name in the other side's certificate."""
    host, _, port = address.rpartition(":")
    at = socket.create_connection((host, int(port)), timeout)
    if identity:
        context = ssl.create_default_context(cafile=f"{identity}/ca.crt")
        context.load_cert_chain(f"{identity}/tls.crt", f"{identity}/tls.key")
        context.set_alpn_protocols(["h2"])
        at = context.wrap_socket(at, server_hostname=server)
    at.sendall(GREETING)
    return at
