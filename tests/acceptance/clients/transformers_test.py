"""Exported checkpoints in Hugging Face's transformers: the server's ids and logprobs. Started by run.py."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from served import post, request  # noqa: E402

URL = os.environ["MESITA_URL"]
PROGRAMS = pathlib.Path(os.environ["MESITA_PROGRAMS"])
MODELS = pathlib.Path(os.environ["MESITA_MODELS"])
DATA = pathlib.Path(os.environ.get("MESITA_DATA", pathlib.Path(__file__).resolve().parents[4] / "shared/data"))
STORIES = DATA / "tinystories/tinystories-real-valid.txt"
TEXTS = [
    "Once upon a time there was a little table.",
    " Two blanks  here, and a tab\t; then\n\na line.\n",
    "The table said: “Olé!” 🌵 ünïcödé",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa aaaa aa a",
    "x",
]


def stories():
    if not STORIES.exists():
        return []
    return [story.strip("\n") for story in STORIES.read_text().split("<|endoftext|>")]


def export(model, out, target="huggingface"):
    return subprocess.run([PROGRAMS / "mesita-export", MODELS / model, "--to", target, "--out", out],
                          capture_output=True, text=True)  # fmt: skip


class Exported(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.models = {}
        for model in request(f"{URL}/v1/models")[1]["data"]:
            if export(model["id"], cls.folder / model["id"]).returncode == 0:
                cls.models[model["id"]] = cls.folder / model["id"]
        assert any("tinystories" in name for name in cls.models), cls.models

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_ids_are_the_same(self):
        from transformers import AutoTokenizer

        for name, folder in self.models.items():
            if not (folder / "tokenizer.json").exists():
                continue
            tokenizer = AutoTokenizer.from_pretrained(folder)
            texts = TEXTS + stories()
            for text in texts:
                wanted = post(f"{URL}/models/{name}/tokenize",
                              {"prompt": text, "add_special_tokens": False})["tokens"]  # fmt: skip
                ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
                self.assertEqual(ids, wanted, f"{name}: {text[:60]!r}")
                self.assertEqual(tokenizer.decode(ids), text, name)
            print(f"{name}: {len(texts)} texts have the same ids", flush=True)

    def test_logprobs_are_the_same(self):
        import torch
        from transformers import GPT2LMHeadModel

        for name, folder in self.models.items():
            model = GPT2LMHeadModel.from_pretrained(folder).eval()
            size, context = model.config.vocab_size, model.config.n_positions
            draw = torch.Generator().manual_seed(1)
            ids = torch.randint(size, (context,), generator=draw).tolist()
            body = {"models": [name], "ids": [ids], "per_token": True}
            (result,) = post(f"{URL}/perplexity", body)["results"]
            ours = [token["nats"] for token in result["per_token"]]
            with torch.no_grad():
                logits = model(torch.tensor([ids])).logits[0].double()
            theirs = -torch.log_softmax(logits, -1)[torch.arange(context - 1), ids[1:]]
            worst = max(abs(a - b) for a, b in zip(ours[-(context - 1) :], theirs.tolist(), strict=True))
            print(f"{name}: largest difference of a logprob {worst:.2e}", flush=True)
            self.assertLess(worst, 1e-4, name)

    def test_what_the_formats_cannot_hold_is_refused(self):
        refused = 0
        for place in MODELS.iterdir():
            if '"rotary"' in (place / "config.json").read_text():
                for target in ("huggingface", "gguf"):
                    done = export(place.name, self.folder / "refused", target)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("rotary", done.stderr)
                    refused += 1
        self.assertGreater(refused, 0)
        first = next(iter(self.models))
        self.assertIn("exists", export(first, self.models[first]).stderr)
        self.assertIn("mesita export: ", export("nowhere", self.folder / "x").stderr)
        self.assertFalse((self.folder / "refused").exists())
        self.assertEqual([each for each in os.listdir(self.folder) if each.startswith(".")], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
