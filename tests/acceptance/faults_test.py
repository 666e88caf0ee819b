#!/usr/bin/env python3
"""faults_test.py PROGRAMS SHIM [KILLS]: a checkpoint is rewritten in its place (`mesita checkpoint
expand`) while file-system calls kill the process or fail. Rows F2 and F4 of the reliability matrix:
afterwards the old checkpoint loads or the new one, whole, and the next rewriting succeeds and
leaves nothing behind."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

KILLS = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 200
SHIM = pathlib.Path(sys.argv.pop())
PROGRAMS = pathlib.Path(sys.argv.pop())
PROGRAM = PROGRAMS / "mesita-checkpoint"
FAILED, OLD, NEW = "failed", "old", "new"


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([PROGRAMS / "mesita-make-test-checkpoint", cls.folder / "models"], check=True,
                       capture_output=True)  # fmt: skip
        # One that has a compact form: its expansion has other bytes.
        for manifest in sorted((cls.folder / "models").rglob("manifest.json")):
            cls.run_program("compact", manifest.parent)
            if '"compact"' in manifest.read_text():
                cls.original = manifest.parent
        cls.place = cls.folder / "work" / "model"
        cls.old = cls.reset()
        cls.calls = cls.expand(0, "kill")[1]
        cls.new = (cls.place / "manifest.json").read_bytes()
        assert cls.old != cls.new and cls.calls > 10, cls.calls

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def run_program(*arguments, **environment):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, **environment})  # fmt: skip

    @classmethod
    def reset(cls):
        shutil.rmtree(cls.place.parent, ignore_errors=True)
        shutil.copytree(cls.original, cls.place)
        return (cls.place / "manifest.json").read_bytes()

    @classmethod
    def expand(cls, at, kind, until="once"):
        """Result and number of calls of an expansion whose call number `at` goes wrong."""
        count = cls.folder / "count"
        count.unlink(missing_ok=True)
        done = cls.run_program("expand", cls.place, LD_PRELOAD=str(SHIM), FAULT_AT=str(at),
                               FAULT_FOLDER=str(cls.place.parent), FAULT_KIND=kind,
                               FAULT_UNTIL=until, FAULT_COUNT=str(count))  # fmt: skip
        return done, int(count.read_text()) if count.exists() else 0

    def state(self):
        """What lies in the place: the old checkpoint or the new one, as the loader sees it."""
        verified = self.run_program("verify", self.place)
        if verified.returncode != 0:
            return FAILED + ": " + verified.stdout + verified.stderr
        content = (self.place / "manifest.json").read_bytes()
        return OLD if content == self.old else NEW if content == self.new else FAILED

    def expect_whole_and_rewritable(self, where):
        self.assertIn(self.state(), (OLD, NEW), where)
        # As a user would go on; expanding an expanded one would write nothing, so compact first.
        for verb in ("compact", "expand", "compact"):
            done = self.run_program(verb, self.place)
            self.assertEqual(done.returncode, 0, f"{where}: {done.stderr}")
        self.assertEqual(os.listdir(self.place.parent), ["model"], where)
        self.assertEqual(self.state(), OLD, where)

    def test_killed_at_every_call(self):
        seen = set()
        for at in range(1, self.calls + 1):
            self.reset()
            done, _ = self.expand(at, "kill")
            self.assertEqual(done.returncode, -signal.SIGKILL, f"call {at}")
            seen.add(self.state())
            self.expect_whole_and_rewritable(f"killed at call {at}")
        self.assertEqual(seen, {OLD, NEW})
        print(f"F2: killed at each of {self.calls} calls", flush=True)

    def test_killed_at_random_moments(self):
        moments = random.Random(1)
        kills = max(0, KILLS - self.calls)
        begin = time.monotonic()
        self.reset()
        self.run_program("expand", self.place)
        seconds = time.monotonic() - begin
        for number in range(kills):
            self.reset()
            process = subprocess.Popen([PROGRAM, "expand", self.place], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)  # fmt: skip
            time.sleep(moments.uniform(0, seconds))  # the moment is what is tried here
            process.kill()
            process.wait()
            self.expect_whole_and_rewritable(f"random kill {number}")
        print(f"F2: {kills} kills at random moments", flush=True)

    def test_failing_calls(self):
        tried = 0
        statuses = {}  # by kind: without a refusal among them, nothing was made to fail
        # An interrupted call is tried again, so one that is interrupted for ever never ends.
        kinds = [(kind, until) for kind in ("ENOSPC", "EIO", "short") for until in ("once", "on")]
        for kind, until in [*kinds, ("EINTR", "once")]:
            for at in range(1, self.calls + 1, 1 if KILLS >= 1000 else 5):
                self.reset()
                done, _ = self.expand(at, kind, until)
                where = f"{kind} {until} at call {at}: {done.stdout}{done.stderr}"
                statuses.setdefault((kind, until), set()).add(done.returncode)
                if done.returncode == 0:
                    self.assertEqual(self.state(), NEW, where)
                else:
                    self.assertEqual(done.returncode, 1, where)
                    self.assertTrue(done.stderr.startswith("mesita checkpoint: "), where)
                    self.expect_whole_and_rewritable(where)
                tried += 1
        for (kind, until), seen in statuses.items():
            # A short write is gone on with; a full or broken disk cannot always be survived.
            if kind == "short":
                self.assertEqual(seen, {0}, f"{kind} {until}")
            elif kind != "EINTR":
                self.assertIn(1, seen, f"{kind} {until}")
        print(f"F4: {tried} failures", flush=True)

    def test_the_check_sees_a_writer_in_place(self):
        """Negative control: a writer that overwrites file by file, killed at its calls."""
        self.reset()
        expanded = self.folder / "expanded"
        self.run_program("expand", self.place, "--out", expanded)
        writer = (
            "import pathlib, sys\n"
            "for name in ('model.safetensors', 'manifest.json'):\n"
            "    content = pathlib.Path(sys.argv[1], name).read_bytes()\n"
            "    pathlib.Path(sys.argv[2], name).write_bytes(content)\n"
        )
        seen = []
        while not seen or seen[-1] != NEW:
            self.reset()
            subprocess.run([sys.executable, "-c", writer, expanded, self.place], timeout=60,
                           env={**os.environ, "LD_PRELOAD": str(SHIM), "FAULT_KIND": "kill",
                                "FAULT_AT": str(len(seen) + 1),
                                "FAULT_FOLDER": str(self.place.parent)})  # fmt: skip
            seen.append(self.state())
            self.assertLess(len(seen), 100)
        self.assertTrue(any(state.startswith(FAILED) for state in seen), seen)


if __name__ == "__main__":
    unittest.main(verbosity=2)
