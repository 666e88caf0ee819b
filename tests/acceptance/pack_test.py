#!/usr/bin/env python3
"""pack_test.py PROGRAMS SHIM [KILLS]: `mesita pack` that is killed, or whose disk fails, and is started
again makes the same bytes as one that was left alone.

Moments are drawn from a fixed seed. Texts are drawn too: nothing here is anybody's."""

import gzip
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

KILLS = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 10
SHIM = pathlib.Path(sys.argv.pop())
PROGRAMS = pathlib.Path(sys.argv.pop())
MEGABYTES = 3
REASONS = {"ENOSPC": "No space left on device", "EIO": "Input/output error"}


def documents(seed, count):
    draw = random.Random(seed)
    words = ["".join(draw.choice("bdfgklmnprst") + draw.choice("aeiou") for _ in range(draw.randint(1, 4)))
             for _ in range(3000)]  # fmt: skip
    for _ in range(count):
        yield " ".join(draw.choices(words, k=draw.randint(1, 600)))


class Pack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        texts = list(documents(1, MEGABYTES * 500))
        third = len(texts) // 3
        sets = ["Books", "Web"]
        records = [json.dumps({"text": text, "meta": {"pile_set_name": sets[i % 2]}})
                   for i, text in enumerate(texts[third:])]  # fmt: skip
        (cls.folder / "a.txt").write_text("\n<|endoftext|>\n".join(texts[:third]))
        (cls.folder / "b.jsonl").write_text("\n".join(records[:third]) + "\n")
        with gzip.open(cls.folder / "c.jsonl.gz", "wt", compresslevel=1) as file:
            file.write("\n".join(records[third:]) + "\n")
        cls.inputs = [cls.folder / name for name in ("a.txt", "b.jsonl", "c.jsonl.gz")]
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", cls.folder / "b.jsonl"], check=True)
            cls.inputs.append(cls.folder / "b.jsonl.zst")
        else:
            print("zstd is not installed: without a .jsonl.zst", flush=True)
        subprocess.run([PROGRAMS / "mesita-tokenizer", "train", cls.folder / "a.txt", "--out",
                        cls.folder / "tokenizer", "--vocabulary", "600", "--sentences", "500"],
                       check=True, capture_output=True)  # fmt: skip
        begin = time.monotonic()
        cls.to_end("whole")
        cls.seconds = time.monotonic() - begin
        cls.whole = cls.hashes("whole")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def tearDown(self):
        for left in (self.folder / "out").iterdir():  # of a test that failed
            if left.name != "whole":
                shutil.rmtree(left)

    @classmethod
    def start(cls, name, **environment):
        return subprocess.Popen([PROGRAMS / "mesita-pack", *cls.inputs, "--tokenizer",
                                 cls.folder / "tokenizer", "--out", cls.folder / "out" / name,
                                 "--save-every", "500000", "--json"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})  # fmt: skip

    @classmethod
    def to_end(cls, name, **environment):
        process = cls.start(name, **environment)
        _, log = process.communicate(timeout=300)
        assert process.returncode == 0, log
        return log

    @classmethod
    def hashes(cls, name):
        """Of every file of a pack. Nothing may lie beside it."""
        left = [each for each in os.listdir(cls.folder / "out") if each.startswith(".")]
        assert left == [], left
        pack = cls.folder / "out" / name
        return {str(file.relative_to(pack)): hashlib.sha256(file.read_bytes()).hexdigest()
                for file in sorted(pack.rglob("*")) if file.is_file()}  # fmt: skip

    def killed(self, name, moment):
        """Kills a pack after `moment` seconds, if it has not ended before; and what it said."""
        process = self.start(name)
        try:
            _, log = process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            process.kill()
            _, log = process.communicate()
        self.assertIn(process.returncode, (0, -signal.SIGKILL), log)
        return process.returncode != 0, log

    def test_killed_at_random_moments(self):
        moments = random.Random(3)
        kills = continued = 0
        for number in range(KILLS):
            name = f"killed-{number}"
            for _ in range(20):  # the later ones of which go on from the earlier ones' places
                killed, log = self.killed(name, moments.uniform(0, self.seconds))
                kills += killed
                continued += "going on behind" in log
                if not killed:
                    break
                # Between taking its name and its end a program can be killed, too.
                if (self.folder / "out" / name).exists():
                    break
            self.assertEqual(self.hashes(name), self.whole, f"pack {number}")
            shutil.rmtree(self.folder / "out" / name)
        print(f"{kills} kills in {KILLS} packs, which went on from a saved place {continued} times; "
              "all have the same bytes", flush=True)  # fmt: skip
        self.assertGreater(kills, KILLS // 2)
        self.assertGreater(continued, 0)

    def test_a_disk_that_fails(self):
        """A call fails for good, or the process dies at it: an error, and the next one goes on."""
        count = self.folder / "count"
        faulty = {"LD_PRELOAD": str(SHIM), "FAULT_FOLDER": str(self.folder / "out")}
        self.to_end("counted", **faulty, FAULT_COUNT=str(count))
        calls = int(count.read_text())
        self.assertGreater(calls, 20)
        every = list(range(1, calls + 1))
        # The last third is where a pack is finished and takes its name.
        chosen = every if KILLS >= 200 else random.Random(4).sample(every[-calls // 3 :], 3) + [1, calls // 2]
        refused = dict.fromkeys(REASONS, 0)
        unclear = []
        for kind in (*REASONS, "kill"):
            for at in chosen:
                name = f"{kind}-{at}"
                process = self.start(name, **faulty, FAULT_AT=str(at), FAULT_KIND=kind, FAULT_UNTIL="on")
                _, log = process.communicate(timeout=300)
                where = f"{kind} at call {at} of {calls}: {log}"
                if kind == "kill":
                    self.assertEqual(process.returncode, -signal.SIGKILL, where)
                elif process.returncode != 0:
                    self.assertEqual(process.returncode, 1, where)
                    self.assertIn("mesita pack: ", log)
                    refused[kind] += 1
                    if REASONS[kind] not in log:
                        unclear.append(where)
                # What has its name is whole, even if the process died before it said so.
                if not (self.folder / "out" / name).exists():
                    self.assertNotEqual(process.returncode, 0, where)
                    self.to_end(name)
                self.assertEqual(self.hashes(name), self.whole, where)
                shutil.rmtree(self.folder / "out" / name)
        print(f"{len(chosen)} of {calls} calls failed for good, refused: {refused}", flush=True)
        self.assertEqual(unclear, [], "the reason is not told")
        # Without a refusal nothing was made to fail; only closing cannot be answered by one.
        self.assertGreater(min(refused.values()), len(chosen) // 2)

    def test_other_texts_have_other_bytes(self):
        """Negative control: what is compared tells packs apart."""
        self.inputs.reverse()
        try:
            self.to_end("other")
        finally:
            self.inputs.reverse()
        self.assertNotEqual(self.hashes("other"), self.whole)


if __name__ == "__main__":
    unittest.main(verbosity=2)
