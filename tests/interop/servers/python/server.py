"""MCP test server on the official Python SDK: tools, a prompt and a resource that ask, in both eras.

What asks is written once, in rounds. A client of 2026-07-28 gets every round as a result; with an older one, which began
with `initialize`, `in_rounds` asks by `elicitation/create` and goes through the rounds by itself.
The SDK seals requestState, so the tools see the plaintext they minted; only `odd_state` is taken out of the seal.
What the client sent is found unchanged in the file named by --log. Nothing here decides whether an answer is right.
"""

import argparse
import asyncio
import functools
import json
import os
import secrets
import socket
import threading
from contextvars import ContextVar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import parse_qs, urlsplit

import uvicorn
from mcp import UrlElicitationRequiredError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitCompleteNotification,
    ElicitCompleteNotificationParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    InputRequiredResult,
    ListRootsRequest,
    Resource,
    SamplingMessage,
    TextContent,
)

LOGGED_METHODS = {"tools/call", "prompts/get", "resources/read"}
ODD_STATES = {"empty": "", "absent": None, "large": "0123456789" * 20_000, "odd": " a\u00e9\u2028=+/ "}
MODERN = "2026-07-28"
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


class Pushed(NamedTuple):
    """What an older client answered, and the state that it never saw."""

    answers: dict
    state: str | None


pushed: ContextVar[Pushed | None] = ContextVar("pushed", default=None)


def in_rounds(step):
    """Asks an older client by `elicitation/create` and goes through the rounds here."""

    @functools.wraps(step)
    async def rounds(*args, **kwargs):
        ctx = kwargs["ctx"]
        pushed.set(None)
        result = await step(*args, **kwargs)
        while isinstance(result, InputRequiredResult) and is_legacy(ctx):
            requests = result.input_requests or {}
            replies = {key: await push(ctx, request) for key, request in requests.items()}
            pushed.set(Pushed(replies, result.request_state))
            result = await step(*args, **kwargs)
        return result

    return rounds


async def push(ctx: Context, request: ElicitRequest | CreateMessageRequest | ListRootsRequest) -> dict:
    if isinstance(request, ListRootsRequest):
        reply = await ctx.session.list_roots()
    elif isinstance(request, CreateMessageRequest):
        params = request.params
        reply = await ctx.session.create_message(
            params.messages, max_tokens=params.max_tokens, related_request_id=ctx.request_id
        )
    elif isinstance(request.params, ElicitRequestURLParams):
        elicitation_id = secrets.token_hex(8)
        reply = await ctx.session.elicit_url(request.params.message, request.params.url, elicitation_id, ctx.request_id)
    else:
        schema = request.params.requested_schema
        reply = await ctx.session.elicit_form(request.params.message, schema, ctx.request_id)
    return reply.model_dump(by_alias=True, exclude_none=True)


def is_legacy(ctx: Context) -> bool:
    return (ctx.protocol_version or "") < MODERN


@peer.tool(structured_output=False)
@in_rounds
async def ask_form(topic: str, ctx: Context) -> str | InputRequiredResult:
    """Asks one form and tells what came back."""
    answer = answers(ctx).get("details")
    if answer is None:
        return ask({"details": form(f"Details about {topic}", "details")}, {"topic": topic})
    return as_json({**answer, "params": ctx.request_context.params["arguments"], "state": state(ctx)})


@peer.tool(structured_output=False)
@in_rounds
async def ask_every_field(ctx: Context) -> str | InputRequiredResult:
    """Asks one form with every kind of field."""
    answer = answers(ctx).get("fields")
    if answer is None:
        return ask({"fields": form("Every kind of field", "every_field")}, {})
    return as_json(answer)


@peer.tool(structured_output=False)
@in_rounds
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
@in_rounds
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
@in_rounds
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
@in_rounds
async def odd_state(which: Literal["empty", "absent", "large", "odd"], ctx: Context) -> str | InputRequiredResult:
    """Asks one form with an unusual requestState."""
    sent = ODD_STATES[which]
    if not answers(ctx):
        return InputRequiredResult(input_requests={"confirm": form("Go on?", "confirm")}, request_state=sent)
    received = raw_state(ctx)
    return as_json({"same": received == sent, "present": received is not None})


@peer.tool(structured_output=False)
@in_rounds
async def state_only(ctx: Context) -> str | InputRequiredResult:
    """Sends the client round once without asking anything."""
    if state(ctx) is None:
        return ask(None, {"round": 1})
    return "done"


@peer.tool(structured_output=False)
@in_rounds
async def ask_undeclared(what: Literal["sampling", "roots"], ctx: Context) -> str | InputRequiredResult:
    """Asks for sampling or roots, whether the client can or not."""
    answer = answers(ctx).get("other")
    if answer is not None:
        return as_json(answer)
    if what == "roots":
        return ask({"other": ListRootsRequest()}, {})
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Say something."))
    return ask({"other": CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=10))}, {})


@peer.tool(structured_output=False)
async def link_complete(ctx: Context) -> str:
    """Before 2026-07-28: asks to open a page, waits until it was opened, says so, and asks whether to go on."""
    ticket = pages.new_ticket()
    answer = await ctx.session.elicit_url("Open the page", pages.url(ticket), ticket, ctx.request_id)
    if answer.action == "accept":
        await asyncio.to_thread(pages.until_visited, ticket)
        params = ElicitCompleteNotificationParams(elicitation_id=ticket)
        await ctx.session.send_notification(ElicitCompleteNotification(params=params), ctx.request_id)
    go_on = await push(ctx, form("Go on?", "confirm"))
    return as_json({"page": answer.model_dump(by_alias=True, exclude_none=True), "confirm": go_on})


@peer.tool(structured_output=False)
async def needs_links(links: int, ctx: Context) -> str:
    """Before 2026-07-28: refuses with -32042 until so many pages were opened, then works once."""
    if not needed:
        needed.extend(pages.new_ticket() for _ in range(links))
    still_closed = [ticket for ticket in needed if not pages.was_visited(ticket)]
    if still_closed:
        raise UrlElicitationRequiredError(
            [
                ElicitRequestURLParams(message="Read the terms", url=pages.url(ticket), elicitation_id=ticket)
                for ticket in still_closed
            ]
        )
    needed.clear()
    return as_json({"links": links})


needed: list[str] = []


@peer.tool(structured_output=False)
async def slow(ctx: Context, seconds: float = 1.0) -> str:
    """Reports its progress in four steps."""
    for step in range(4):
        await ctx.report_progress(step, 4, f"step {step}")
        await asyncio.sleep(seconds / 4)
    return "done"


@peer.prompt()
@in_rounds
async def ask_prompt(ctx: Context) -> str | InputRequiredResult:
    """Asks one form, then holds the answer."""
    answer = answers(ctx).get("colour")
    if answer is None:
        return ask({"colour": form("Which colour?", "colour")}, {"prompt": "ask_prompt"})
    return as_json(answer)


@peer.resource("ask://{name}", mime_type="application/json")
@in_rounds
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
    known = pushed.get()
    return known.answers if known else ctx.request_context.params.get("inputResponses") or {}


def raw_state(ctx: Context) -> str | None:
    known = pushed.get()
    return known.state if known else ctx.request_context.params.get("requestState")


def state(ctx: Context) -> dict | None:
    known = pushed.get()
    plain = known.state if known else ctx.request_state
    if plain is None:
        return None
    remembered = json.loads(plain)
    del remembered["nonce"]
    return remembered


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Pages:
    """Pages on loopback behind the links; a ticket counts as visited after a GET."""

    def __init__(self) -> None:
        self.shared_ticket = secrets.token_hex(8)
        self._tickets = {self.shared_ticket}
        self._visited: set[str] = set()
        self._visits = threading.Condition()

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

    def until_visited(self, ticket: str) -> None:
        with self._visits:
            self._visits.wait_for(lambda: ticket in self._visited)

    def _visit(self, path: str) -> bool:
        parts = urlsplit(path)
        ticket = parse_qs(parts.query).get("ticket", [""])[0]
        if parts.path != "/page" or ticket not in self._tickets:
            return False
        with self._visits:
            self._visited.add(ticket)
            self._visits.notify_all()
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
