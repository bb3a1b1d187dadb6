"""`sparsest app`: the same for people who do not write code, as a page on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from sparsest._core.errors import OptionError
from sparsest.cli.terminal import say


def app(
    port: Annotated[int, typer.Option(help="Port to listen on; 0: any free one.")] = 0,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Open a page on this machine: drop a table, see its audit, learn, look and download.

    Files never leave the machine. Ctrl-C ends it.

    Example: sparsest app --no-open --port 8123
    """
    from sparsest.app.server import AppServer

    try:
        server = AppServer(port)
    except (OSError, OverflowError) as error:
        raise OptionError(f"cannot listen on port {port}: {error}; choose another one with --port") from None
    say(f"open {server.address} (Ctrl-C ends it)")
    if open_browser:
        import webbrowser

        webbrowser.open(server.address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say("ended")
    finally:
        server.server_close()
