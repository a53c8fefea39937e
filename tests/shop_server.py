"""A small shop that speaks as WebShop's own server does, over loopback, and fails on purpose as its script says.

It takes the routes of WebShop@64fa2a5 web_agent_site/app.py as Flask does: an address is unquoted before it is taken
apart, so that a slash in a part leads nowhere; keywords that begin with `[` are a list; a session has to see its first
page before another; a mistake in an address is status 500.
"""

from __future__ import annotations

import ast
import html
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from react.environments.shop import Goal, Product
from react.environments.shop.pages import Local, Page, Place
from react.environments.shop.reward import reward
from tests.shops import Shelf

Fault = Callable[["Handler"], None]
_FORMS = {
    "button": '<form method="post"><button type="submit" class="btn btn-primary">{}</button></form>',
    "option": '<input type="radio" name="x" value="y">\n                  <label for="radio_x0">{}</label>',
    "product": '<h4 class="mt-0 product-asin"><a class="product-link" href="/item_page/?a=b&amp;c">{}</a></h5>',
    "text": "<h4>{}</h4>",
}


class Handler(BaseHTTPRequestHandler):
    """One connection; what faults write with."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ShopServer

    def say(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.asked.append(self.path)
            fault = self.server.script.pop(0) if self.server.script else None
        if fault:
            fault(self)
            return
        try:
            page = self.server.page(unquote(self.path.partition("?")[0]).strip("/").split("/"))
        except Exception:
            self.say(
                500, "<!doctype html>\n<title>500</title>\n<h1>Internal Server Error</h1>\n<p>The server ...</p>\n"
            )
        else:
            self.say(*((200, rendered(page)) if page else (404, "<h1>Not Found</h1>\n<p>The requested URL ...</p>")))

    def log_message(self, format: str, *args: object) -> None:
        pass


class ShopServer(ThreadingHTTPServer):
    """Listens on a free port from the moment it exists; `with` stops it. `asked`: the paths of all requests."""

    daemon_threads = True

    def __init__(self, shelf: Shelf, *script: Fault | None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.script = list(script)
        self.asked: list[str] = []
        self.lock = threading.Lock()
        self._shelf = shelf
        self._sessions: dict[str, Local] = {}
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()

    def restart(self) -> None:
        """Forgets its sessions, as a process that begins anew."""
        self._sessions.clear()

    def page(self, parts: list[str]) -> Page | None:
        match parts:
            case [session]:
                return self._first(session)
            case ["search_results", session, keywords, number]:
                words = ast.literal_eval(keywords) if keywords.startswith("[") else [keywords]
                return self._sessions[session].read(Place("results", tuple(words), int(number)))
            case ["item_page", session, asin, _, _, options]:
                return self._sessions[session].read(Place("item", asin=asin, options=chosen(options)))
            case ["item_sub_page", session, asin, _, _, sub, options]:
                return self._sessions[session].read(Place("sub", asin=asin, sub=sub, options=chosen(options)))
            case ["done", session, asin, options]:
                return self._sessions[session].read(Place("done", asin=asin, options=chosen(options)))
        return None

    def _first(self, session: str) -> Page:
        if session not in self._sessions:
            goal = self._shelf.goals[int(session.split("_")[-1])]
            self._sessions[session] = Local(self._shelf, goal, self._judged)
        return self._sessions[session].read(Place())

    def _judged(self, product: Product, goal: Goal, chosen: Mapping[str, str]) -> float:
        return reward(product, goal, chosen, self._shelf.nouns.__getitem__).total


def chosen(options: str) -> tuple[tuple[str, str], ...]:
    return tuple(ast.literal_eval(options).items())


def rendered(page: Page) -> str:
    """HTML with these texts, and with what else such a page has: scripts, comments, elements that nobody closes."""
    pieces = "\n          ".join(_FORMS[piece.kind].format(html.escape(piece.text)) for piece in page.pieces)
    head = "<head><title>WebShop</title><style>h4 {}</style><link rel='icon'>\n<script>1 < 2</script></head>"
    return (
        f"<!DOCTYPE html>\n<html>\n  {head}\n  <body>\n    <div class='container'>\n      {pieces}\n"
        "<!-- <h4>unseen</h4> -->\n    </div>\n  </body>\n  <script>\n    $(document).ready();\n  </script>\n</html>\n"
    )
