#!/usr/bin/env python3
"""resume_test.py PROGRAMS [RUNS]: training that is killed and resumed ends with the bits of training
that was not. Rows T1 to T3 of the reliability matrix: kill -9 at random moments, also while a
checkpoint is written; several kills in one run; an older checkpoint; other kernels or threads.

A run counts as equal when the weights, optimizer state and every line of metrics (without its
timings) are. Moments are drawn from a fixed seed, so that a failure can be repeated."""

import hashlib
import json
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

RUNS = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 5
PROGRAM = pathlib.Path(sys.argv.pop()) / "mesita-train"
CONFIG = ["--width", "32", "--layers", "1", "--heads", "2", "--steps", "240", "--rows", "4",
          "--evaluation.tokens", "1000", "--evaluation.interval", "60", "--checkpoint.interval", "7",
          "--log_interval", "5", "--samples.tokens", "10", "--samples.interval", "50",
          "--threads", "1", "--precision", "float32"]  # fmt: skip
TIMINGS = {"seconds", "time", "tokens_per_second", "flops_per_second", "flops_utilisation",
           "memory_bytes"}  # fmt: skip


def start(run, *arguments, environment=None):
    return subprocess.Popen([PROGRAM, *arguments, "--out", run], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **(environment or {})})  # fmt: skip


def to_end(run, *arguments, status=0, environment=None):
    process = start(run, *arguments, environment=environment)
    _, log = process.communicate(timeout=120)
    assert process.returncode == status, f"status {process.returncode}: {log}"
    return log


def go_on(run):
    """What a user types after a crash."""
    return ["--resume"] if (run / "config.json").exists() else CONFIG


def tensors(file):
    """Hash of the tensors of a safetensors file; the notes beside them hold timings."""
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    body = json.dumps(header, sort_keys=True).encode() + data[8 + length :]
    return hashlib.sha256(body).hexdigest()


def result(run):
    checkpoints = run / "checkpoints"
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {
        "last": tensors(checkpoints / "last/model.safetensors"),
        "best": tensors(checkpoints / "best/model.safetensors"),
        "state": tensors(checkpoints / "last/training_state.safetensors"),
        "metrics": [{k: v for k, v in line.items() if k not in TIMINGS} for line in lines],
    }


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        to_end(cls.folder / "whole", *CONFIG)
        cls.whole = result(cls.folder / "whole")
        begin = time.monotonic()  # the second run finds the program in memory, as those to come
        to_end(cls.folder / "again", *CONFIG)
        cls.seconds = time.monotonic() - begin
        assert result(cls.folder / "again") == cls.whole, "two whole runs differ"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def killed(self, run, moment):
        """Goes on with a run and kills it after `moment` seconds, if it has not ended before."""
        process = start(run, *go_on(run))
        try:
            process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return True
        self.assertEqual(process.returncode, 0)
        return False

    def test_killed_once_at_a_random_moment(self):
        moments = random.Random(1)
        kills = 0
        for number in range(RUNS):
            run = self.folder / f"once-{number}"
            kills += self.killed(run, moments.uniform(0, 0.8 * self.seconds))
            to_end(run, *go_on(run))
            self.assertEqual(result(run), self.whole, f"run {number}")
            shutil.rmtree(run)
        print(f"T1: {kills} of {RUNS} runs were killed; all ended with the same bits", flush=True)
        self.assertGreater(kills, 0)

    def test_killed_three_times(self):
        moments = random.Random(2)
        for number in range(max(1, RUNS // 10)):
            run = self.folder / f"thrice-{number}"
            for _ in range(3):
                self.killed(run, moments.uniform(0.3, 0.7) * self.seconds)
            to_end(run, *go_on(run))
            self.assertEqual(result(run), self.whole, f"run {number}")

    def test_resumed_from_an_older_checkpoint(self):
        run = self.folder / "older"
        process = start(run, *CONFIG)
        last = run / "checkpoints/last"
        end = time.monotonic() + 60
        while not (last / "manifest.json").exists() and time.monotonic() < end:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        shutil.copytree(last, self.folder / "older-last")
        self.killed(run, 0.8 * self.seconds)
        shutil.rmtree(last)
        shutil.move(self.folder / "older-last", last)
        to_end(run, "--resume")
        self.assertEqual(result(run), self.whole)

    def test_other_kernels_are_refused_or_warned_of(self):
        run = self.folder / "kernels"
        self.killed(run, 0.6 * self.seconds)
        other = {"ATEN_CPU_CAPABILITY": "default"}
        log = to_end(run, "--resume", status=1, environment=other)
        self.assertIn("the machine was", log)
        self.assertIn("--resume=anyway", log)
        log = to_end(run, "--resume=anyway", environment=other)
        self.assertIn("not bit-exact", log)

    def test_other_threads_are_refused(self):
        run = self.folder / "threads"
        self.killed(run, 0.6 * self.seconds)
        config = json.loads((run / "config.json").read_text())
        config["threads"] = 2
        (run / "config.json").write_text(json.dumps(config))
        self.assertIn("config.json was edited", to_end(run, "--resume", status=1))

    def test_a_lost_place_in_the_data_would_be_seen(self):
        """Negative control: a run on other data order ends with other bits."""
        run = self.folder / "other"
        to_end(run, *CONFIG, "--seed", "2")
        for what in ("last", "state", "metrics"):
            self.assertNotEqual(result(run)[what], self.whole[what])


if __name__ == "__main__":
    unittest.main(verbosity=2)
