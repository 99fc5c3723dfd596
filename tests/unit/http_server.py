#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""http_server.py DIR: what tests of an HTTP client need of the other side.

Makes an authority, servers' certificates and a client's in DIR, serves on
ports of 127.0.0.1, says which, one line each, and ends with its input:

    plain   no TLS
    tls     a certificate for 127.0.0.1 and localhost
    other   one for api.example.org
    client  as tls, for clients with a certificate of that authority
    own     a certificate that it has signed itself
    proxy   answers every CONNECT with 502
"""

import gzip
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

import portforward

NAMES = {
    'tls': 'IP:127.0.0.1,DNS:localhost',
    'other': 'DNS:api.example.org',
    'own': 'IP:127.0.0.1',
    'me': 'DNS:bellows',
}


def openssl(folder, *args):
    subprocess.run(['openssl', *args], cwd=folder, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def certify(folder, name, *signer):
    openssl(folder, 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
            'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj',
            f'/CN={name}', '-keyout', f'{name}.key', '-out', f'{name}.pem',
            *signer)


def make_certificates(folder):
    certify(folder, 'ca')
    for name, names in NAMES.items():
        signer = ('-addext', f'subjectAltName={names}')
        if name != 'own':
            signer += ('-addext', 'basicConstraints=critical,CA:FALSE',
                       '-CA', 'ca.pem', '-CAkey', 'ca.key')
        certify(folder, name, *signer)
    openssl(folder, 'pkey', '-in', 'me.key', '-aes128', '-passout',
            'pass:secret', '-out', 'locked.key')


class Handler(http.server.BaseHTTPRequestHandler, portforward.PortForward):
    """What is asked for is in the path: /NAME/ARGUMENT."""

    protocol_version = 'HTTP/1.1'
    go = threading.Event()

    def log_message(self, *args):
        pass

    def answer(self, status, body, **headers):
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
        self.wfile.flush()

    def start_chunks(self, status=200):
        self.send_response(status)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()

    def handle_any(self):
        size = int(self.headers.get('Content-Length', 0))
        self.body = self.rfile.read(size)
        name, _, argument = self.path[1:].partition('/')
        getattr(self, 'do_' + name)(argument)

    do_GET = do_HEAD = do_POST = do_PATCH = do_DELETE = handle_any

    def do_hello(self, _):
        self.answer(200, b'hello\n')

    def do_CONNECT(self):
        self.answer(502, b'')

    def do_echo(self, _):
        lines = [f'{self.command} {self.path}']
        lines += [f'{k}: {v}' for k, v in self.headers.items()]
        self.answer(201, '\n'.join(lines).encode() + b'\n\n' + self.body)

    def do_who(self, _):
        subject = dict(x[0] for x in self.connection.getpeercert()['subject'])
        self.answer(200, subject['commonName'].encode())

    def do_port(self, _):
        self.answer(200, str(self.client_address[1]).encode())

    def do_status(self, number):
        self.answer(int(number), b'because')

    def do_later(self, when):
        self.answer(429, b'', Retry_After=when.replace('%20', ' '))

    def do_redirect(self, _):
        self.answer(302, b'', Location='/hello')

    def do_prometheus(self, argument):
        """Of Prometheus' API: the answer to a query is its own text."""
        how, _, rest = argument.partition('/')
        path, _, words = rest.partition('?')
        query = urllib.parse.parse_qs(words)['query'][0]
        if path != 'api/v1/query':
            return self.answer(404, b'')
        if how == 'large':
            return self.answer(200, b' ' * 100000)
        if how == 'hang':
            return self.connection.recv(1)
        if how == 'secret' and self.headers['Authorization'] != 'Bearer s3cret':
            return self.answer(401, b'')
        return self.answer(200, json.dumps({
            'status': 'success', 'data': {'resultType': 'scalar',
                                          'result': [0, query]}}).encode())

    def do_pieces(self, status):
        self.go.clear()
        self.start_chunks(int(status))
        self.chunk(b'one,')
        self.go.wait(30)
        self.chunk(b'two')
        self.chunk(b'')

    def do_go(self, _):
        self.go.set()
        self.answer(200, b'')

    def do_silent(self, _):
        self.start_chunks()
        self.chunk(b'one,')
        self.connection.recv(1)

    def do_drip(self, _):
        self.start_chunks()
        for _ in range(8):
            self.chunk(b'.')
            time.sleep(0.1)
        self.chunk(b'')

    def do_large(self, size):
        self.answer(200, b'x' * int(size))

    def do_zipped(self, size):
        if 'gzip' not in self.headers.get('Accept-Encoding', ''):
            self.answer(406, b'')
        self.answer(200, gzip.compress(b'x' * int(size)),
                    Content_Encoding='gzip')

    def do_cut(self, _):
        self.send_response(200)
        self.send_header('Content-Length', '100')
        self.end_headers()
        self.wfile.write(b'short')
        self.close_connection = True

    def do_nonsense(self, _):
        self.wfile.write(b'nonsense\r\n\r\n')
        self.close_connection = True

    def do_headers(self, _):
        self.send_response(200)
        self.flush_headers()
        try:
            for i in range(100000):
                self.wfile.write(b'X-%d: %s\r\n' % (i, b'y' * 1000))
        except OSError:
            self.close_connection = True

    # ---- upgrades: what is behind the head is bytes ----

    def switch(self, rest=b''):
        self.close_connection = True
        self.wfile.write(b'HTTP/1.1 101 Switching Protocols\r\n'
                         b'Upgrade: bytes\r\nConnection: Upgrade\r\n\r\n'
                         + rest)

    def do_upgrade(self, _):
        """Sends back what comes."""
        if self.headers.get('Upgrade') != 'bytes':
            return self.answer(400, b'no upgrade')
        self.switch(b'early,')
        while data := self.connection.recv(65536):
            self.connection.sendall(data)
        return None

    def do_upgrade_flood(self, size):
        self.switch()
        self.connection.sendall(b'x' * int(size))

    def do_upgrade_sink(self, _):
        """Reads nothing until it is told to; then says how much came."""
        self.go.clear()
        self.switch()
        self.go.wait(30)
        size = 0
        while b'.' not in (data := self.connection.recv(65536)):
            size += len(data)
        self.connection.sendall(b'%d' % (size + len(data)))

    def do_upgrade_refuse(self, how):
        if how == 'whole':
            return self.answer(403, b'you may not')
        self.start_chunks(403)
        self.chunk(b'you may not')
        if how == 'chunks':
            self.chunk(b'')
        self.connection.recv(1)
        return None

    def do_upgrade_leave(self, _):
        self.switch(b'bye')

    def do_upgrade_mute(self, _):
        self.connection.recv(1)

    def do_upgrade_never(self, _):
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        pass

    def __init__(self, context):
        super().__init__(('127.0.0.1', 0), Handler)
        self.context = context

    def finish_request(self, request, client_address):
        if self.context:
            request = self.context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)


def context_of(folder, name, asks=False):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f'{folder}/{name}.pem', f'{folder}/{name}.key')
    if asks:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(f'{folder}/ca.pem')
    return context


def main():
    folder = sys.argv[1]
    make_certificates(folder)
    contexts = {
        'plain': None,
        'tls': context_of(folder, 'tls'),
        'other': context_of(folder, 'other'),
        'client': context_of(folder, 'tls', asks=True),
        'own': context_of(folder, 'own'),
        'proxy': None,
    }
    for name, context in contexts.items():
        server = Server(context)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(name, server.server_address[1])
    print('ready', 0, flush=True)
    sys.stdin.read()
    os._exit(0)


main()
