"""MCP test server on the official Python SDK: tools, a prompt and a resource that ask.

The SDK seals requestState, so the tools see the plaintext they minted; only `odd_state` is taken out of the seal.
What the client sent is found unchanged in the file named by --log. Nothing here decides whether an answer is right.
"""

import argparse
import asyncio
import json
import os
import secrets
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    InputRequiredResult,
    Resource,
)

LOGGED_METHODS = {"tools/call", "prompts/get", "resources/read"}
ODD_STATES = {"empty": "", "absent": None, "large": "0123456789" * 20_000, "odd": " a\u00e9\u2028=+/ "}
FORMS = json.loads((Path(__file__).parent.parent / "forms.json").read_text("utf-8"))


def main() -> None:
    options = argparse.ArgumentParser()
    transport = options.add_mutually_exclusive_group(required=True)
    transport.add_argument("--http", type=int, metavar="PORT")
    transport.add_argument("--stdio", action="store_true")
    options.add_argument("--log", type=Path, metavar="FILE")
    chosen = options.parse_args()

    log = Log(chosen.log)
    pages.open(log)
    if chosen.stdio:
        record_stdin(log)
        peer.run("stdio")
    else:
        serve_http(chosen.http, log)


class Peer(MCPServer):
    """Lists the one URI of the asking template, because only templates may ask in this SDK."""

    async def list_resources(self) -> list[Resource]:
        return [*await super().list_resources(), Resource(uri="ask://confirm", name="confirm")]


class SealAllButOddState(RequestStateBoundary):
    async def __call__(self, ctx, call_next):
        if ctx.method == "tools/call" and (ctx.params or {}).get("name") == "odd_state":
            return await call_next(ctx)
        return await super().__call__(ctx, call_next)


peer = Peer("python-peer", version="1.0.0", log_level="WARNING")
for position, layer in enumerate(peer.middleware):
    if isinstance(layer, RequestStateBoundary):
        peer.middleware[position] = SealAllButOddState(RequestStateSecurity.ephemeral(), default_audience=peer.name)


@peer.tool(structured_output=False)
async def ask_form(topic: str, ctx: Context) -> str | InputRequiredResult:
    """Asks one form and tells what came back."""
    answer = answers(ctx).get("details")
    if answer is None:
        return ask({"details": form(f"Details about {topic}", "details")}, {"topic": topic})
    return as_json({**answer, "params": ctx.request_context.params["arguments"], "state": state(ctx)})


@peer.tool(structured_output=False)
async def ask_link(ctx: Context) -> str | InputRequiredResult:
    """Asks to open a page and asks again until the page was opened."""
    known = state(ctx) or {"ticket": pages.new_ticket(), "answers": 0}
    answer = answers(ctx).get("page")
    if answer is not None:
        known["answers"] += 1
        if pages.was_visited(known["ticket"]):
            return as_json({"visited": True, "answers": known["answers"]})
        if answer["action"] != "accept":
            return as_json({"visited": False, "answers": known["answers"], "action": answer["action"]})
    return ask({"page": link("Open the page", known["ticket"])}, known)


@peer.tool(structured_output=False)
async def two_forms_and_link(ctx: Context) -> str | InputRequiredResult:
    """Asks two forms and a link at once, without requestState."""
    requests = {
        "form_a": form("Which colour?", "colour"),
        "form_b": form("How much?", "amount"),
        "link": link("Read the terms", pages.shared_ticket),
    }
    if not requests.keys() <= answers(ctx).keys():
        return ask(requests, None)
    return as_json(answers(ctx))


@peer.tool(structured_output=False)
async def form_link_form(ctx: Context) -> str | InputRequiredResult:
    """Asks a form, then a link, then a form."""
    known = state(ctx) or {"ticket": pages.new_ticket(), "seen": []}
    if answers(ctx):
        known["seen"].append(answers(ctx))
    rounds = [
        {"first": form("Which colour?", "colour")},
        {"second": link("Read the terms", known["ticket"])},
        {"third": form("How much?", "amount")},
    ]
    if len(known["seen"]) < len(rounds):
        return ask(rounds[len(known["seen"])], known)
    return as_json(known["seen"])


@peer.tool(structured_output=False)
async def odd_state(which: Literal["empty", "absent", "large", "odd"], ctx: Context) -> str | InputRequiredResult:
    """Asks one form with an unusual requestState."""
    sent = ODD_STATES[which]
    if not answers(ctx):
        return InputRequiredResult(input_requests={"confirm": form("Go on?", "confirm")}, request_state=sent)
    received = ctx.request_context.params.get("requestState")
    return as_json({"same": received == sent, "present": "requestState" in ctx.request_context.params})


@peer.tool(structured_output=False)
async def state_only(ctx: Context) -> str | InputRequiredResult:
    """Sends the client round once without asking anything."""
    if state(ctx) is None:
        return ask(None, {"round": 1})
    return "done"


@peer.tool(structured_output=False)
async def slow(ctx: Context, seconds: float = 1.0) -> str:
    """Reports its progress in four steps."""
    for step in range(4):
        await ctx.report_progress(step, 4, f"step {step}")
        await asyncio.sleep(seconds / 4)
    return "done"


@peer.prompt()
async def ask_prompt(ctx: Context) -> str | InputRequiredResult:
    """Asks one form, then holds the answer."""
    answer = answers(ctx).get("colour")
    if answer is None:
        return ask({"colour": form("Which colour?", "colour")}, {"prompt": "ask_prompt"})
    return as_json(answer)


@peer.resource("ask://{name}", mime_type="application/json")
async def ask_resource(name: str, ctx: Context) -> str | InputRequiredResult:
    """Asks for a confirmation, then holds the answer."""
    answer = answers(ctx).get("confirm")
    if answer is None:
        return ask({"confirm": form(f"Read {name}?", "confirm")}, {"resource": name})
    return as_json(answer)


def ask(requests: dict[str, ElicitRequest] | None, remembered: dict | None) -> InputRequiredResult:
    """`remembered` becomes a fresh requestState, `None` leaves it out."""
    plain = None if remembered is None else json.dumps({**remembered, "nonce": secrets.token_hex(8)})
    return InputRequiredResult(input_requests=requests, request_state=plain)


def form(message: str, name: str) -> ElicitRequest:
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=FORMS[name]))


def link(message: str, ticket: str) -> ElicitRequest:
    return ElicitRequest(params=ElicitRequestURLParams(message=message, url=pages.url(ticket)))


def answers(ctx: Context) -> dict:
    """The bare results as they came; the SDK's typed view would fill in and drop members."""
    return ctx.request_context.params.get("inputResponses") or {}


def state(ctx: Context) -> dict | None:
    if ctx.request_state is None:
        return None
    remembered = json.loads(ctx.request_state)
    del remembered["nonce"]
    return remembered


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class Pages:
    """Pages on loopback behind the links; a ticket counts as visited after a GET."""

    def __init__(self) -> None:
        self.shared_ticket = secrets.token_hex(8)
        self._tickets = {self.shared_ticket}
        self._visited: set[str] = set()

    def open(self, log: "Log") -> None:
        pages = self

        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                log.page("GET", self.path)
                self._answer(pages._visit(self.path))

            def do_HEAD(self) -> None:
                log.page("HEAD", self.path)
                self._answer(False)

            def log_message(self, *_: object) -> None:
                pass

            def _answer(self, found: bool) -> None:
                body = b"<!doctype html><title>Done</title><p>You can close this page." if found else b""
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        listener = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self._port = listener.server_address[1]
        threading.Thread(target=listener.serve_forever, daemon=True).start()

    def new_ticket(self) -> str:
        ticket = secrets.token_hex(8)
        self._tickets.add(ticket)
        return ticket

    def url(self, ticket: str) -> str:
        return f"http://127.0.0.1:{self._port}/page?ticket={ticket}"

    def was_visited(self, ticket: str) -> bool:
        return ticket in self._visited

    def _visit(self, path: str) -> bool:
        parts = urlsplit(path)
        ticket = parse_qs(parts.query).get("ticket", [""])[0]
        if parts.path != "/page" or ticket not in self._tickets:
            return False
        self._visited.add(ticket)
        return True


pages = Pages()


class Log:
    """Appends one JSON line for each asking request and each page request; does nothing without a file."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lock = threading.Lock()

    def request(self, raw: bytes, headers: dict[str, str] | None) -> None:
        """`raw` is the message as it came; what is not one of the logged methods is left to the SDK."""
        try:
            message = json.loads(raw)
        except ValueError:
            return
        if not isinstance(message, dict) or message.get("method") not in LOGGED_METHODS:
            return
        line = {"kind": "request", "method": message["method"], "id": message.get("id")}
        line |= {"params": message.get("params"), "headers": headers, "raw": raw.decode("utf-8").strip()}
        self._append(line)

    def page(self, verb: str, path: str) -> None:
        self._append({"kind": "page", "verb": verb, "path": path})

    def _append(self, line: dict) -> None:
        if self._file is None:
            return
        with self._lock, self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def record_stdin(log: Log) -> None:
    """Puts a pipe in front of the SDK, which has no hook for raw lines."""
    source = os.fdopen(os.dup(0), "rb")
    reading_end, writing_end = os.pipe()
    os.dup2(reading_end, 0)
    os.close(reading_end)

    def pass_on() -> None:
        with os.fdopen(writing_end, "wb", buffering=0) as sink:
            for line in source:
                log.request(line, None)
                sink.write(line)

    threading.Thread(target=pass_on, daemon=True).start()


def serve_http(port: int, log: Log) -> None:
    listener = socket.create_server(("127.0.0.1", port))
    app = record_posts(peer.streamable_http_app(), log)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    AnnouncedServer(config).run(sockets=[listener])


class AnnouncedServer(uvicorn.Server):
    async def startup(self, sockets=None) -> None:
        await super().startup(sockets=sockets)
        print(f"listening on http://127.0.0.1:{sockets[0].getsockname()[1]}/mcp", flush=True)


def record_posts(app, log: Log):
    async def recording(scope, receive, send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        body = b""

        async def listen() -> dict:
            nonlocal body
            event = await receive()
            if event["type"] == "http.request":
                body += event.get("body", b"")
                if not event.get("more_body", False):
                    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
                    log.request(body, headers)
            return event

        await app(scope, listen, send)

    return recording


if __name__ == "__main__":
    main()
