"""The app's server: who is let in, and what it answers."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

from sparsest.app import server as served
from sparsest.app.server import AppServer


def asked(app, path, *, method="GET", body=None, token=None, host=None):
    connection = http.client.HTTPConnection("127.0.0.1", app.server_address[1], timeout=30)
    headers = {"X-Token": app.token if token is None else token}
    if host is not None:
        headers["Host"] = host
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), dict(answer.getheaders())


def test_only_the_loopback_address_is_listened_to(app):
    assert app.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["/", "/progress", "/shown", "/report.html"])
def test_without_the_token_or_under_another_name_nothing_is_told(app, path):
    assert asked(app, path, token="wrong")[0] == 403
    assert asked(app, path, host="evil.example")[0] == 403


def test_the_page_allows_its_own_script_only(app):
    status, text, headers = asked(app, f"/?{urlsplit(app.address).query}")
    assert status == 200
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "connect-src 'self'" in headers["Content-Security-Policy"]
    assert app.token not in text


def test_a_table_that_cannot_be_read_or_is_too_large_is_refused_in_words(app, monkeypatch):
    status, text, _ = asked(app, "/table?name=../../bad.csv", method="POST", body=b"\x00\x01")
    assert status == 400
    assert "error" in json.loads(text)
    monkeypatch.setattr(served, "MOST_BYTES", 10)
    status, text, _ = asked(app, "/table?name=a.csv", method="POST", body=b"a,b\n" * 10)
    assert status == 413
    assert "use sparsest fit" in json.loads(text)["error"]


def test_a_fit_that_is_stopped_keeps_the_best_so_far(app):
    import numpy as np

    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 8)) @ rng.normal(size=(8, 8))
    text = "\n".join([",".join("abcdefgh"), *(",".join(map(str, row)) for row in rows)])
    assert asked(app, "/table?name=t.csv", method="POST", body=text.encode())[0] == 200
    asked(app, "/fit", method="POST", body=json.dumps({"resamples": 100000}).encode())
    assert asked(app, "/stop", method="POST")[0] == 200
    while json.loads(asked(app, "/progress")[1])["running"]:
        pass
    assert json.loads(asked(app, "/progress")[1])["error"] == ""
    assert app.sitting.result is not None


def test_what_is_missing_is_said(app):
    assert "drop one first" in asked(app, "/fit", method="POST", body=b"{}")[1]
    assert "nothing was fitted" in asked(app, "/shown")[1]
    assert asked(app, "/nothing")[0] == 404


def test_the_copy_of_the_table_goes_with_the_server():
    server = AppServer()
    server.sitting.take("t.csv", b"a,b\n" + b"".join(b"%d,%d\n" % (k * k % 7, k % 5) for k in range(30)))
    file = server.sitting.file
    assert file.exists()
    server.server_close()
    assert not file.exists()
