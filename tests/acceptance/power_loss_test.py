#!/usr/bin/env python3
"""power_loss_test.py PROGRAMS SHIM [STATES]: row F3 of the reliability matrix, simulated.

kill -9 leaves what was written in the kernel's memory; a power loss does not. Here the shim notes
every call by which `mesita checkpoint expand` replaces a checkpoint, and disks are made up as they may
be after each of these calls: what fsync was called for is there, anything else may be lost: bytes
wholly, in part or as zeros, names in folders one by one. On each such disk the old checkpoint or the
new one must load, whole. STATES: random losses tried after each call, beside none and all."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

STATES = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 4
SHIM = pathlib.Path(sys.argv.pop())
PROGRAMS = pathlib.Path(sys.argv.pop())


class Disk:
    """Folders and files by number, as an operating system sees them: names are entries of folders."""

    def __init__(self, root):
        self.folders, self.files = {0: {}}, {}
        self.count = 0
        self.read(root, 0)

    def read(self, path, number):
        for entry in sorted(path.iterdir()):
            child = self.new()
            self.folders[number][entry.name] = child
            if entry.is_dir():
                self.folders[child] = {}
                self.read(entry, child)
            else:
                self.files[child] = entry.read_bytes()

    def new(self):
        self.count += 1
        return self.count

    def find(self, path):
        number = 0
        for name in path.parts:
            number = self.folders[number][name]
        return number

    def apply(self, call):
        """A call on numbers; one whose names are not there does nothing."""
        kind, *more = call
        if kind in ("create", "mkdir"):
            folder, name, number = more
            if folder in self.folders:
                self.folders[folder][name] = number
                (self.folders if kind == "mkdir" else self.files).setdefault(
                    number, {} if kind == "mkdir" else b"")  # fmt: skip
        elif kind == "write":
            number, content = more
            self.files[number] = self.files.get(number, b"") + content
        elif kind == "unlink":
            self.folders[more[0]].pop(more[1], None)
        elif kind in ("rename", "exchange"):
            folder, name, to_folder, to_name = more
            if name in self.folders[folder]:
                moved = self.folders[folder].pop(name)
                other = self.folders[to_folder].get(to_name)
                if kind == "exchange" and other is not None:
                    self.folders[folder][name] = other
                self.folders[to_folder][to_name] = moved

    def write(self, path, number=0):
        path.mkdir(parents=True)
        for name, child in self.folders[number].items():
            if child in self.folders:
                self.write(path / name, child)
            else:
                (path / name).write_bytes(self.files[child])

    def key(self, number=0):
        return tuple(sorted((name, self.key(child) if child in self.folders else self.files[child])
                            for name, child in self.folders[number].items()))  # fmt: skip


def calls_of(log, root, disk):
    """The log's lines as calls on numbers, as they came; `disk` becomes that after the last."""
    calls = []
    for line in log.read_text().splitlines():
        kind, path, more = line.split("\t")
        path = pathlib.Path(path).relative_to(root)
        parent = disk.find(path.parent)
        if kind == "open":
            if path.name in disk.folders[parent]:
                continue
            call = ("create", parent, path.name, disk.new())
        elif kind == "mkdir":
            call = ("mkdir", parent, path.name, disk.new())
        elif kind == "write":
            call = ("write", disk.find(path), bytes.fromhex(more))
        elif kind == "fsync":
            call = ("fsync", disk.find(path))
        elif kind == "unlink":
            call = ("unlink", parent, path.name)
        else:
            to = pathlib.Path(more).relative_to(root)
            call = (kind, parent, path.name, disk.find(to.parent), to.name)
        disk.apply(call)
        calls.append(call)
    return calls


def lost(calls, choose):
    """What of `calls` the disk has when the power goes: synced ones, and of others what is chosen."""
    kept = []
    synced = set()  # numbers whose earlier calls are on the disk, from the last call backwards
    for call in reversed(calls):
        kind = call[0]
        if kind == "fsync":
            synced.add(call[1])
        elif call[1] in synced:
            kept.append(call)
        else:
            choice = choose()
            if kind == "write" and choice in ("half", "zeros"):
                content = call[2]
                content = content[: len(content) // 2] if choice == "half" else bytes(len(content))
                kept.append((*call[:2], content))
            elif choice != "lost":
                kept.append(call)
    return kept[::-1]


class PowerLoss(unittest.TestCase):
    loaded = {}  # what loads from a disk, by its content

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name).resolve()
        subprocess.run([PROGRAMS / "mesita-make-test-checkpoint", cls.folder / "models"], check=True,
                       capture_output=True)  # fmt: skip
        for manifest in sorted((cls.folder / "models").rglob("manifest.json")):
            cls.run_program("compact", manifest.parent)
            if '"compact"' in manifest.read_text():
                original = manifest.parent
        cls.root = cls.folder / "work"
        shutil.copytree(original, cls.root / "model")
        cls.before = Disk(cls.root)
        log = cls.folder / "log"
        done = cls.run_program("expand", cls.root / "model", LD_PRELOAD=str(SHIM),
                               FAULT_FOLDER=str(cls.root), FAULT_LOG=str(log))  # fmt: skip
        assert done.returncode == 0, done.stderr
        live = cls.disk()
        cls.calls = calls_of(log, cls.root, live)
        model, real = live.find(pathlib.Path("model")), Disk(cls.root)
        told = real.key(real.find(pathlib.Path("model")))
        assert live.key(model) == told, "the log does not tell all that happened"
        cls.old = cls.manifest_of(cls.before)
        cls.new = cls.manifest_of(live)
        assert cls.old != cls.new

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def run_program(*arguments, **environment):
        return subprocess.run([PROGRAMS / "mesita-checkpoint", *arguments], capture_output=True,
                              text=True, timeout=60, env={**os.environ, **environment})  # fmt: skip

    @classmethod
    def disk(cls):
        disk = Disk.__new__(Disk)
        disk.folders = {number: dict(names) for number, names in cls.before.folders.items()}
        disk.files = dict(cls.before.files)
        disk.count = cls.before.count
        return disk

    @staticmethod
    def manifest_of(disk):
        return disk.files[disk.find(pathlib.Path("model/manifest.json"))]

    def outcomes(self, calls):
        """What loads after each call and each loss: [(old, new or an error, number of calls)]; one
        entry for each different disk after that many."""
        random_choice = random.Random(1)
        choosers = [lambda: "kept", lambda: "lost", lambda: "zeros", lambda: "half"]
        choosers += [lambda: random_choice.choice(["kept", "lost", "half", "zeros"])] * STATES
        seen = []
        for end in range(len(calls) + 1):
            keys = set()
            for choose in choosers:
                disk = self.disk()
                for call in lost(calls[:end], choose):
                    disk.apply(call)
                key = disk.key()
                if key not in self.loaded:
                    self.loaded[key] = self.loads(disk)
                if key not in keys:
                    keys.add(key)
                    seen.append((self.loaded[key], end))
        return seen

    def loads(self, disk):
        place = self.folder / "crashed"
        shutil.rmtree(place, ignore_errors=True)
        disk.write(place)
        verified = self.run_program("verify", place / "model")
        if verified.returncode != 0:
            return verified.stdout + verified.stderr
        manifest = (place / "model/manifest.json").read_bytes()
        return "old" if manifest == self.old else "new" if manifest == self.new else "neither"

    def test_old_or_new_after_every_loss(self):
        outcomes = self.outcomes(self.calls)
        for outcome, end in outcomes:
            self.assertIn(outcome, ("old", "new"), f"after {end} calls")
        counts = Counter(outcome for outcome, _ in outcomes)
        self.assertEqual(set(counts), {"old", "new"})
        # What the program said that it has done must last.
        last = {outcome for outcome, end in outcomes if end == len(self.calls)}
        self.assertEqual(last, {"new"})
        print(f"F3: after {len(self.calls)} calls {len(outcomes)} disks, simulated: {counts['old']} "
              f"load as old, {counts['new']} as new, 0 as neither", flush=True)  # fmt: skip

    def test_without_fsync_it_would_be_seen(self):
        """Negative control: the same calls, as if nothing had been synced."""
        outcomes = self.outcomes([call for call in self.calls if call[0] != "fsync"])
        failures = sum(outcome not in ("old", "new") for outcome, _ in outcomes)
        print(f"F3: without fsync {failures} of {len(outcomes)} disks load as neither", flush=True)
        self.assertGreater(failures, 0)

    def test_each_fsync_is_needed(self):
        """Negative control: without any one of them something is lost, or lost after the end."""
        for dropped in (i for i, call in enumerate(self.calls) if call[0] == "fsync"):
            outcomes = self.outcomes(self.calls[:dropped] + self.calls[dropped + 1 :])
            self.assertTrue(any(outcome not in ("old", "new") or (end == len(self.calls) - 1 and outcome != "new")
                                for outcome, end in outcomes), f"call {dropped} is not needed")  # fmt: skip


if __name__ == "__main__":
    unittest.main(verbosity=2)
