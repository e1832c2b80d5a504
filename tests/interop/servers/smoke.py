"""Drives the servers over both transports and in both eras with hand-written messages, through everything they offer.

Run setup.sh first, then `python3 smoke.py`. Uses no SDK. Ends with 1 when a check failed.
"""

import faulthandler
import http.client
import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

HERE = Path(__file__).parent
FORMS = json.loads((HERE / "forms.json").read_text("utf-8"))
SERVERS = {
    "python": [str(HERE / ".cache/venv/bin/python"), str(HERE / "python/server.py")],
    "typescript": ["node", str(HERE / "typescript/server.mjs")],
}
# Keeps no log, so what needs one is left out.
RUST = [str(HERE / ".cache/rust/debug/interop-peer")]
VERSION = "2026-07-28"
OLDER = "2025-11-25"
SECONDS = 20
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "smoke", "version": "1.0.0"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
}
CAPABILITIES = META["io.modelcontextprotocol/clientCapabilities"]
ACCEPT = {"action": "accept"}


def main() -> int:
    faulthandler.dump_traceback_later(300, exit=True)
    failed = 0
    for server, command in {**SERVERS, "rust": RUST}.items():
        for transport in (OlderHttp, OlderStdio):
            with transport(command) as peer:
                failed += sum(not passes(check, peer, f"{server} {transport.__name__.lower()}") for check in OLDER_CHECKS)
    for server, command in SERVERS.items():
        for transport in (Http, Stdio):
            with tempfile.TemporaryDirectory() as folder, transport(command, Path(folder) / "log.jsonl") as peer:
                failed += sum(not passes(check, peer, f"{server} {transport.__name__.lower()}") for check in CHECKS)
    print(f"{failed} failed")
    return 1 if failed else 0


def passes(check: Callable[["Peer"], None], peer: "Peer", where: str) -> bool:
    title = f"{where}: {check.__name__.replace('_', ' ')}"
    peer.forget()
    try:
        check(peer)
    except Exception as problem:
        print(f"FAIL {title}: {type(problem).__name__}: {problem}")
        return False
    print(f"ok   {title}")
    return True


def everything_is_listed(peer: "Peer") -> None:
    tools = [tool["name"] for tool in peer.request("tools/list", {})["tools"]]
    expect(
        tools,
        [
            "ask_form",
            "ask_every_field",
            "ask_link",
            "two_forms_and_link",
            "form_link_form",
            "odd_state",
            "state_only",
            "ask_undeclared",
            "link_complete",
            "needs_links",
            "slow",
        ],
    )
    expect([entry["name"] for entry in peer.request("prompts/list", {})["prompts"]], ["ask_prompt"])
    expect([entry["uri"] for entry in peer.request("resources/list", {})["resources"]], ["ask://confirm"])


def ask_form_tells_what_came_back(peer: "Peer") -> None:
    for answer in (
        {"action": "accept", "content": {"name": "Zoë", "plan": "team", "notify": False, "seats": 5}},
        {"action": "accept", "content": {}},
        {"action": "decline"},
        {"action": "cancel"},
    ):
        call = Call(peer, "tools/call", {"name": "ask_form", "arguments": {"topic": "tea"}})
        call.asks({"details": "details"})
        expect(call.retry({"details": answer}), {**answer, "params": {"topic": "tea"}, "state": {"topic": "tea"}})


def every_kind_of_field_is_asked_and_told(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "ask_every_field", "arguments": {}})
    call.asks({"fields": "every_field"})
    answer = {"action": "accept", "content": {"word": "Zo\u00eb", "share": 0.5, "days": ["mon", "wed"]}}
    expect(call.retry({"fields": answer}), answer)


def ask_link_asks_until_the_page_was_opened(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "ask_link", "arguments": {}})
    first = call.link("page")
    call.retry({"page": ACCEPT})
    expect(call.link("page"), first)
    expect(visit(first, "HEAD"), 404)
    call.retry({"page": ACCEPT})
    expect(call.link("page"), first)
    expect(visit(first), 200)
    expect(call.retry({"page": ACCEPT}), {"visited": True, "answers": 3})
    seen = [(line["verb"], line["path"]) for line in peer.logged("page")]
    expect(seen, [("HEAD", path_of(first)), ("GET", path_of(first))])


def ask_link_ends_when_declined(peer: "Peer") -> None:
    for action in ("decline", "cancel"):
        call = Call(peer, "tools/call", {"name": "ask_link", "arguments": {}})
        expect(call.retry({"page": {"action": action}}), {"visited": False, "answers": 1, "action": action})


def unknown_tickets_have_no_page(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "ask_link", "arguments": {}})
    expect(visit(call.link("page") + "0"), 404)


def two_forms_and_link_come_in_one_round_without_state(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "two_forms_and_link", "arguments": {}})
    expect("requestState" in call.result, False)
    call.asks({"form_a": "colour", "form_b": "amount", "link": None})
    given = {
        "form_a": {"action": "accept", "content": {"colour": "red"}},
        "form_b": {"action": "decline"},
        "link": ACCEPT,
    }
    expect(call.retry(given), given)


def form_link_form_takes_three_rounds(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "form_link_form", "arguments": {}})
    rounds = [
        {"first": {"action": "accept", "content": {"colour": "green"}}},
        {"second": ACCEPT},
        {"third": {"action": "accept", "content": {"amount": 1.5}}},
    ]
    states = set()
    for answers in rounds:
        expect(list(call.result["inputRequests"]), list(answers))
        states.add(call.result["requestState"])
        outcome = call.retry(answers)
    expect(outcome, rounds)
    expect(len(states), 3)


def odd_states_come_back_as_they_were(peer: "Peer") -> None:
    expected = {"empty": "", "large": "0123456789" * 20_000, "odd": " a\u00e9\u2028=+/ "}
    for which, state in expected.items():
        call = Call(peer, "tools/call", {"name": "odd_state", "arguments": {"which": which}})
        expect(call.result["requestState"], state)
        expect(call.retry({"confirm": {"action": "accept", "content": {}}}), {"same": True, "present": True})
        expect(peer.logged("request")[-1]["params"]["requestState"], state)


def an_absent_state_stays_absent(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "odd_state", "arguments": {"which": "absent"}})
    expect("requestState" in call.result, False)
    expect(call.retry({"confirm": {"action": "accept", "content": {}}}), {"same": True, "present": False})


def a_changed_odd_state_is_noticed(peer: "Peer") -> None:
    answered = {"confirm": {"action": "accept", "content": {}}}
    call = Call(peer, "tools/call", {"name": "odd_state", "arguments": {"which": "odd"}})
    call.result["requestState"] = call.result["requestState"].strip()
    expect(call.retry(answered), {"same": False, "present": True})
    call = Call(peer, "tools/call", {"name": "odd_state", "arguments": {"which": "absent"}})
    call.result["requestState"] = ""
    expect(call.retry(answered), {"same": False, "present": True})


def a_changed_sealed_state_is_refused(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "ask_form", "arguments": {"topic": "tea"}})
    params = {**call.params, "requestState": "v1.changed", "inputResponses": {"details": {"action": "cancel"}}}
    expect(peer.send("tools/call", params)["error"]["code"], -32602)


def state_only_asks_nothing(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "state_only", "arguments": {}})
    expect("inputRequests" in call.result, False)
    call.result = peer.request("tools/call", {**call.params, "requestState": call.result["requestState"]})
    expect(call.result["content"][0]["text"], "done")


def slow_reports_its_progress(peer: "Peer") -> None:
    params = {"name": "slow", "arguments": {"seconds": 0.2}, "_meta": {**META, "progressToken": "p-1"}}
    expect(peer.request("tools/call", params)["content"][0]["text"], "done")
    steps = [(note["params"]["progressToken"], note["params"]["progress"]) for note in peer.notifications]
    expect(steps, [("p-1", 0), ("p-1", 1), ("p-1", 2), ("p-1", 3)])


def slow_without_a_token_is_silent(peer: "Peer") -> None:
    params = {"name": "slow", "arguments": {"seconds": 0.1}}
    expect(peer.request("tools/call", params)["content"][0]["text"], "done")
    expect(peer.notifications, [])


def the_prompt_asks(peer: "Peer") -> None:
    for answer in ({"action": "accept", "content": {"colour": "red"}}, {"action": "decline"}):
        call = Call(peer, "prompts/get", {"name": "ask_prompt"})
        call.asks({"colour": "colour"})
        call.retry({"colour": answer})
        expect(json.loads(call.result["messages"][0]["content"]["text"]), answer)


def the_resource_asks(peer: "Peer") -> None:
    for answer in ({"action": "accept", "content": {}}, {"action": "cancel"}):
        call = Call(peer, "resources/read", {"uri": "ask://confirm"})
        call.asks({"confirm": "confirm"})
        call.retry({"confirm": answer})
        expect(json.loads(call.result["contents"][0]["text"]), answer)


def the_log_holds_what_was_sent(peer: "Peer") -> None:
    call = Call(peer, "tools/call", {"name": "ask_form", "arguments": {"topic": "tea \u2028"}})
    state = call.result["requestState"]
    call.retry({"details": {"action": "accept", "content": {"name": "a", "seats": 1}}})
    first, second = peer.logged("request")
    expect([first["id"], second["id"]], peer.sent_ids)
    expect(first["params"], {"name": "ask_form", "arguments": {"topic": "tea \u2028"}, "_meta": META})
    expect(second["params"]["requestState"], state)
    expect(json.loads(second["raw"])["params"], second["params"])
    if isinstance(peer, Http):
        expect((second["headers"]["mcp-method"], second["headers"]["mcp-name"]), ("tools/call", "ask_form"))
    else:
        expect(second["headers"], None)


CHECKS = [
    everything_is_listed,
    ask_form_tells_what_came_back,
    every_kind_of_field_is_asked_and_told,
    ask_link_asks_until_the_page_was_opened,
    ask_link_ends_when_declined,
    unknown_tickets_have_no_page,
    two_forms_and_link_come_in_one_round_without_state,
    form_link_form_takes_three_rounds,
    odd_states_come_back_as_they_were,
    an_absent_state_stays_absent,
    a_changed_odd_state_is_noticed,
    a_changed_sealed_state_is_refused,
    state_only_asks_nothing,
    slow_reports_its_progress,
    slow_without_a_token_is_silent,
    the_prompt_asks,
    the_resource_asks,
    the_log_holds_what_was_sent,
]


def older_forms_links_and_several_in_a_row(peer: "Older") -> None:
    details = {"action": "accept", "content": {"name": "Zo\u00eb", "seats": 5}}
    told = peer.tool("ask_form", {"topic": "tea"}, [details])
    expect(told, {**details, "params": {"topic": "tea"}, "state": {"topic": "tea"}})
    rounds = [{"action": "accept", "content": {"colour": "red"}}, ACCEPT, {"action": "accept", "content": {"amount": 2}}]
    told = peer.tool("form_link_form", {}, rounds)
    expect(told, [{key: answer} for key, answer in zip(("first", "second", "third"), rounds)])
    expect(peer.tool("ask_form", {"topic": "tea"}, [{"action": "decline"}])["action"], "decline")
    answers = [rounds[0], rounds[2], ACCEPT]
    expect(peer.tool("two_forms_and_link", {}, answers), dict(zip(("form_a", "form_b", "link"), answers)))


def older_links_are_asked_until_opened(peer: "Older") -> None:
    def opened_the_second_time(params: dict, count: int) -> dict:
        if count == 2:
            visit(params["url"])
        return ACCEPT

    expect(peer.tool("ask_link", {}, opened_the_second_time), {"visited": True, "answers": 2})


def older_links_complete(peer: "Older") -> None:
    asked = []

    confirmed = {"action": "accept", "content": {}}

    def opened(params: dict, count: int) -> dict:
        if count == 2:
            return confirmed
        asked.append(params)
        threading.Timer(0.2, visit, [params["url"]]).start()
        return ACCEPT

    expect(peer.tool("link_complete", {}, opened), {"page": ACCEPT, "confirm": confirmed})
    expect(asked[0]["mode"], "url")
    seen = [note["params"] for note in peer.notifications if note["method"] == "notifications/elicitation/complete"]
    expect(seen, [{"elicitationId": asked[0]["elicitationId"]}])


def older_links_first(peer: "Older") -> None:
    for links in (1, 2):
        error = peer.call("tools/call", {"name": "needs_links", "arguments": {"links": links}}, [])["error"]
        expect((error["code"], len(error["data"]["elicitations"])), (-32042, links))
        for elicitation in error["data"]["elicitations"]:
            expect(set(elicitation), {"mode", "message", "url", "elicitationId"})
            visit(elicitation["url"])
        expect(peer.tool("needs_links", {"links": links}, []), {"links": links})


def older_prompts_and_resources_ask(peer: "Older") -> None:
    answer = {"action": "accept", "content": {"colour": "red"}}
    result = peer.call("prompts/get", {"name": "ask_prompt"}, [answer])["result"]
    expect(json.loads(result["messages"][0]["content"]["text"]), answer)
    result = peer.call("resources/read", {"uri": "ask://confirm"}, [{"action": "accept", "content": {}}])["result"]
    expect(json.loads(result["contents"][0]["text"]), {"action": "accept", "content": {}})


OLDER_CHECKS = [
    older_forms_links_and_several_in_a_row,
    older_links_are_asked_until_opened,
    older_links_complete,
    older_links_first,
    older_prompts_and_resources_ask,
]


class Older:
    """A client that begins with initialize and is asked by elicitation/create."""

    def __init__(self, command: list[str]) -> None:
        self._command, self._ids = command, count(1)
        self.forget()

    def forget(self) -> None:
        self.notifications: list[dict] = []

    def __enter__(self) -> "Older":
        self._process = subprocess.Popen(
            [*self._command, *self.transport], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._open()
        info = {"name": "smoke", "version": "1.0.0"}
        params = {"protocolVersion": OLDER, "capabilities": CAPABILITIES, "clientInfo": info}
        expect(self.call("initialize", params, [])["result"]["protocolVersion"], OLDER)
        for _ in self._send({"jsonrpc": "2.0", "method": "notifications/initialized"}):
            pass
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.terminate()
        self._process.wait(SECONDS)

    def tool(self, name: str, arguments: dict, answers: object) -> object:
        answer = self.call("tools/call", {"name": name, "arguments": arguments}, answers)
        return json.loads(answer["result"]["content"][0]["text"])

    def call(self, method: str, params: dict, answers: list[dict] | Callable[[dict, int], dict]) -> dict:
        """The response; questions get the next answer of the list, or what the function says."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        asked = 0
        for incoming in self._send(message):
            if incoming.get("method") == "elicitation/create":
                asked += 1
                answer = answers(incoming["params"], asked) if callable(answers) else answers[asked - 1]
                for _ in self._send({"jsonrpc": "2.0", "id": incoming["id"], "result": answer}):
                    pass
            elif "method" in incoming:
                self.notifications.append(incoming)
            else:
                expect(incoming["id"], message["id"])
                if isinstance(answers, list):
                    expect(asked, len(answers))
                return incoming
        raise AssertionError("no response")


class OlderHttp(Older):
    """Reads the answer to a request and the stream of everything else at once, as a server may ask on either."""

    transport = ("--http", "0")

    def _open(self) -> None:
        line = self._process.stdout.readline().decode("utf-8")
        self._address, self._session = urlsplit(line.removeprefix("listening on ").strip()), {}
        self._incoming: queue.Queue[dict] = queue.Queue()

    def _send(self, message: dict):
        response = self._request("POST", json.dumps(message))
        if session := response.getheader("Mcp-Session-Id"):
            self._session = {"Mcp-Session-Id": session, "MCP-Protocol-Version": OLDER}
        if "id" not in message or "method" not in message:
            expect(response.status, 202)
            if "method" in message:
                self._read_in_background(self._request("GET", None))
            return
        self._read_in_background(response)
        while True:
            yield self._incoming.get(timeout=SECONDS)

    def _request(self, verb: str, body: str | None) -> http.client.HTTPResponse:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **self._session}
        connection = http.client.HTTPConnection(self._address.hostname, self._address.port, timeout=SECONDS)
        connection.request(verb, self._address.path, body, headers)
        return connection.getresponse()

    def _read_in_background(self, response: http.client.HTTPResponse) -> None:
        def read() -> None:
            try:
                for line in response:
                    line = line.removeprefix(b"data:").strip()
                    if line.startswith(b"{"):
                        self._incoming.put(json.loads(line))
            except OSError:
                pass

        threading.Thread(target=read, daemon=True).start()


class OlderStdio(Older):
    transport = ("--stdio",)

    def _open(self) -> None:
        pass

    def _send(self, message: dict):
        self._process.stdin.write(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")
        self._process.stdin.flush()
        while "id" in message and "method" in message:
            yield json.loads(self._process.stdout.readline())


class Call:
    """One call over its rounds; `result` is the newest result."""

    def __init__(self, peer: "Peer", method: str, params: dict) -> None:
        self._peer, self._method, self.params = peer, method, params
        self.result = peer.request(method, params)
        expect(self.result["resultType"], "input_required")

    def asks(self, expected: dict[str, str | None]) -> None:
        """Key to the name of a form, or to None for a link."""
        requests = self.result["inputRequests"]
        expect(list(requests), list(expected))
        for key, name in expected.items():
            if name is None:
                self.link(key)
                continue
            expect(requests[key]["method"], "elicitation/create")
            schema = requests[key]["params"]["requestedSchema"]
            expect(schema, FORMS[name])
            expect(list(schema["properties"]), list(FORMS[name]["properties"]))

    def link(self, key: str) -> str:
        params = self.result["inputRequests"][key]["params"]
        expect(params["mode"], "url")
        return params["url"]

    def retry(self, answers: dict) -> object:
        """The final JSON text of a tool, or None when the server asks again or the call is no tool call."""
        params = {**self.params, "inputResponses": answers}
        if "requestState" in self.result:
            params["requestState"] = self.result["requestState"]
        self.result = self._peer.request(self._method, params)
        if self.result["resultType"] != "complete" or "content" not in self.result:
            return None
        return json.loads(self.result["content"][0]["text"])


class Peer:
    def __init__(self, command: list[str], log: Path) -> None:
        self._command, self._log, self._ids = command, log, count(1)
        self.forget()

    def forget(self) -> None:
        """What a check sees begins here."""
        self.notifications: list[dict] = []
        self.sent_ids: list[int] = []
        self._log.write_bytes(b"")

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        if isinstance(self, Http):
            self._process.terminate()
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            print("     the server had to be killed")
            self._process.kill()
            self._process.wait()

    def request(self, method: str, params: dict) -> dict:
        answer = self.send(method, params)
        if "result" not in answer:
            raise AssertionError(answer)
        return answer["result"]

    def send(self, method: str, params: dict) -> dict:
        """The response; notifications before it are collected in `notifications`."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": {"_meta": META, **params}}
        self.sent_ids.append(message["id"])
        answer = self._exchange(message)
        expect(answer["id"], message["id"])
        return answer

    def logged(self, kind: str) -> list[dict]:
        lines = self._log.read_bytes().decode("utf-8").split("\n")
        return [entry for entry in map(json.loads, filter(None, lines)) if entry["kind"] == kind]

    def _start(self, *transport: str) -> None:
        command = [*self._command, *transport, "--log", str(self._log)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)

    def _next_line(self) -> str:
        return self._lines.get(timeout=SECONDS).decode("utf-8")


class Http(Peer):
    def __enter__(self) -> "Http":
        self._start("--http", "0")
        self._address = urlsplit(self._next_line().removeprefix("listening on ").strip())
        return self

    def _exchange(self, message: dict) -> dict:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": message["method"],
        }
        name = message["params"].get("name") or message["params"].get("uri")
        if name:
            headers["Mcp-Name"] = name
        connection = http.client.HTTPConnection(self._address.hostname, self._address.port, timeout=SECONDS)
        connection.request("POST", self._address.path, json.dumps(message), headers)
        response = connection.getresponse()
        body = response.read().decode("utf-8")
        connection.close()
        if response.getheader("Content-Type") != "text/event-stream":
            return json.loads(body)
        events = body.replace("\r\n", "\n").split("\n\n")
        messages = [json.loads(event.partition("data: ")[2]) for event in events if "data: " in event]
        self.notifications += messages[:-1]
        return messages[-1]


class Stdio(Peer):
    def __enter__(self) -> "Stdio":
        self._start("--stdio")
        return self

    def _exchange(self, message: dict) -> dict:
        self._process.stdin.write(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")
        self._process.stdin.flush()
        while "id" not in (answer := json.loads(self._next_line())):
            self.notifications.append(answer)
        return answer


def visit(url: str, verb: str = "GET") -> int:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=SECONDS)
    connection.request(verb, path_of(url))
    status = connection.getresponse().status
    connection.close()
    return status


def path_of(url: str) -> str:
    address = urlsplit(url)
    return f"{address.path}?{address.query}"


def expect(got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{str(got)[:400]} instead of {str(wanted)[:400]}")


if __name__ == "__main__":
    sys.exit(main())
