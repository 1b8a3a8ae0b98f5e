"""A small client of `toolsmith --mode rpc`: one process, lines of JSON both ways. Standard library only.

    with Client(["toolsmith", "--mode", "rpc", "--model", "script:answers.json"]) as client:
        client.request("prompt", message="Hello")
        print(client.wait_for("agent_end")["end"]["reason"])

Nothing here sleeps: every method reads until the line it waits for has come, and gives up after TIMEOUT seconds.
"""

import json
import os
import queue
import subprocess
import threading
import time

# Generous: the machine may be busy with other things.
TIMEOUT = 120


class Failed(Exception):
    """A request was refused."""


class Client:
    """Talks to one process."""

    def __init__(self, command, transcript=None, **options):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        # Everything that was said, in both directions.
        self.transcript = transcript if transcript is not None else []
        # Lines nobody has waited for yet, in order.
        self.unread = []
        self.handlers = {}
        self.next_id = 0
        self.lines = queue.Queue()
        self.errors = []
        # Cleared, nothing more is read from the program.
        self.reading = threading.Event()
        self.reading.set()
        reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.error_reader = threading.Thread(target=self._read_errors, args=(self.process.stderr,), daemon=True)
        for thread in (reader, self.error_reader):
            thread.start()
        self.ready = self.wait_for("ready", "fatal")

    def _read(self, source):
        for line in source:
            self.reading.wait()
            self.lines.put(line)
        self.lines.put(None)

    def _read_errors(self, source):
        for line in source:
            self.errors.append(line.decode("utf-8", "replace"))

    # Sending

    def send_raw(self, data):
        """Sends bytes as they are."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **frame):
        """Sends a line."""
        self.transcript.append(("client", frame))
        self.send_raw(json.dumps(frame).encode() + b"\n")

    def request(self, command, **fields):
        """Sends a request, waits for its reply, and gives its data."""
        return self.reply(self.post(command, **fields))

    def post(self, command, **fields):
        """Sends a request without waiting; gives its id."""
        self.next_id += 1
        self.send(id=self.next_id, type=command, **fields)
        return self.next_id

    def reply(self, number):
        """The data of the reply to a request that was posted."""
        reply = self.wait(lambda frame: frame["type"] == "response" and frame.get("id") == number)
        if not reply["success"]:
            raise Failed(reply["error"])
        return reply.get("data")

    # Reading

    def on(self, kind, handler):
        """Calls `handler` with every line of this type, as soon as it is read."""
        self.handlers[kind] = handler

    def next_line(self, deadline):
        """Reads a line; fails when there is none."""
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError(self.story("nothing came")) from None
        if line is None:
            raise EOFError(self.story("the program ended"))
        frame = json.loads(line)
        self.transcript.append(("server", frame))
        handler = self.handlers.get(frame["type"])
        if handler:
            handler(frame)
        return frame

    def wait(self, wanted):
        """The first line that fits. Lines before it are kept for later."""
        for at, frame in enumerate(self.unread):
            if wanted(frame):
                return self.unread.pop(at)
        deadline = time.monotonic() + TIMEOUT
        while True:
            frame = self.next_line(deadline)
            if wanted(frame):
                return frame
            self.unread.append(frame)

    def wait_for(self, *kinds):
        """The first line of one of these types."""
        return self.wait(lambda frame: frame["type"] in kinds)

    def prompt(self, message, **fields):
        """Prompts, and gives the end of the run."""
        self.request("prompt", message=message, **fields)
        return self.wait_for("agent_end")

    # Ending

    def close(self):
        """Closes standard input; gives the exit code."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        return self.wait_for_exit()

    def wait_for_exit(self):
        """Reads what is left; gives the exit code."""
        deadline = time.monotonic() + TIMEOUT
        try:
            while True:
                self.unread.append(self.next_line(deadline))
        except EOFError:
            pass
        code = self.process.wait(timeout=TIMEOUT)
        # What was written last may not have been read yet.
        self.error_reader.join(timeout=TIMEOUT)
        return code

    def story(self, what):
        """What happened, for the message of an error."""
        said = "\n".join(f"{who}: {json.dumps(frame)[:400]}" for who, frame in self.transcript[-40:])
        return f"{what}\n{said}\n--- standard error\n{''.join(self.errors)}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def alive(pid):
    """Whether a process is there and not only waiting to be buried."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def environment(home):
    """A clean one, in which nothing of this machine's counts."""
    return {"HOME": home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TOOLSMITH_TRUST": "1"}
