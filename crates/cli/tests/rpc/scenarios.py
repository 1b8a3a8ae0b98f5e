"""What a client can do, against the real program and a scripted model.

    python3 scenarios.py SCENARIO BINARY FOLDER

runs one scenario in FOLDER and writes what was said to FOLDER/transcript.jsonl. Each is a function below.
"""

import json
import os
import signal
import subprocess
import sys

from client import TIMEOUT, Client, Failed, alive, environment

READ_ONLY = "approval: 'read',"


class Stage:
    """A folder with a home and a project, and programs run in it."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.home = os.path.join(folder, "home")
        self.project = os.path.join(folder, "project")
        self.transcript = []
        os.makedirs(self.home, exist_ok=True)
        os.makedirs(self.project, exist_ok=True)

    def write(self, name, text):
        path = os.path.join(self.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.project, name), encoding="utf-8") as file:
            return file.read()

    def tool(self, name, body, more=READ_ONLY, parameters="{ type: 'object', properties: {} }"):
        """Writes a tool whose `execute` has this body."""
        self.write(
            f".toolsmith/tools/{name}.ts",
            f"""export default (pi) => ({{
              name: "{name}", description: "A tool of the tests", {more}
              parameters: {parameters},
              async execute(id, params, onUpdate, ctx, signal) {{ {body} }},
            }});
            """,
        )

    def script(self, *turns):
        path = os.path.join(self.folder, "script.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"turns": list(turns)}, file)
        return f"script:{path}"

    def start(self, model, *arguments):
        command = [self.binary, "--mode", "rpc", "--model", model, *arguments]
        return Client(command, self.transcript, cwd=self.project, env=environment(self.home))


def text(value):
    return "return { content: [{ type: 'text', text: " + value + " }] };"


def call(name, **arguments):
    return {"reply": [{"call": name, "arguments": arguments}]}


def is_answer(frame):
    """The model begins to answer."""
    return frame["type"] == "message_start" and frame["message"]["role"] == "assistant"


def refused(client, command, part, **fields):
    try:
        client.request(command, **fields)
    except Failed as failed:
        assert part in str(failed), str(failed)
        return str(failed)
    raise AssertionError(f"{command} was not refused")


# Talking


def prompt_steer_and_follow_up(stage):
    model = stage.script(
        call("gate"),
        {"expect": {"lastUserContains": "steered"}, "reply": "Steered."},
        {"expect": {"lastUserContains": "and then"}, "reply": "Followed up."},
    )
    # The tool waits until the client has answered, so that there is time to steer.
    stage.tool("gate", "await pi.ui.confirm('Go on?', ''); " + text("'open'"))
    with stage.start(model) as client:
        assert client.ready["protocolVersion"] == 1 and client.ready["limits"]["maxFrameBytes"] > 0
        assert client.ready["model"]["provider"] == "script", client.ready
        assert client.ready["session"]["sessionFile"].endswith(".jsonl")
        client.request("initialize", protocolVersion=1, client="tests", ui=["confirm"])
        assert client.request("prompt", message="Begin") == {"started": True}
        question = client.wait_for("ui_request")
        refused(client, "prompt", "streamingBehavior", message="another")
        client.request("steer", message="steered")
        assert client.request("prompt", message="and then", streamingBehavior="followUp") == {"started": False}
        state = client.request("get_state")
        assert (state["isIdle"], state["queuedSteering"], state["queuedFollowUps"]) == (False, 1, 1), state
        assert state["hasUI"] is True
        client.send(type="ui_response", id=question["id"], confirmed=True)
        end = client.wait_for("agent_end")
        assert end["end"]["reason"] == "completed", end
        assert client.request("get_last_assistant_text") == {"text": "Followed up."}
        stats = client.request("get_session_stats")
        assert (stats["userMessages"], stats["assistantMessages"], stats["toolCalls"]) == (3, 3, 1), stats
        roles = [message["role"] for message in client.request("get_messages")["messages"]]
        assert roles == ["user", "assistant", "toolResult", "user", "assistant", "user", "assistant"], roles
        assert client.close() == 0
        assert any(frame["type"] == "session_shutdown" for frame in client.unread)


def abort_ends_the_run_and_the_next_one_works(stage):
    model = stage.script({"reply": ["Well", {"waitForAbort": True}]}, {"reply": [{"waitForAbort": True}]}, "Again.")
    with stage.start(model) as client:
        client.request("prompt", message="Begin")
        client.wait_for("message_update")
        client.request("abort", reason="enough")
        end = client.wait_for("agent_end")["end"]
        assert (end["reason"], end["message"]) == ("aborted", "Request was aborted: enough"), end
        client.unread.clear()
        client.request("prompt", message="Begin again")
        client.wait(is_answer)
        client.request("abort_and_prompt", message="No, this")
        assert client.wait_for("agent_end")["end"]["reason"] == "aborted"
        assert client.wait_for("agent_end")["end"]["reason"] == "completed"
        assert client.request("get_last_assistant_text") == {"text": "Again."}
        client.request("shutdown")
        assert client.wait_for_exit() == 0


def queue_modes_models_and_thinking_can_be_changed(stage):
    other = os.path.join(stage.folder, "other.json")
    with open(other, "w", encoding="utf-8") as file:
        json.dump(["From the other model."], file)
    with stage.start(stage.script("From the first.")) as client:
        client.request("set_steering_mode", mode="all")
        client.request("set_follow_up_mode", mode="all")
        state = client.request("get_state")
        assert (state["steeringMode"], state["followUpMode"]) == ("all", "all"), state
        refused(client, "set_steering_mode", "some", mode="some")
        assert client.request("set_thinking_level", level="high")["thinkingLevel"] == "high"
        refused(client, "set_model", "nobody", model="nobody/nothing-at-all")
        client.request("set_model", model=f"script:{other}")
        client.prompt("Who?")
        assert client.request("get_last_assistant_text") == {"text": "From the other model."}
        assert isinstance(client.request("get_available_models")["models"], list)
        assert client.close() == 0


def a_long_conversation_is_compacted(stage):
    words = "word " * 4000
    model = stage.script(words, words, "The summary.", "Of the last turn.", "After it.", {"reply": [{"waitForAbort": True}]})
    with stage.start(model, "--set", "compaction.keep_recent_tokens=1000") as client:
        refused(client, "compact", "nothing to compact")
        client.request("set_auto_compaction", enabled=False)
        state = client.request("get_state")
        assert (state["autoCompaction"], state["autoRetry"]) == (False, True), state
        client.prompt("one")
        client.prompt("two")
        compacted = client.request("compact", instructions="Keep it short")
        assert "The summary." in compacted["summary"], compacted
        assert compacted["tokensAfter"] < compacted["tokensBefore"], compacted
        assert "The summary." in json.dumps(client.request("get_messages")["messages"][0])
        client.prompt("three")
        assert client.request("get_last_assistant_text") == {"text": "After it."}
        client.unread.clear()
        client.request("prompt", message="four")
        client.wait(is_answer)
        refused(client, "compact", "during a run")
        assert client.close() == 0


def retries_are_switched_and_stopped(stage):
    failing = {"reply": [{"error": "overloaded", "class": "overloaded"}]}
    model = stage.script(failing, failing, "Fine.")
    with stage.start(model, "--set", "retry.base_delay=600", "--set", "retry.max_delay=600") as client:
        assert client.request("abort_retry") == {"aborted": False}
        client.request("prompt", message="Begin")
        client.wait_for("auto_retry_start")
        assert client.request("get_state")["isRetrying"] is True
        assert client.request("abort_retry") == {"aborted": True}
        end = client.wait_for("auto_retry_end")
        assert (end["success"], end["finalError"]) == (False, "Retry cancelled"), end
        client.wait_for("agent_end")
        client.request("set_auto_retry", enabled=False)
        client.unread.clear()
        assert client.prompt("Again")["end"]["reason"] == "failed"
        assert not any(frame["type"] == "auto_retry_start" for frame in client.unread)
        assert client.prompt("Once more")["end"]["reason"] == "completed"
        assert client.close() == 0


# Asking the person


def a_tool_asks_and_the_client_answers(stage):
    model = stage.script(call("ask"), {"expect": {"lastToolResultContains": "green true Ada long"}, "reply": "Fine."})
    stage.tool(
        "ask",
        """
        pi.ui.notify('Look here', 'warning'); pi.ui.setStatus('k', 'busy'); pi.ui.setStatus('k');
        pi.ui.setWidget('w', ['one', 'two']); pi.ui.setTitle('Title');
        const colour = await pi.ui.select('Colour', ['red', 'green']);
        const sure = await pi.ui.confirm('Sure?', 'Really?');
        const name = await pi.ui.input('Name', 'who?');
        const words = await pi.ui.editor('Words', 'begin');
        """
        + text("`${colour} ${sure} ${name} ${words} ${pi.hasUI}`"),
    )
    methods = ["select", "confirm", "input", "editor", "notify", "setStatus", "setWidget", "setTitle"]
    with stage.start(model) as client:
        seen = []
        client.on("ui_request", seen.append)
        assert client.request("initialize", ui=methods, approval=True)["hasUI"] is True
        client.request("prompt", message="Begin")
        colour = client.wait(lambda frame: frame.get("method") == "select")
        assert (colour["title"], colour["options"]) == ("Colour", ["red", "green"]), colour
        # A wrong answer is refused, and the question stays open.
        client.send(type="ui_response", id=colour["id"], value="blue")
        wrong = client.wait_for("response")
        assert not wrong["success"] and "not one of the options" in wrong["error"], wrong
        assert (wrong["command"], wrong["id"]) == ("ui_response", colour["id"])
        client.send(type="ui_response", id=colour["id"], value="green")
        sure = client.wait(lambda frame: frame.get("method") == "confirm")
        assert sure["message"] == "Really?"
        client.send(type="ui_response", id=sure["id"], confirmed=True)
        name = client.wait(lambda frame: frame.get("method") == "input")
        assert name["placeholder"] == "who?"
        client.send(type="ui_response", id=name["id"], value="Ada")
        words = client.wait(lambda frame: frame.get("method") == "editor")
        assert words["prefill"] == "begin"
        client.send(type="ui_response", id=words["id"], value="long")
        assert client.wait_for("agent_end")["end"]["reason"] == "completed"
        order = [frame["method"] for frame in seen]
        told = ["notify", "setStatus", "setStatus", "setWidget", "setTitle"]
        assert order == told + ["select", "confirm", "input", "editor"], order
        assert seen[0]["level"] == "warning" and "text" not in seen[2] and seen[3]["lines"] == ["one", "two"]
        # Nothing waits any more.
        client.send(type="ui_response", id=words["id"], value="again")
        assert "no open question" in client.wait_for("response")["error"]
        assert client.close() == 0


def dialogs_are_taken_back_by_timeout_and_abort(stage):
    model = stage.script(call("quick"), call("ask"), "Over.")
    stage.tool("quick", "const x = await pi.ui.input('Quick', '', { timeout: 30 }); " + text("String(x)"))
    stage.tool("ask", "const x = await pi.ui.select('Slow', ['a']); " + text("String(x)"))
    with stage.start(model) as client:
        client.request("initialize", ui=["select", "input"])
        client.request("prompt", message="Begin")
        quick = client.wait_for("ui_request")
        assert quick["timeoutMs"] == 30, quick
        assert client.wait_for("ui_cancel")["id"] == quick["id"]
        ended = client.wait_for("tool_execution_end")
        assert ended["result"]["content"][0]["text"] == "undefined", ended
        slow = client.wait_for("ui_request")
        assert "timeoutMs" not in slow
        client.request("abort")
        assert client.wait_for("ui_cancel")["id"] == slow["id"]
        assert client.wait_for("agent_end")["end"]["reason"] == "aborted"
        assert client.close() == 0


def without_a_word_of_the_client_tools_are_headless(stage):
    model = stage.script(call("ask"), "Over.", call("ask"), "Over.")
    stage.tool(
        "ask",
        "pi.ui.notify('x'); const a = [await pi.ui.select('t', ['a']), await pi.ui.confirm('t', 'm'),"
        " await pi.ui.input('t'), await pi.ui.editor('t')]; " + text("`${pi.hasUI} ${a.map(String)}`"),
    )
    with stage.start(model) as client:
        client.request("prompt", message="Begin")
        ended = client.wait_for("tool_execution_end")
        assert ended["result"]["content"][0]["text"] == "false undefined,false,undefined,undefined", ended
        client.wait_for("agent_end")
        # A client that can do one thing is not asked for others.
        client.request("initialize", ui=["notify"])
        client.request("prompt", message="Again")
        ended = client.wait_for("tool_execution_end")
        assert ended["result"]["content"][0]["text"] == "true undefined,false,undefined,undefined", ended
        assert client.wait_for("ui_request")["method"] == "notify"
        client.wait_for("agent_end")
        assert client.close() == 0


def calls_that_need_approval_ask_the_client(stage):
    model = stage.script(call("danger"), call("danger"), call("danger"), call("danger"), "Over.")
    stage.tool("danger", text("'done'"), more="formatApprovalDetails: () => 'it is dangerous',")
    with stage.start(model) as client:
        # Nobody can be asked: refused, with how to allow it.
        client.request("prompt", message="Begin")
        ended = client.wait_for("tool_execution_end")
        assert ended["isError"] and "requires approval" in ended["result"]["content"][0]["text"], ended
        client.request("abort")
        client.wait_for("agent_end")
        client.request("initialize", approval=True)
        client.unread.clear()
        client.request("prompt", message="Again")
        question = client.wait_for("approval_request")
        assert (question["toolName"], question["tier"]) == ("danger", "exec"), question
        assert question["details"] == ["it is dangerous"], question
        client.send(type="approval_response", id=question["id"], approved=False, note="not now")
        ended = client.wait_for("tool_execution_end")
        assert "not now" in ended["result"]["content"][0]["text"], ended
        question = client.wait_for("approval_request")
        client.send(type="approval_response", id=question["id"], approved=True, remember=True)
        assert client.wait_for("tool_execution_end")["isError"] is False
        # The next one is not asked about.
        assert client.wait_for("agent_end")["end"]["reason"] == "completed"
        assert not any(frame["type"] == "approval_request" for frame in client.unread)
        client.send(type="approval_response", id="approval-99", approved=True)
        assert "no open question" in client.wait_for("response")["error"]
        assert client.close() == 0


# Tools of the client


ADD = {
    "name": "add",
    "label": "Add",
    "description": "Adds two numbers",
    "approval": "read",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
}


def host_tools_are_called_by_the_model(stage):
    model = stage.script(
        call("add", a="2", b=3),
        {"expect": {"lastToolResultContains": "5"}, "reply": [{"call": "add", "arguments": {"a": 1}}]},
        call("add", a=1, b=1),
        call("add", a=2, b=2),
        {"expect": {"toolOffered": "add"}, "reply": "Over."},
    )
    with stage.start(model) as client:
        error = refused(client, "set_host_tools", "", tools=[ADD, {**ADD, "name": "bash"}])
        assert 'Tool name "bash" conflicts with existing tool' in error, error
        refused(client, "set_host_tools", "conflicts", tools=[ADD, ADD])
        refused(client, "set_host_tools", "invalid parameters", tools=[{**ADD, "parameters": {"type": 7}}])
        names = [tool["name"] for tool in client.request("get_tools")["tools"]]
        assert "add" not in names, names
        hidden = {**ADD, "name": "secret", "hidden": True}
        active = client.request("set_host_tools", tools=[ADD, hidden])["active"]
        assert "add" in active and "secret" not in active, active

        client.request("prompt", message="Add")
        asked = client.wait_for("host_tool_call")
        # Repaired and valid, as for every tool.
        assert asked["toolName"] == "add" and asked["arguments"] == {"a": 2, "b": 3}, asked
        client.send(
            type="host_tool_update", id=asked["id"], partialResult={"content": [{"type": "text", "text": "adding"}]}
        )
        update = client.wait_for("tool_execution_update")
        assert update["partialResult"]["content"][0]["text"] == "adding", update
        client.send(
            type="host_tool_result",
            id=asked["id"],
            result={"content": [{"type": "text", "text": "5"}], "details": {"sum": 5}},
        )
        ended = client.wait_for("tool_execution_end")
        assert ended["result"]["details"] == {"sum": 5}, ended
        # Wrong arguments never reach the client.
        ended = client.wait_for("tool_execution_end")
        assert ended["isError"] and "Validation failed" in ended["result"]["content"][0]["text"], ended
        asked = client.wait_for("host_tool_call")
        client.send(type="host_tool_result", id=asked["id"], result={"content": "no blocks"})
        assert "invalid result" in client.wait_for("response")["error"]
        ended = client.wait_for("tool_execution_end")
        assert ended["isError"] and "invalid result" in ended["result"]["content"][0]["text"], ended
        asked = client.wait_for("host_tool_call")
        client.send(type="host_tool_result", id=asked["id"], result="it broke", isError=True)
        ended = client.wait_for("tool_execution_end")
        assert ended["isError"] and ended["result"]["content"][0]["text"] == "it broke", ended
        assert client.wait_for("agent_end")["end"]["reason"] == "completed"
        client.send(type="host_tool_result", id=asked["id"], result="again")
        assert "no open question" in client.wait_for("response")["error"]
        assert client.request("set_host_tools", tools=[])["active"].count("add") == 0
        assert client.close() == 0


def host_tools_are_cancelled_and_have_deadlines(stage):
    model = stage.script(call("slow"), call("late"), "Over.")
    tool = {"description": "Never ends", "approval": "read"}
    with stage.start(model) as client:
        client.request(
            "set_host_tools", tools=[{**tool, "name": "slow"}, {**tool, "name": "late", "deadlineMs": 20}]
        )
        client.request("prompt", message="Begin")
        asked = client.wait_for("host_tool_call")
        client.request("abort")
        assert client.wait_for("host_tool_cancel")["targetId"] == asked["id"]
        client.send(type="host_tool_result", id=asked["id"], result="stopped halfway")
        ended = client.wait_for("tool_execution_end")
        assert "stopped (stopped halfway)" in ended["result"]["content"][0]["text"], ended
        client.wait_for("agent_end")
        client.request("prompt", message="Again")
        asked = client.wait_for("host_tool_call")
        assert client.wait_for("host_tool_cancel")["targetId"] == asked["id"]
        ended = client.wait_for("tool_execution_end")
        assert "Timed out" in ended["result"]["content"][0]["text"], ended
        assert client.wait_for("agent_end")["end"]["reason"] == "completed"
        assert client.close() == 0


def a_client_that_goes_ends_the_calls_of_its_tools(stage):
    model = stage.script(call("slow"), "Over.")
    with stage.start(model) as client:
        client.request("set_host_tools", tools=[{"name": "slow", "description": "x", "approval": "read"}])
        client.request("prompt", message="Begin")
        client.wait_for("host_tool_call")
        assert client.close() == 0
        ended = client.wait_for("tool_execution_end")
        assert ended["isError"] and "gone" in ended["result"]["content"][0]["text"], ended


# Tools, previews, undo


def tools_are_listed_chosen_and_called(stage):
    model = stage.script({"expect": {"toolOffered": "greet"}, "reply": "Only greet."})
    stage.tool(
        "greet",
        "onUpdate({ content: [{ type: 'text', text: '…' }] }); " + text("`Hello, ${params.name}!`"),
        parameters="{ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }",
    )
    stage.tool("endless", "for (;;) {}")
    stage.write(".toolsmith/tools/broken.ts", "throw new Error('no')\n")
    with stage.start(model) as client:
        assert [problem["message"] for problem in client.ready["loadProblems"]] == ["Failed to load tool: no"]
        tools = {tool["name"]: tool for tool in client.request("get_tools")["tools"]}
        assert tools["greet"]["isActive"] and tools["greet"]["tier"] == "read"
        assert tools["resolve"]["hidden"] and not tools["resolve"]["isActive"]
        assert "did you mean greet" in refused(client, "set_active_tools", "Unknown tool", names=["gret"])
        assert client.request("set_active_tools", names=["greet"])["active"] == ["greet"]
        called = client.request("call_tool", name="greet", arguments={"name": "Ada"}, toolCallId="mine")
        assert called["result"]["content"] == [{"type": "text", "text": "Hello, Ada!"}], called
        assert (called["toolCallId"], called["isError"]) == ("mine", False)
        assert client.wait_for("tool_execution_update")["toolCallId"] == "mine"
        called = client.request("call_tool", name="greet")
        assert called["isError"] and "name" in called["result"]["content"][0]["text"], called
        # A call that does not end holds nothing up, and can be stopped.
        number = client.post("call_tool", name="endless", toolCallId="long")
        client.wait(lambda frame: frame["type"] == "tool_execution_start" and frame["toolCallId"] == "long")
        assert client.request("get_state")["isIdle"] is True
        refused(client, "abort_tool", "no call", toolCallId="other")
        client.request("abort_tool", toolCallId="long")
        assert client.reply(number)["isError"] is True
        client.prompt("Which?")
        assert client.request("get_last_assistant_text") == {"text": "Only greet."}
        assert client.close() == 0


def commands_of_files_and_skills_are_listed_and_run(stage):
    command = "---\ndescription: Greets\nargument-hint: <name>\n---\nSay hello to $1"
    stage.write(".claude/commands/greet.md", command)
    stage.write(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: PDFs\n---\nBody of pdf\n")
    model = stage.script("Hello {{lastUser}}", "Again {{lastUser}}")
    with stage.start(model) as client:
        commands = {row["name"]: row for row in client.request("get_commands")["commands"]}
        greet = commands["greet"]
        assert (greet["source"], greet["argumentHint"]) == ("prompt", "<name>"), commands
        assert (commands["skill:pdf"]["source"], greet["origin"]) == ("skill", "Claude Code, project"), commands
        assert client.request("run_command", name="greet", arguments="Ada") == {"started": True}
        client.wait_for("agent_end")
        assert client.request("get_last_assistant_text") == {"text": "Hello Say hello to Ada"}
        client.prompt("/skill:pdf page 2")
        said = client.request("get_last_assistant_text")["text"]
        assert "Body of pdf" in said and said.endswith("User: page 2"), said
        assert client.close() == 0


def previews_are_listed_viewed_applied_discarded_and_undone(stage):
    model = stage.script(call("rename"), {"reply": [{"waitForAbort": True}]}, "Over.")
    stage.write("a.txt", "one\ntwo\n")
    stage.write("b.txt", "one\n")
    stage.tool(
        "rename",
        "pi.pushPendingAction({ label: 'One to 1', sourceToolName: 'rename',"
        " files: [{ path: 'a.txt', content: '1\\ntwo\\n' }, { path: 'b.txt', content: '1\\n' }] });"
        "pi.pushPendingAction({ label: 'Nothing', sourceToolName: 'rename',"
        " reject: async (reason) => ({ content: [{ type: 'text', text: `Dropped: ${reason}` }] }),"
        " apply: async () => { throw new Error('cannot') } });" + text("'2 previews'"),
    )
    with stage.start(model) as client:
        refused(client, "pending_apply", "No pending action")
        client.request("prompt", message="Rename")
        client.wait_for("tool_execution_end")
        client.request("abort")
        client.wait_for("agent_end")
        assert client.wait_for("pending_pushed")["action"]["label"] == "One to 1"
        top, below = client.request("pending_list")["actions"]
        assert (top["label"], below["label"], below["sourceToolName"]) == ("Nothing", "One to 1", "rename")
        assert client.request("pending_view")["files"] == []
        files = client.request("pending_view", actionId=below["id"])["files"]
        assert len(files) == 2 and "-one\n+1\n" in files[0]["diff"], files
        discarded = client.request("pending_discard", reason="not wanted")
        assert discarded["result"]["content"][0]["text"] == "Dropped: not wanted", discarded
        assert discarded["pendingActions"] == 1
        assert client.wait_for("pending_popped")["count"] == 1
        assert client.request("undo_list")["changes"] == []
        applied = client.request("pending_apply", actionId=below["id"], files=["a.txt"], reason="fine")
        assert applied["isError"] is False and applied["pendingActions"] == 0, applied
        assert (stage.read("a.txt"), stage.read("b.txt")) == ("1\ntwo\n", "one\n")
        refused(client, "pending_view", "No pending action", actionId=below["id"])
        change = client.request("undo_list")["changes"][0]
        assert change["label"] == "One to 1" and not change["undone"], change
        undone = client.request("undo", changeId=change["id"])["change"]
        assert undone["id"] == change["id"] and stage.read("a.txt") == "one\ntwo\n"
        refused(client, "undo", "", changeId=change["id"])
        assert client.close() == 0


# Sessions


def the_session_is_named_labelled_listed_and_exported(stage):
    with stage.start(stage.script("Hello there.")) as client:
        client.prompt("Hi")
        client.request("set_session_name", name="The name")
        entry = client.request("get_branch_messages")["messages"][0]
        assert entry["text"] == "Hi"
        client.request("set_label", entryId=entry["entryId"], label="start")
        refused(client, "set_label", "no entry", entryId="nowhere", label="x")
        tree = client.request("get_tree")
        labels = {row["id"]: row.get("label") for row in tree["rows"]}
        assert labels[entry["entryId"]] == "start" and tree["leafId"] in labels, tree
        listed = client.request("list_sessions")["sessions"]
        assert [one["name"] for one in listed] == ["The name"], listed
        assert len(client.request("list_sessions", all=True)["sessions"]) == 1
        assert "Hello there." in client.request("export", format="markdown")["text"]
        path = client.request("export", path="out.html")["path"]
        assert path.endswith("out.html") and "Hello there." in stage.read("out.html")
        refused(client, "export", "out.html", path="out.html")
        client.request("export", path="out.html", overwrite=True)
        assert client.close() == 0


def the_conversation_is_switched_branched_forked_and_moved_in(stage):
    model = stage.script(
        call("stage_it"), {"reply": [{"waitForAbort": True}]}, "Two.", "Three.", "Four.", "A summary of it."
    )
    stage.tool(
        "stage_it",
        "pi.pushPendingAction({ label: 'x', apply: async () => ({ content: [] }) }); " + text("'staged'"),
    )
    with stage.start(model) as client:
        heard = []
        for kind in ("session_switch", "session_branch", "session_tree", "session_shutdown"):
            client.on(kind, lambda frame: heard.append(frame["type"]))
        first = client.ready["session"]
        client.request("prompt", message="first")
        client.wait(is_answer)
        client.wait(is_answer)
        client.request("follow_up", message="later")
        # What is queued comes back, and what is staged is dropped.
        went = client.request("new_session")
        assert went["sessionId"] != first["sessionId"], went
        assert [message["content"][0]["text"] for message in went["queued"]] == ["later"], went
        assert client.request("pending_list")["actions"] == []
        assert client.request("get_messages")["messages"] == []
        client.unread.clear()
        client.prompt("second")
        second = client.request("get_state")
        refused(client, "switch_session", "not found", session="nothing-like-it")
        went = client.request("switch_session", session=first["sessionId"][:13])
        assert went["sessionFile"] == first["sessionFile"], went
        assert client.request("get_messages")["messages"][0]["content"][0]["text"] == "first"
        client.request("switch_session", session=second["sessionFile"])
        client.prompt("third")
        entry = client.request("get_branch_messages")["messages"][-1]
        assert entry["text"] == "third", entry
        refused(client, "branch", "no entry", entryId="nowhere")
        went = client.request("branch", entryId=entry["entryId"])
        assert went["text"] == "third" and went["sessionId"] != second["sessionId"], went
        assert len(client.request("get_messages")["messages"]) == 2
        fork = client.request("fork")
        assert fork["sessionId"] != went["sessionId"]
        client.prompt("fourth")
        said = client.request("get_branch_messages")["messages"]
        went = client.request("go_to", entryId=said[-1]["entryId"])
        assert went["text"] == "fourth" and went["sessionId"] == fork["sessionId"], went
        client.request("go_to", entryId="root", summarize=True)
        (summary,) = client.request("get_messages")["messages"]
        assert "A summary of it." in summary["content"][0]["text"], summary
        assert heard == ["session_switch"] * 3 + ["session_branch", "session_switch"] + ["session_tree"] * 2, heard
        assert client.close() == 0


def two_processes_cannot_write_one_session(stage):
    model = stage.script("First.", "Second.")
    with stage.start(model) as first:
        first.prompt("Hi")
        session = first.ready["session"]["sessionFile"]
        with stage.start(model, "--resume", session) as second:
            assert second.ready["type"] == "fatal", second.ready
            assert "is open in" in second.ready["error"] and str(first.process.pid) in second.ready["error"]
            assert second.wait_for_exit() == 1
            assert "is open in" in "".join(second.errors)
        assert first.close() == 0
    # Free again, and it goes on.
    with stage.start(model, "--resume", session) as third:
        assert len(third.request("get_messages")["messages"]) == 2
        assert third.close() == 0


# Bad input


def garbage_is_answered_and_the_next_line_works(stage):
    with stage.start(stage.script("Hello.")) as client:
        limit = client.ready["limits"]["maxFrameBytes"]

        def rubbish(data, part, command="parse"):
            client.send_raw(data + b"\n")
            reply = client.wait_for("response")
            assert not reply["success"] and reply["command"] == command, reply
            assert part in reply["error"], reply
            assert client.request("get_state")["isIdle"] is True

        rubbish(b"{", "JSON")
        rubbish(b"\xff\xfe{}", "UTF-8")
        rubbish(b"[1, 2]", "object")
        rubbish(b'"text"', "object")
        rubbish(b'{"id": 1}', "type")
        rubbish(b'{"id": {}, "type": "abort"}', "id")
        rubbish(b'{"type": 7}', "type")
        rubbish(b"[" * 100_000, "recursion limit")
        rubbish(b'{"a":' * 5000 + b"1" + b"}" * 5000, "recursion limit")
        rubbish(b"x" * (limit + 1), "bytes")
        rubbish(b'{"type":"pompt"}', "Did you mean prompt", "pompt")
        rubbish(b'{"type":"' + b"z" * 100_000 + b'"}', "Unknown command: zzz", "z" * 100_000)
        rubbish(b'{"type":"prompt"}', "message", "prompt")
        rubbish(b'{"type":"prompt","message":""}', "empty", "prompt")
        rubbish(b'{"type":"prompt","message":"x","images":[{"data":"!","mimeType":"image/png"}]}', "base64", "prompt")
        rubbish(b'{"type":"ui_response","id":"nobody","value":"x"}', "no open question", "ui_response")
        rubbish(b'{"type":"ui_response"}', "id", "ui_response")
        rubbish(b'{"type":"initialize","protocolVersion":7}', "version 7", "initialize")
        client.send_raw(b"\n  \n\r\n")
        assert client.prompt("Hi")["end"]["reason"] == "completed"
        # Ids come back as they were.
        client.send_raw(b'{"id":"a text","type":"get_last_assistant_text","unknown":1}\r\n')
        reply = client.wait_for("response")
        assert (reply["id"], reply["data"]) == ("a text", {"text": "Hello."}), reply
        # Half a line, and then nothing: it is not done.
        client.unread.clear()
        client.send_raw(b'{"type":"prompt","message":"half"}')
        assert client.close() == 0
        assert not any(frame["type"] == "agent_start" for frame in client.unread)


def a_killed_client_leaves_nothing_running(stage):
    """The client is a process of its own, so that it can be killed halfway."""
    model = stage.script({"reply": [{"call": "bash", "arguments": {"command": "echo $$ > pid; exec sleep 600"}}]}, "x")
    marker = os.path.join(stage.project, "pid")
    os.mkfifo(marker)
    program_read, program_write = os.pipe()
    child = os.fork()
    if child == 0:
        client = stage.start(model, "--auto-approve")
        os.write(program_write, f"{client.process.pid}\n".encode())
        client.request("prompt", message="Begin")
        client.wait_for("agent_end")
        os._exit(1)
    os.close(program_write)
    with os.fdopen(program_read) as pids:
        program = int(pids.readline())
    # Opening waits until the tool's process writes.
    with open(marker, encoding="utf-8") as file:
        sleeper = int(file.readline())
    assert alive(program) and alive(sleeper)
    watch = os.pidfd_open(program)
    watched_sleeper = os.pidfd_open(sleeper)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    # A pidfd can be read when its process has ended.
    import select

    for descriptor in (watch, watched_sleeper):
        ready, _, _ = select.select([descriptor], [], [], 60)
        assert ready, "a process is still there"


def a_signal_ends_the_session(stage):
    model = stage.script({"reply": [{"call": "bash", "arguments": {"command": "echo $$ > pid; exec sleep 600"}}]}, "x")
    marker = os.path.join(stage.project, "pid")
    os.mkfifo(marker)
    with stage.start(model, "--auto-approve") as client:
        client.request("prompt", message="Begin")
        with open(marker, encoding="utf-8") as file:
            sleeper = int(file.readline())
        client.process.send_signal(signal.SIGTERM)
        assert client.wait_for_exit() == 143
        assert not alive(sleeper)
        assert client.wait_for("agent_end")["end"]["reason"] == "aborted"
        client.wait_for("session_shutdown")


def a_client_that_does_not_read_costs_updates_first(stage):
    """More updates than are kept come while nobody reads; whole messages and results are all there."""
    model = stage.script(call("chatty"), "Over.")
    fifo = os.path.join(stage.project, "said")
    os.mkfifo(fifo)
    stage.tool(
        "chatty",
        "const text = 'x'.repeat(1 << 20);"
        "for (let n = 0; n < 40; n++) onUpdate({ content: [{ type: 'text', text }] });"
        # What is sent to the client comes after the updates, so all of them have been looked at then.
        "pi.ui.setStatus('k', 'said'); await pi.exec('sh', ['-c', 'echo > said']); " + text("'said'"),
    )
    with stage.start(model) as client:
        client.request("initialize", ui=["setStatus"])
        client.reading.clear()
        client.post("prompt", message="Begin")
        # Opening waits until the tool has said everything.
        with open(fifo, encoding="utf-8") as file:
            file.readline()
        client.reading.set()
        dropped = client.wait_for("events_dropped")["count"]
        assert client.wait_for("agent_end")["end"]["reason"] == "completed"
        kinds = [frame["type"] for frame in client.unread]
        updates = kinds.count("tool_execution_update") + kinds.count("message_update")
        assert dropped > 0 and updates + dropped >= 40, (dropped, updates)
        assert kinds.count("message_end") == 4 and kinds.count("tool_execution_end") == 1, kinds
        assert client.close() == 0
        # Of what was said only the beginnings are worth source.
        stage.transcript[:] = [line for line in stage.transcript if line[1]["type"] != "tool_execution_update"]


def a_client_that_closes_standard_output_is_gone(stage):
    """Standard input stays open. The end is noticed without a write, and by a write that fails."""
    for writes in (False, True):
        # A `Client` has a thread that reads the pipe, which could not be closed.
        process = subprocess.Popen(
            [stage.binary, "--mode", "rpc", "--model", stage.script("x")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=stage.project,
            env=environment(stage.home),
        )
        assert json.loads(process.stdout.readline())["type"] == "ready"
        process.stdout.close()
        if writes:
            try:
                process.stdin.write(b'{"id":1,"type":"get_state"}\n')
                process.stdin.flush()
            except BrokenPipeError:
                pass
        said = process.stderr.read().decode()
        assert process.wait(timeout=TIMEOUT) == 1, said
        assert "The session ended" in said, said


def main():
    name, binary, folder = sys.argv[1:]
    stage = Stage(binary, folder)
    try:
        globals()[name](stage)
    finally:
        with open(os.path.join(folder, "transcript.jsonl"), "w", encoding="utf-8") as file:
            for who, frame in stage.transcript:
                file.write(json.dumps([who, frame]) + "\n")


if __name__ == "__main__":
    main()
