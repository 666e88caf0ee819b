#!/usr/bin/env python3
"""whole_path_test.py PROGRAMS: text -> tokenizer -> training -> checkpoint -> server and back, by
the programs themselves and in seconds. No third-party packages, no outside data."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from served import Served, post, request, stream  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv.pop())
SMALL = ["--model.width", "32", "--model.layers", "1", "--evaluation.tokens", "2000",
         "--evaluation.interval", "20", "--log_interval", "5", "--samples.tokens", "20",
         "--threads", "1"]  # fmt: skip


def run(program, *arguments, status=0, **options):
    """Standard output of a program that must exit with `status`."""
    command = [str(PROGRAMS / program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    if done.returncode != status:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def story(index):
    who, what = ("Mia", "the dog", "a cat", "Olé")[index % 4], ("a ball", "a leg", "tea")[index % 3]
    return f"One day {who} found {what}. “I like {what}!” said {who}.\nThen it was {index % 10}."


class WholePath(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.stories = cls.folder / "stories.txt"
        cls.stories.write_text("\n<|endoftext|>\n".join(map(story, range(400))))
        cls.validation = cls.folder / "validation.txt"
        cls.validation.write_text("\n<|endoftext|>\n".join(map(story, range(400, 420))))
        cls.runs = cls.folder / "runs"
        cls.train_grammar()
        cls.train_text()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def train_grammar(cls):
        """To its end, with nothing given but sizes."""
        run("mesita-train", *SMALL, "--steps", "40", "--out", cls.runs / "grammar")

    @classmethod
    def train_text(cls):
        """Embeddings only, until Ctrl-C."""
        tokenizer = cls.folder / "tokenizer"
        run("mesita-tokenizer", "train", cls.stories, "--out", tokenizer, "--vocabulary", "320")
        config = cls.folder / "text.json"
        config.write_text(json.dumps({"trained": "embeddings", "stop": {"steps": 1000000}}))
        out = cls.runs / "text"
        process = subprocess.Popen(
            [PROGRAMS / "mesita-train", config, *SMALL, "--data.kind", "text", "--data.train",
             cls.stories, "--data.validation", cls.validation, "--data.tokenizer", tokenizer,
             "--out", out],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        metrics = out / "metrics.jsonl"
        end = time.monotonic() + 60
        while not (metrics.exists() and metrics.read_text().count("\n") > 3):
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                raise AssertionError(f"no metrics: {process.communicate()}")
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=60)
        assert process.returncode == 0, log
        assert (out / "checkpoints/last/manifest.json").exists(), log

    def serve(self):
        return Served(PROGRAMS / "mesita-serve", self.runs)

    def test_served_completion_streamed_and_on_the_terminal(self):
        with self.serve() as server:
            _, models = request(f"{server.url}/v1/models")
            self.assertEqual([model["id"] for model in models["data"]], ["grammar", "text"])
            self.assertEqual({model["status"] for model in models["data"]}, {"loaded"})
            for model, prompt in (("text", "One day Mia"), ("grammar", "")):
                body = {"model": model, "prompt": prompt, "seed": 4, "max_tokens": 30, "n": 2}
                whole = post(f"{server.url}/v1/completions", body)["choices"]
                texts = ["", ""]
                for event in stream(f"{server.url}/v1/completions", body):
                    texts[event["choices"][0]["index"]] += event["choices"][0]["text"]
                self.assertEqual(texts, [choice["text"] for choice in whole])
                printed = json.loads(
                    run("mesita-generate", "--model", self.runs / model, "--seed", 4, "-n", 2,
                        "--max-tokens", 30, "--threads", 1, "--json", prompt)  # fmt: skip
                )
                self.assertEqual([choice["text"] for choice in printed["choices"]], texts)
            self.assertEqual(server.interrupt(), 0, "Ctrl-C")

    def test_served_perplexity_is_that_of_the_terminal(self):
        with self.serve() as server:
            texts = self.validation.read_text().split("\n<|endoftext|>\n")
            answer = post(f"{server.url}/perplexity", {"models": ["text"], "texts": texts})
            (served,) = answer["summary"]
        printed = json.loads(
            run("mesita-perplexity", "--model", self.runs / "text", "--json", self.validation)
        )
        (row,) = printed["summary"]
        for name in ("tokens", "scored_tokens", "skipped_tokens", "bytes", "words"):
            self.assertEqual(served[name], row[name], name)
        self.assertAlmostEqual(served["nats"], row["nats"], delta=1e-9 * row["nats"])
        # A model that learned nothing needs ln 320 = 5.77 nats.
        self.assertLess(row["nats_per_token"], 5.7)
        self.assertEqual(row["bytes"], sum(len(text.encode()) for text in texts))

    def test_training_lowers_the_loss(self):
        lines = map(json.loads, (self.runs / "grammar/metrics.jsonl").read_text().splitlines())
        losses = [line["loss"] for line in lines if "loss" in line]
        self.assertLess(losses[-1], losses[0])

    def test_programs_name_their_versions(self):
        for program in ("train", "serve", "generate", "perplexity", "tokenizer"):
            self.assertRegex(run(f"mesita-{program}", "--version"), r"^mesita.*\b0\.\d+\.\d+")

    def test_wrong_usage_and_failure(self):
        for program in ("train", "serve", "generate", "perplexity", "tokenizer"):
            run(f"mesita-{program}", "--no-such-flag", status=2)
        run("mesita-generate", "--model", self.folder / "none", status=1)
        run("mesita-perplexity", "--model", "none", self.stories, status=1)
        run("mesita-serve", "--models", self.folder / "none", status=1)
        run("mesita-train", *SMALL, "--out", self.runs / "grammar", status=1)

    def test_generate_reads_and_streams(self):
        arguments = ["--model", self.runs / "text", "--seed", 1, "--max-tokens", 12]
        by_argument = run("mesita-generate", *arguments, "One day")
        by_input = run("mesita-generate", *arguments, "-", input="One day")
        self.assertEqual(by_input, by_argument)
        choices = run("mesita-generate", *arguments, "-n", 2)
        self.assertTrue(re.match(r"== 0\n.*\n== 1\n", choices, re.DOTALL), choices)


if __name__ == "__main__":
    unittest.main(verbosity=2)
