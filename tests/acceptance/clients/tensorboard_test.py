"""TensorBoard's own reader finds the numbers of metrics.jsonl in a run's event file, also in one
that was resumed. Run by run.py."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

PROGRAM = pathlib.Path(os.environ["MESITA_PROGRAMS"]) / "mesita-train"
CONFIG = ["--width", "16", "--layers", "1", "--heads", "2", "--rows", "2", "--steps", "20",
          "--log_interval", "5", "--evaluation.interval", "10", "--evaluation.tokens", "500",
          "--samples.tokens", "5", "--threads", "1"]  # fmt: skip


def train(*arguments):
    subprocess.run([PROGRAM, *arguments], check=True, capture_output=True)


class TensorBoard(unittest.TestCase):
    def expect_equal(self, run):
        events = EventAccumulator(str(run), size_guidance={"scalars": 0})
        events.Reload()
        expected = {}
        for line in map(json.loads, (run / "metrics.jsonl").read_text().splitlines()):
            prefix = {"step": "train/", "evaluation": "evaluation/"}.get(line["kind"])
            for name, value in line.items():
                if prefix and isinstance(value, (int, float)) and name not in ("step", "time", "seconds"):
                    expected.setdefault(prefix + name, []).append((line["step"], value, line["time"]))
        self.assertEqual(sorted(events.Tags()["scalars"]), sorted(expected))
        self.assertIn("evaluation/loss", expected)
        self.assertEqual(len(expected["train/lr"]), 4)
        for tag, points in expected.items():
            read = events.Scalars(tag)
            self.assertEqual([each.step for each in read], [step for step, _, _ in points], tag)
            for each, (_, value, time) in zip(read, points):
                self.assertAlmostEqual(each.value, value, delta=1e-6 * abs(value), msg=tag)
                self.assertAlmostEqual(each.wall_time, time, delta=1e-3)

    def test_scalars(self):
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "run"
            train(*CONFIG, "--out", run)
            self.expect_equal(run)
            train("--resume", "--out", run)  # finished: the file is made again from the lines
            self.expect_equal(run)


if __name__ == "__main__":
    unittest.main(verbosity=2)
