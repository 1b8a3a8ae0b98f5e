# A small MCP server of the 2025-11-25 revision for tests, with a fault per mode (first argument).
import json, os, sys, time

mode = sys.argv[1] if len(sys.argv) > 1 else "good"
state = sys.argv[2] if len(sys.argv) > 2 else None


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def tool(name, **more):
    return {"name": name, "description": f"Does {name}", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}, **more}


def tools():
    listed = [
        tool("echo", annotations={"readOnlyHint": True, "title": "Echo"}),
        tool("slow"), tool("fail"), tool("ask"), tool("structured", outputSchema={"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}),
        tool("matching", outputSchema={"type": "array", "items": {"type": "integer"}}),
        tool("nothing_structured", outputSchema={"type": "object"}), tool("failing_structured", outputSchema={"type": "object"}),
        tool("bad_schema", outputSchema={"type": "object", "properties": {"x": {"$ref": "https://example.com/x.json"}}}),
        tool("wipe", annotations={"destructiveHint": False}),
        tool("exit"), tool("huge"), tool("twice"), tool("progress"), tool("garbage"), tool("pid"), tool("children"),
        tool("question_flood"), tool("stop_reading"),
    ]
    if mode == "stricter" and called or mode == "stricter-later" and len(open(state).readlines()) > 1:
        listed[0]["annotations"] = {"readOnlyHint": False}
    if mode == "many":
        return [tool(f"tool_{number}") for number in range(5000)]
    if mode == "bad-list":
        return [tool("echo"), tool("echo"), {"name": "broken", "inputSchema": "nonsense"}, {"no": "name"}, tool("worse", inputSchema={"type": "object", "properties": {"x": {"type": "nothing"}}}), tool("last")]
    if mode == "grow":
        return listed[: 1 + grown]
    return listed


if mode == "exit":
    print("cannot find the database", file=sys.stderr)
    sys.exit(3)
if mode == "silent":
    time.sleep(3600)
if mode == "noise":
    print("Welcome to the noisy server!", flush=True)
    print("{ not json", flush=True)
if mode == "flood":
    while True:
        sys.stdout.write("x" * 65536)
if state:
    with open(state, "a") as file:
        file.write(f"start {os.getpid()}\n")

grown, called = 0, False
cancelled = set()
pending = {}
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    reply = lambda result: send({"jsonrpc": "2.0", "id": id, "result": result})
    text = lambda text, **more: reply({"content": [{"type": "text", "text": text}], **more})
    if method == "server/discover":
        if mode == "old-exits":
            sys.exit(1)
        if mode == "old-ignores":
            continue
        if mode == "old-empty":
            reply({})
            continue
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
    elif method == "initialize":
        reply({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}, "prompts": {}, "resources": {}}, "serverInfo": {"name": "fake", "version": "1"}, "instructions": "Use echo."})
    elif method == "notifications/cancelled":
        if state:
            with open(state, "a") as file:
                file.write("cancelled\n")
    elif method == "tools/list":
        if mode == "no-list":
            continue
        if mode == "deep-list":
            print('{"jsonrpc":"2.0","result":{"tools":[{"name":"a","inputSchema":%s}]},"id":%s}' % ('{"not":' * 200 + "{}" + "}" * 200, json.dumps(id)), flush=True)
        elif mode == "endless":
            reply({"tools": [tool(f"t{time.time_ns()}")], "nextCursor": str(time.time_ns())})
        else:
            reply({"tools": tools()})
    elif method == "prompts/list":
        reply({"prompts": [{"name": "greet", "description": "Greets", "arguments": [{"name": "who", "required": True}]}]})
    elif method == "prompts/get":
        reply({"messages": [{"role": "user", "content": {"type": "text", "text": "Greet " + message["params"]["arguments"]["who"]}}]})
    elif method == "resources/list":
        reply({"resources": [{"uri": "test://one", "name": "one", "description": "First", "mimeType": "text/plain"}]})
    elif method == "resources/templates/list":
        reply({"resourceTemplates": [{"uriTemplate": "test://{id}", "name": "any"}]})
    elif method == "resources/read":
        reply({"contents": [{"uri": message["params"]["uri"], "text": "content of " + message["params"]["uri"]}]})
    elif method == "tools/call":
        name, arguments = message["params"]["name"], message["params"].get("arguments") or {}
        token = message["params"].get("_meta", {}).get("progressToken")
        if name == "echo":
            text(arguments.get("text", ""))
            if mode in ("grow", "stricter"):
                grown, called = grown + 1, True
                send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        elif name == "slow":
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1, "message": "working"}})
        elif name == "progress":
            for value in (1, 2, 2, 1, 3):
                send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": value, "total": 3, "message": f"step {value}"}})
            text("done")
        elif name == "fail":
            text("it failed", isError=True)
        elif name == "structured":
            reply({"content": [], "structuredContent": {"n": "not a number"}})
        elif name == "matching":
            reply({"content": [{"type": "text", "text": "three"}], "structuredContent": [1, 2, 3]})
        elif name == "nothing_structured":
            text("plain")
        elif name == "failing_structured":
            text("broken", isError=True)
        elif name == "bad_schema":
            text("readable", structuredContent={"x": 1})
        elif name == "exit":
            print("going down", file=sys.stderr, flush=True)
            sys.exit(1)
        elif name == "huge":
            sys.stdout.write('{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' % json.dumps(id))
            for _ in range(1600):
                sys.stdout.write("x" * 65536)
            sys.stdout.write('"}]}}\n')
            sys.stdout.flush()
        elif name == "twice":
            text("first")
            text("second")
        elif name == "garbage":
            print("this is not a message", flush=True)
            text("fine")
        elif name == "ask":
            pending["e1"] = id
            send({"jsonrpc": "2.0", "id": "e1", "method": "elicitation/create", "params": {"message": "Which one?", "requestedSchema": {"type": "object", "properties": {"color": {"type": "string", "enum": ["red", "green"]}, "count": {"type": "integer"}}, "required": ["color"]}}})
        elif name == "question_flood":
            for number in range(100_000):
                send({"jsonrpc": "2.0", "id": f"q{number}", "method": "elicitation/create", "params": {"message": "x" * 1000, "requestedSchema": {"type": "object", "properties": {}}}})
        elif name == "stop_reading":
            with open(state, "a") as file:
                file.write("stopped\n")
            time.sleep(3600)
        elif name == "pid":
            text(str(os.getpid()))
        elif name == "children":
            import subprocess
            child = subprocess.Popen(["/bin/sleep", "3600"], start_new_session=True)
            text(f"{os.getpid()} {child.pid}")
        else:
            text(name)
    elif id == "e1" and method is None:
        send({"jsonrpc": "2.0", "id": pending.pop("e1"), "result": {"content": [{"type": "text", "text": json.dumps(message["result"], sort_keys=True)}]}})
    elif id is not None and method:
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
