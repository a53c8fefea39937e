"""A hub of one repository that keeps what is pushed to it, and can refuse."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Hub:
    """`files` by path, as the last commit left them. `status` other than 200 is what every request gets."""

    url: str = ""
    token: str = "hf_secret"
    status: int = 200
    private: bool | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    commits: int = 0
    asked: list[str] = field(default_factory=list)

    def answer(self, method: str, path: str, body: bytes, token: str) -> tuple[int, Any]:
        self.asked.append(f"{method} {path}")
        if self.status != 200 or token != self.token:
            return (self.status if self.status != 200 else 401), {"error": "no, not you"}
        if path == "/api/repos/create":
            if self.private is not None:
                return 409, {"error": "it is there already", "url": f"{self.url}/datasets/me/tries"}
            said = json.loads(body)  # older clients say `private`
            self.private = said.get("private", said.get("visibility") == "private")
            return 200, {"url": f"{self.url}/datasets/me/tries"}
        if "/preupload/" in path:
            files = [{"path": file["path"], "uploadMode": "regular"} for file in json.loads(body)["files"]]
            return 200, {"files": [{**file, "shouldIgnore": False, "oid": None} for file in files]}
        if "/commit/" in path:
            self._commit([json.loads(line) for line in body.splitlines()])
            oid = f"{self.commits:040x}"
            return 200, {"success": True, "commitOid": oid, "commitUrl": f"{self.url}/datasets/me/tries/commit/{oid}"}
        if "/tree/" in path:
            return 200, [
                {"type": "file", "path": name, "size": len(said), "oid": "0"} for name, said in self.files.items()
            ]
        siblings = [{"rfilename": name} for name in self.files]
        return 200, {
            "id": "me/tries",
            "private": bool(self.private),
            "siblings": siblings,
            "sha": f"{self.commits:040x}",
        }

    def file(self, path: str, token: str) -> bytes | None:
        """What lies in the repository under the address of a file."""
        self.asked.append(f"file {path}")
        return self.files.get(path.partition("/resolve/")[2].partition("/")[2]) if token == self.token else None

    def _commit(self, lines: list[dict[str, Any]]) -> None:
        self.commits += 1
        for line in lines:
            if line["key"] == "file":
                self.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            elif line["key"] == "deletedFile":
                self.files.pop(line["value"]["path"])


def visit(monkeypatch: Any, hub: Hub, token: str = "hf_secret") -> None:
    """Makes `hub` the one that the client knows."""
    monkeypatch.setenv("HF_TOKEN", token)
    constants = "huggingface_hub.constants"
    monkeypatch.setattr(f"{constants}.ENDPOINT", hub.url)
    monkeypatch.setattr(
        f"{constants}.HUGGINGFACE_CO_URL_TEMPLATE", hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    )
    monkeypatch.setattr(f"{constants}.HF_HUB_OFFLINE", False)


@contextmanager
def hub(**settings: Any) -> Iterator[Hub]:
    """A running hub."""
    made = Hub(**settings)

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            if "/resolve/" in self.path:
                found = made.file(self.path, token)
                status, content = (404, b"") if found is None else (200, found)
            else:
                status, said = made.answer(self.command, self.path, body, token)
                content = json.dumps(said).encode()
            self.send_response(status)
            headers = {"Content-Type": "application/json", "Content-Length": len(content)}
            headers |= {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": f"{made.commits:040x}"}
            for name, value in headers.items():
                self.send_header(name, str(value))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_HEAD = _do

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
