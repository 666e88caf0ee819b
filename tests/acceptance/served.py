"""A mesita-serve process on a free port, for tests. No third-party packages."""

import json
import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

LISTENING = "mesita: listening on "


class Served:
    """Context manager: a running server; `url` is http://HOST:PORT."""

    def __init__(self, program, models, *flags):
        self.command = [program, "--models", str(models), "--port", "0", *flags]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr))
        self.reader.start()
        line = self.process.stdout.readline()
        if not line.startswith(LISTENING):
            self.process.kill()
            self.process.wait()
            self.reader.join()
            raise RuntimeError(f"{self.command} does not listen: {line!r}\n{''.join(self.log)}")
        self.url = line.removeprefix(LISTENING).strip()
        return self

    def __exit__(self, kind, value, trace):
        self.interrupt()
        if kind is not None:
            print("".join(self.log[-30:]))

    def interrupt(self):
        """Ctrl-C; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode


def request(url, body=None, headers=None, method=None):
    """(status, parsed JSON or text) of a GET, or of a POST of a JSON body."""
    data = None if body is None else json.dumps(body).encode()
    full = {"Content-Type": "application/json", **(headers or {})}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data=data, headers=full, method=method), timeout=60
        ) as response:
            status, raw = response.status, response.read()
    except urllib.error.HTTPError as error:
        status, raw = error.code, error.read()
    try:
        return status, json.loads(raw)
    except ValueError:
        return status, raw.decode()


def post(url, body, **headers):
    """The JSON answer to a POST that must succeed."""
    status, answer = request(url, body, headers)
    if status != 200:
        raise RuntimeError(f"POST {url}: {status} {answer}")
    return answer


def stream(url, body):
    """The JSON events of a streamed answer; the stream must end with [DONE]."""
    raw = json.dumps({**body, "stream": True}).encode()
    call = urllib.request.Request(url, data=raw, headers={"Content-Type": "application/json"})
    events = []
    with urllib.request.urlopen(call, timeout=60) as response:
        text = response.read().decode()
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    for block in blocks:
        if not block.startswith("data: "):
            raise RuntimeError(f"not an event: {block!r}")
        events.append(block.removeprefix("data: "))
    if not events or events.pop() != "[DONE]":
        raise RuntimeError(f"the stream does not end with [DONE]: {text[-200:]!r}")
    return [json.loads(event) for event in events]


class Idleness:
    """Whether a process computes, by the processor time that it uses."""

    def __init__(self, pid):
        self.file = f"/proc/{pid}/stat"

    def used(self):
        with open(self.file) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def share(self, seconds=0.25):
        """Of one core, over the next `seconds`."""
        before = self.used()
        time.sleep(seconds)
        return (self.used() - before) / seconds

    def wait(self, seconds=10.0):
        """Returns when the process rests; TimeoutError if it does not."""
        end = time.monotonic() + seconds
        while self.share() > 0.1:
            if time.monotonic() > end:
                raise TimeoutError(f"the process still computes after {seconds} s")
