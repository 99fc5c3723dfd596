#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""fake_api.py DIR COORDINATOR: an API of Kubernetes that plays one cluster, so
that the command line program can be tested alone.

Writes DIR/kubeconfig and serves until its input ends.  It keeps objects, lists
and watches them; when a Job comes, its pod is COORDINATOR (fake_coordinator.c),
whose socket a port forward reaches and whose output is the pod's log.  What it
shall do beside is read from DIR at each request:

    forbid       lines "VERB PLURAL": refused as by RBAC
    no-volcano   if it is there: no such kind as Volcano's Job
    pending      if it is there: pods stay Pending, for the reason in it
    over         "vcjobs/NAME": that Job is Completed
    linger       plurals: a Job that is deleted stays, marked, and what it owns
                 stays when it is gone, until the file is gone
    restart      if it is there: a container that ends is started again, once
    late         if it is there: of a container that ended it is not told
    again        if it is there: one that ended is said to run again

    DELETE of a pod ends its coordinator; so does that of its Job.
"""

import base64
import hashlib
import http.server
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse

FOLDER, COORDINATOR = sys.argv[1:]
LOCK = threading.Condition(threading.RLock())
OBJECTS = {}  # (plural, name) -> object
EVENTS = []   # (plural, type, object): the resourceVersion is the place
PODS = {}     # name -> Pod


def wish(name):
    try:
        with open(os.path.join(FOLDER, name), encoding='utf-8') as file:
            return file.read()
    except FileNotFoundError:
        return None


def put(plural, item, change):
    with LOCK:
        EVENTS.append((plural, change, None))
        item['metadata']['resourceVersion'] = str(len(EVENTS))
        EVENTS[-1] = (plural, change, json.dumps(item))
        key = plural, item['metadata']['name']
        if change == 'DELETED':
            OBJECTS.pop(key, None)
        else:
            OBJECTS[key] = item
        LOCK.notify_all()


class Pod:
    """A coordinator in a process of its own."""

    def __init__(self, owner, template):
        name = owner['metadata']['name'] + '-master-0'
        self.lines, self.over, self.process = [], False, None
        self.last = {}
        self.state = os.path.join(FOLDER, name)
        os.makedirs(self.state, exist_ok=True)
        self.item = {
            'kind': 'Pod', 'apiVersion': 'v1',
            'metadata': {
                'name': name, 'uid': f'uid-{time.time_ns()}',
                'namespace': owner['metadata']['namespace'],
                'labels': template['metadata']['labels'],
                'creationTimestamp': '2026-01-31T12:00:00Z',
            },
            'status': {'phase': 'Pending'},
        }
        PODS[name] = self
        put('pods', self.item, 'ADDED')
        threading.Thread(target=self.run, daemon=True).start()

    def tell(self, phase, **state):
        with LOCK:
            name = self.item['metadata']['name']
            if OBJECTS.get(('pods', name)) is not self.item:
                return
            self.item['status'] = {
                'phase': phase, 'containerStatuses': [
                    {'state': state, 'lastState': self.last}]}
            put('pods', self.item, 'MODIFIED')

    def run(self):
        while wish('pending') is not None:
            self.tell('Pending', waiting={'reason': wish('pending').strip()})
            time.sleep(0.1)
            if self.over:
                return
        code = self.run_container()
        if wish('restart') is not None:
            self.last = {'terminated': {'exitCode': code % 256}}
            self.tell('Running', waiting={'reason': 'CrashLoopBackOff'})
            code = self.run_container()
        with LOCK:
            self.over = True
            LOCK.notify_all()
        while wish('late') is not None:
            time.sleep(0.05)
        if wish('again') is not None:
            self.last = {'terminated': {'exitCode': code}}
            self.tell('Running', running={})
        while wish('again') is not None:
            time.sleep(0.05)
        self.tell('Failed' if code else 'Succeeded',
                  terminated={'exitCode': code})

    def mount(self):
        """The folder of the Secret that is the pod's."""
        name = self.item['metadata']['labels']['bellows.io/job'] \
            + '-coordinator-tls'
        folder = os.path.join(self.state, 'tls')
        os.makedirs(folder, exist_ok=True)
        for key, value in OBJECTS['secrets', name]['data'].items():
            with open(os.path.join(folder, key), 'wb',
                      opener=lambda path, flags: os.open(path, flags, 0o600)
                      ) as file:
                file.write(base64.b64decode(value))
        return folder

    def run_container(self):
        """The socket is there before the pod is Running."""
        if os.path.exists(self.state + '/address'):
            os.unlink(self.state + '/address')
        self.process = subprocess.Popen(
            [COORDINATOR, '--job', 'x', '--state', self.state, '--log',
             self.state + '/log'], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
            env=dict(os.environ, FAKE_TLS=self.mount()))
        while not os.path.exists(self.state + '/address') and \
                self.process.poll() is None:
            time.sleep(0.01)
        self.tell('Running', running={})
        for line in self.process.stdout:
            now = time.time_ns()
            stamp = time.strftime('%Y-%m-%dT%H:%M:%S',
                                  time.gmtime(now // 10**9))
            with LOCK:
                self.lines.append(f'{stamp}.{now % 10**9:09}Z {line}')
                LOCK.notify_all()
        return self.process.wait()

    def end(self):
        self.over = True
        if self.process:
            self.process.terminate()


def stays(plural, item):
    """Whether this one is deleted later only, as by a finalizer."""
    if plural not in (wish('linger') or '').split():
        return False
    if 'deletionTimestamp' not in item['metadata']:
        item['metadata']['deletionTimestamp'] = '2026-01-31T12:00:00Z'
        put(plural, item, 'MODIFIED')
        threading.Thread(target=delete_later, daemon=True,
                         args=(plural, item['metadata']['name'])).start()
    return True


def delete_later(plural, name):
    while wish('linger') is not None:
        time.sleep(0.05)
    with LOCK:
        delete(plural, name)


def delete(plural, name):
    item = OBJECTS[plural, name]
    if stays(plural, item):
        return
    put(plural, item, 'DELETED')
    if plural == 'pods':
        PODS[name].end()
    if plural in ('jobs', 'vcjobs'):
        if name + '-master-0' in PODS:
            delete('pods', name + '-master-0')
        for (kind, other), owned in list(OBJECTS.items()):
            owners = owned['metadata'].get('ownerReferences', [])
            if item['metadata']['uid'] in [at['uid'] for at in owners]:
                if kind in (wish('linger') or '').split():
                    threading.Thread(target=delete_later, daemon=True,
                                     args=(kind, other)).start()
                else:
                    put(kind, owned, 'DELETED')


def matches(item, namespace, query):
    if item['metadata']['namespace'] != namespace:
        return False
    labels = item['metadata'].get('labels', {})
    for term in query.get('labelSelector', [''])[0].split(','):
        key, _, value = term.partition('=')
        if key and labels.get(key) != value:
            return False
    term = query.get('fieldSelector', [''])[0]
    return not term or term == 'metadata.name=' + item['metadata']['name']


PATH = re.compile(r'/(?:api/v1|apis/([^/]+)/[^/]+)/namespaces/([^/]+)/([^/]+)'
                  r'(?:/([^/]+))?(?:/([^/]+))?$')


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def answer(self, code, item):
        text = json.dumps(item).encode()
        self.send_response(code)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, code, reason, message):
        self.answer(code, {'kind': 'Status', 'apiVersion': 'v1', 'status':
                           'Failure', 'reason': reason, 'message': message,
                           'code': code})

    def chunk(self, text):
        data = text.encode()
        self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
        self.wfile.flush()

    def begin(self):
        self.send_response(200)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()

    def handle_verb(self, verb):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        length = int(self.headers.get('Content-Length') or 0)
        body = json.loads(self.rfile.read(length) or '{}')
        found = PATH.match(url.path)
        if not found:
            return self.refuse(404, 'NotFound', 'no such path')
        group, namespace, plural, name, sub = found.groups()
        if group == 'batch.volcano.sh':
            plural = 'vcjobs'
            if wish('no-volcano') is not None:
                return self.refuse(404, 'NotFound', 'no such kind')
        kind = plural + (f'/{sub}' if sub else '')
        if verb == 'get' and not name:
            verb = 'watch' if 'watch' in query else 'list'
        if f'{verb} {kind}' in (wish('forbid') or '').splitlines():
            return self.refuse(
                403, 'Forbidden', f'{kind} is forbidden: User "me" cannot '
                f'{verb} resource "{kind}" in API group "" in the namespace '
                f'"{namespace}"')
        if verb == 'create' and not sub:
            return self.create(plural, namespace, body)
        if not name:
            return self.many(plural, namespace, query)
        with LOCK:
            item = OBJECTS.get((plural, name))
            if not item:
                return self.refuse(404, 'NotFound',
                                   f'{plural} "{name}" not found')
            if verb == 'delete':
                delete(plural, name)
            elif verb == 'patch':
                item['metadata'].update(body['metadata'])
                put(plural, item, 'MODIFIED')
        if sub == 'log':
            return self.log(PODS[name], query)
        if sub == 'portforward':
            return self.forward(PODS[name])
        return self.answer(200, item)

    def create(self, plural, namespace, item):
        meta = item['metadata']
        with LOCK:
            if (plural, meta['name']) in OBJECTS:
                return self.refuse(409, 'AlreadyExists', 'it is there')
            meta['uid'] = f'uid-{len(EVENTS)}'
            meta['namespace'] = namespace
            for key, value in item.pop('stringData', {}).items():
                item.setdefault('data', {})[key] = \
                    base64.b64encode(value.encode()).decode()
            put(plural, item, 'ADDED')
        self.answer(201, item)
        if plural == 'vcjobs':
            Pod(item, item['spec']['tasks'][0]['template'])
        elif plural == 'jobs' and not meta['name'].endswith('-monitor'):
            Pod(item, item['spec']['template'])
        return None

    def many(self, plural, namespace, query):
        if query.get('watch', ['0'])[0] in ('1', 'true'):
            return self.watch(plural, namespace, query)
        with LOCK:
            over = OBJECTS.get(tuple((wish('over') or '/').strip().split('/')))
            if over and plural == 'vcjobs':
                over['status'] = {'state': {'phase': 'Completed'}}
            items = [item for (kind, _), item in OBJECTS.items()
                     if kind == plural and matches(item, namespace, query)]
            return self.answer(200, {
                'kind': 'List', 'apiVersion': 'v1', 'items': items,
                'metadata': {'resourceVersion': str(len(EVENTS))}})

    def watch(self, plural, namespace, query):
        at = int(query['resourceVersion'][0])
        until = time.time() + float(query.get('timeoutSeconds', ['60'])[0])
        self.begin()
        while time.time() < until:
            with LOCK:
                LOCK.wait_for(lambda: len(EVENTS) > at, 1)
                new, at = EVENTS[at:], len(EVENTS)
            for kind, change, text in new:
                if kind == plural and matches(json.loads(text), namespace,
                                              query):
                    self.chunk(f'{{"type":"{change}","object":{text}}}\n')
        self.chunk('')

    def log(self, pod, query):
        since = query.get('sinceTime', [''])[0].rstrip('Z')
        at = 0
        self.begin()
        while True:
            with LOCK:
                LOCK.wait_for(lambda: len(pod.lines) > at or pod.over, 1)
                new, at, over = pod.lines[at:], len(pod.lines), pod.over
            for line in new:
                if line[:19] >= since:
                    self.chunk(line)
            if over and not new and pod.process.poll() is not None:
                return self.chunk('')

    # ---- a port forward: v4.channel.k8s.io ----

    def forward(self, pod):
        key = self.headers['Sec-WebSocket-Key']
        accept = base64.b64encode(hashlib.sha1(
            (key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').encode()).digest())
        self.send_response(101)
        self.send_header('Upgrade', 'websocket')
        self.send_header('Connection', 'Upgrade')
        self.send_header('Sec-WebSocket-Accept', accept.decode())
        self.send_header('Sec-WebSocket-Protocol',
                         self.headers['Sec-WebSocket-Protocol'])
        self.end_headers()
        self.close_connection = True
        for channel in (0, 1):
            self.frame(bytes([channel]) + struct.pack('<H', 7000))
        inner = socket.socket(socket.AF_UNIX)
        try:
            inner.connect(pod.state + '/coordinator.sock')
        except OSError as failure:
            self.frame(b'\1' + str(failure).encode())
            return self.frame(b'\3\xe8', 8)
        threading.Thread(target=self.outward, args=(inner,),
                         daemon=True).start()
        while True:
            code, data = self.take()
            if code == 8:
                return inner.shutdown(socket.SHUT_RDWR)
            if code == 9:
                self.frame(data, 10)
            elif code in (0, 1, 2) and data[:1] == b'\0':
                inner.sendall(data[1:])

    def outward(self, inner):
        try:
            while data := inner.recv(65536):
                self.frame(b'\0' + data)
            self.frame(b'\3\xe8', 8)
            self.connection.shutdown(socket.SHUT_RD)
        except OSError:
            pass

    def frame(self, data, code=2):
        n = len(data)
        head = bytes([0x80 | code]) + (
            bytes([n]) if n < 126 else
            b'\x7e' + struct.pack('>H', n) if n < 65536 else
            b'\x7f' + struct.pack('>Q', n))
        self.wfile.write(head + data)
        self.wfile.flush()

    def take(self):
        head = self.rfile.read(2)
        if len(head) < 2:
            return 8, b''
        n = head[1] & 127
        if n == 126:
            n, = struct.unpack('>H', self.rfile.read(2))
        elif n == 127:
            n, = struct.unpack('>Q', self.rfile.read(8))
        mask = self.rfile.read(4)
        data = self.rfile.read(n)
        return head[0] & 15, bytes(
            byte ^ mask[i & 3] for i, byte in enumerate(data))

    def do_GET(self):
        self.handle_verb('get')

    def do_POST(self):
        self.handle_verb('create')

    def do_PATCH(self):
        self.handle_verb('patch')

    def do_DELETE(self):
        self.handle_verb('delete')


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that leaves is no error."""


def main():
    server = Server(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f'http://127.0.0.1:{server.server_address[1]}'
    path = os.path.join(FOLDER, 'kubeconfig')
    with open(path + '.new', 'w', encoding='utf-8') as file:
        json.dump({
            'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'bed',
            'clusters': [{'name': 'bed', 'cluster': {'server': url}}],
            'users': [{'name': 'me', 'user': {}}],
            'contexts': [{'name': 'bed', 'context': {
                'cluster': 'bed', 'user': 'me', 'namespace': 'physics'}}],
        }, file)
    os.rename(path + '.new', path)
    sys.stdin.read()
    for pod in PODS.values():
        if pod.process:
            pod.process.kill()


main()
