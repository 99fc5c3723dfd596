# SPDX-License-Identifier: Apache-2.0
"""An API server that says what a test has written

Each request takes the next answer of the script, and is noted.  It speaks
HTTP/1.1 over TLS; clients may show a certificate, and need not.
"""

import http.server
import json
import os
import ssl
import subprocess
import threading
import time


def answer(code, body, **headers):
    """body: an object, or bytes as they are."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()

    def send(handler):
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(raw)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), str(value))
        handler.end_headers()
        handler.wfile.write(raw)
    return send


def status(code, reason="", message="", details=None, **headers):
    return answer(code, {"kind": "Status", "status": "Failure", "code": code,
                         "reason": reason, "message": message,
                         "details": details or {}}, **headers)


def drop(handler):
    """No answer: the connection ends."""
    handler.close_connection = True


def silent(handler):
    """No answer, and the connection stays."""
    handler.server.over.wait(60)
    handler.close_connection = True


def chunks(*pieces, end="closed"):
    """A body in pieces.  A piece that is an event is waited for; end: "closed"
    as it should be, "broken" in the middle, or "open" till the server ends."""
    def send(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for piece in pieces:
            if isinstance(piece, threading.Event):
                piece.wait(60)
                continue
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            handler.wfile.flush()
        if end == "open":
            handler.server.over.wait(60)
        if end == "closed":
            handler.wfile.write(b"0\r\n\r\n")
        else:
            handler.close_connection = True
    return send


def event(kind, item):
    return json.dumps({"type": kind, "object": item}).encode() + b"\n"


def pod(name, version, **more):
    return {"metadata": {"name": name, "namespace": "heat",
                         "resourceVersion": str(version)}, **more}


def pods(version, *items, more=""):
    return answer(200, {"kind": "PodList", "apiVersion": "v1",
                        "metadata": {"resourceVersion": str(version),
                                     "continue": more}, "items": items})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode()
        cert = self.connection.getpeercert() or {}
        send = self.server.take({
            "method": self.command, "path": self.path, "body": body,
            "headers": self.headers, "at": time.monotonic(),
            "cert": dict(pair[0] for pair in cert.get("subject", ()))})
        try:
            send(self)
        except OSError:
            self.close_connection = True

    do_GET = do_POST = do_PATCH = do_DELETE = serve

    def log_message(self, *_):
        pass


class Api(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, keys, *script):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.requests = []
        self.heard = threading.Condition()
        self.over = threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(keys / "server.crt", keys / "server.key")
        context.load_verify_locations(keys / "ca.crt")
        context.verify_mode = ssl.CERT_OPTIONAL
        self.context = context
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.02,),
                         daemon=True).start()

    def finish_request(self, request, client_address):
        # the handshake is the connection's own thread's business
        try:
            tls = self.context.wrap_socket(request, server_side=True)
        except (OSError, ssl.SSLError):
            return
        with tls:
            super().finish_request(tls, client_address)

    def shutdown_request(self, request):
        self.close_request(request)

    def take(self, request):
        with self.heard:
            self.requests.append(request)
            self.heard.notify_all()
            if not self.script:
                return status(500, "Unexpected", "the script is over")
            return self.script.pop(0)

    def wait_for(self, n, patience=30):
        """The requests, once there are n."""
        with self.heard:
            assert self.heard.wait_for(lambda: len(self.requests) >= n,
                                       patience), self.requests
            return list(self.requests)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()


def openssl(*words, cwd):
    subprocess.run(["openssl", *words], cwd=cwd, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_keys(folder):
    """ca, and by it server (for 127.0.0.1 and kube.test) and client (me)."""
    os.makedirs(folder)
    new = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
           "-nodes"]
    for name in ("ca", "other"):
        openssl(*new, "-x509", "-days", "2", "-subj", f"/CN={name}",
                "-keyout", f"{name}.key", "-out", f"{name}.crt", cwd=folder)
    for name, subject, alt in (
            ("server", "/CN=api", "IP:127.0.0.1"),
            ("named", "/CN=api", "DNS:kube.test"),
            ("client", "/O=heat/CN=me", "DNS:me")):
        (folder / "ext").write_text(f"subjectAltName={alt}\n")
        openssl(*new, "-subj", subject, "-keyout", f"{name}.key",
                "-out", f"{name}.csr", cwd=folder)
        openssl("x509", "-req", "-days", "2", "-in", f"{name}.csr",
                "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-extfile", "ext", "-out", f"{name}.crt", cwd=folder)
