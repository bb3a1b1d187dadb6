import threading

import pytest

from sparsest.app.server import AppServer


@pytest.fixture
def app():
    server = AppServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()
