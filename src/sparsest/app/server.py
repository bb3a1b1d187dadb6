"""The server: standard library, loopback only, a token in the address.

Every request needs the token; the Host header must be the loopback address, so that no other site can reach
the server under a name of its own.
"""

from __future__ import annotations

import hmac
import json
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sparsest._core.errors import SparsestError
from sparsest.app.sitting import Sitting
from sparsest.report.fragment import asset
from sparsest.report.page import policy

MOST_BYTES = 200_000_000
_HOST = "127.0.0.1"


class AppServer(ThreadingHTTPServer):
    """One person's server; `address` is what to open in a browser."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__((_HOST, port), _Handler)
        self.token = secrets.token_urlsafe(24)
        self.sitting = Sitting()

    @property
    def address(self) -> str:
        """With the token."""
        return f"http://{_HOST}:{self.server_address[1]}/?token={self.token}"

    def server_close(self) -> None:
        """Close, and remove the copy of the table."""
        super().server_close()
        self.sitting.close()


class _Handler(BaseHTTPRequestHandler):
    server: AppServer
    server_version = "sparsest"
    sys_version = ""

    def do_GET(self) -> None:
        """Pages and what they ask for."""
        self._answered({
            "/": self._page,
            "/progress": lambda: self._json(self.server.sitting.progress()),
            "/shown": lambda: self._json(self.server.sitting.shown()),
            "/report.html": lambda: self._download("text/html", self.server.sitting.report(), "report.html"),
            "/fit.py": lambda: self._download("text/x-python", self.server.sitting.code(), "fit.py"),
        })  # fmt: skip

    def do_POST(self) -> None:
        """A table, and fits."""
        self._answered({"/table": self._table, "/fit": self._fit, "/stop": self._stop})

    def _answered(self, ways: dict[str, Any]) -> None:
        asked = urlsplit(self.path)
        given = parse_qs(asked.query).get("token", [""])[0] or self.headers.get("X-Token", "")
        here = self.headers.get("Host", "") in {
            f"{name}:{self.server.server_address[1]}" for name in (_HOST, "localhost")
        }
        if not here or not hmac.compare_digest(given.encode(), self.server.token.encode()):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", "open the address that sparsest app printed")
            return
        if asked.path not in ways:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", "there is no such page")
            return
        try:
            ways[asked.path]()
        except (SparsestError, ValueError, LookupError, TypeError) as error:
            self._json({"error": str(error)}, HTTPStatus.BAD_REQUEST)

    def _page(self) -> None:
        style, script = asset("page.css"), asset("graph.js") + app_script()
        allowed = policy(style, script) + "; connect-src 'self'"
        content = (
            app_page()
            .replace("<!--style-->", f"<style>{style}</style>")
            .replace("<!--script-->", f"<script>{script}</script>")
            .replace("<!--most-->", str(MOST_BYTES))
        )
        self._send(HTTPStatus.OK, "text/html", content, {"Content-Security-Policy": allowed})

    def _table(self) -> None:
        content = self._body()
        if content is not None:
            name = parse_qs(urlsplit(self.path).query).get("name", ["table.csv"])[0]
            self._json(self.server.sitting.take(name, content))

    def _fit(self) -> None:
        content = self._body()
        if content is not None:
            self.server.sitting.start(json.loads(content or b"{}"))
            self._json({})

    def _stop(self) -> None:
        self.server.sitting.stop()
        self._json({})

    def _body(self) -> bytes | None:
        length = int(self.headers.get("Content-Length", 0))
        if length > MOST_BYTES:
            size, most = (f"{bytes_ / 1e6:.0f}" for bytes_ in (length, MOST_BYTES))
            words = f"the file has {size} MB, and the app takes {most}: use sparsest fit"
            self.close_connection = True
            self._json({"error": words}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return None
        return self.rfile.read(length)

    def _json(self, tree: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(status, "application/json", json.dumps(tree))

    def _download(self, kind: str, content: str, name: str) -> None:
        self._send(HTTPStatus.OK, kind, content, {"Content-Disposition": f'attachment; filename="{name}"'})

    def _send(self, status: HTTPStatus, kind: str, content: str, more: dict[str, str] | None = None) -> None:
        body = content.encode("utf-8", "replace")
        self.send_response(status)
        always = {
            "Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
        }  # fmt: skip
        for name, value in (always | (more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: the address holds the token."""


def app_script() -> str:
    """The script of the page."""
    return _asset("app.js")


def app_page() -> str:
    """The page itself."""
    return _asset("app.html")


def _asset(name: str) -> str:
    from importlib import resources

    return resources.files("sparsest.app").joinpath(name).read_text(encoding="utf-8")
