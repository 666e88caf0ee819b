"""lm-evaluation-harness through the server: its sums equal direct scoring. Started by run.py."""

import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from served import post, request  # noqa: E402

URL = os.environ["MESITA_URL"]

# One fits into a window, one is a character, the others are several windows long.
STORY = "Once upon a time there was a little table. It had one leg, and it was sad. "
TEXTS = ["The table said: “Olé!” 🌵\n", "x", STORY * 3, STORY * 40]
QUESTIONS = [
    {"question": "The little table had", "choices": [" one leg", " nine legs", " no"], "answer": 0},
    {"question": "It was", "choices": [" glad", " sad", " a table!"], "answer": 1},
    {"question": STORY * 20 + "It was", "choices": [" blue", " red"], "answer": 1},
]
ROLLING = {
    "task": "mesita_rolling",
    "output_type": "loglikelihood_rolling",
    "doc_to_text": "",
    "doc_to_target": "{{text}}",
    "metric_list": [{"metric": "word_perplexity"}, {"metric": "bits_per_byte"}],
}
CHOICES = {
    "task": "mesita_choices",
    "output_type": "multiple_choice",
    "doc_to_text": "{{question}}",
    "doc_to_choice": "choices",
    "doc_to_target": "answer",
    "target_delimiter": "",
    "metric_list": [{"metric": "acc"}],
}


def model_url(model):
    return f"{URL}/models/{model['id']}"


def tokenize(model, text):
    answer = post(f"{model_url(model)}/tokenize", {"prompt": text, "add_special_tokens": False})
    return answer["tokens"]


def logprob_sum(model, context, continuation):
    """Direct scoring, without lm-eval and without completions."""
    body = {"models": [model["id"]], "ids": [context + continuation], "per_token": True}
    (result,) = post(f"{URL}/perplexity", body)["results"]
    return -sum(token["nats"] for token in result["per_token"][len(context) :])


def rolling_windows(prefix, tokens, size):
    """(context, scored) pairs as lm-eval makes them: `size` tokens are scored in each, the first has
    the prefix as context, later ones the token before, the last one as many as make it full."""
    windows = [([prefix], tokens[:size])]
    at = size
    while at < len(tokens):
        end = min(at + size, len(tokens))
        windows.append((tokens[end - size - 1 : at], tokens[at:end]))
        at = end
    return windows


def evaluate(model, task, documents, **model_args):
    import lm_eval
    from lm_eval.tasks import TaskManager

    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for document in documents:
            file.write(json.dumps(document) + "\n")
        file.flush()
        config = {
            **task,
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": file.name}},
            "test_split": "test",
        }
        results = lm_eval.simple_evaluate(
            model="local-completions",
            model_args={
                "model": model["id"],
                "base_url": f"{model_url(model)}/v1/completions",
                "tokenizer_backend": "remote",
                "max_length": model["max_model_len"],
                "max_retries": 1,
                **model_args,
            },
            tasks=[config],
            task_manager=TaskManager(include_defaults=False),
            bootstrap_iters=0,
        )
    samples = sorted(results["samples"][task["task"]], key=lambda sample: sample["doc_id"])
    assert len(samples) == len(documents), samples
    return samples


class LmEval(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        _, models = request(f"{URL}/v1/models")
        # Not the endless one, which needs no windows.
        cls.models = [m for m in models["data"] if m["max_model_len"] <= 4096]
        assert cls.models, models

    def prefix_of(self, model):
        _, info = request(f"{model_url(model)}/tokenizer_info")
        (prefix,) = tokenize(model, info["bos_token"] or info["eos_token"])
        return prefix

    def test_rolling_sums_equal_direct_scoring(self):
        documents = [{"text": text} for text in TEXTS]
        for model in self.models:
            prefix = self.prefix_of(model)
            # One token is generated after the prompt, one precedes what is scored.
            size = model["max_model_len"] - 2
            for sample, text in zip(evaluate(model, ROLLING, documents), TEXTS):
                tokens = tokenize(model, text)
                windows = rolling_windows(prefix, tokens, size)
                direct = sum(logprob_sum(model, *window) for window in windows)
                (sum_,) = sample["resps"][0]
                self.assertAlmostEqual(sum_, direct, delta=1e-6, msg=(model["id"], text[:40]))
            self.assertGreater(len(windows), 1, "the last text must need several windows")

    def test_rolling_sum_of_a_text_in_one_window_is_its_perplexity(self):
        for model in self.models:
            (sample,) = evaluate(model, ROLLING, [{"text": TEXTS[0]}])
            body = {"models": [model["id"]], "texts": [TEXTS[0]]}
            (result,) = post(f"{URL}/perplexity", body)["results"]
            self.assertEqual(result["skipped_tokens"], 0)
            self.assertAlmostEqual(sample["resps"][0][0], -result["nats"], delta=1e-6)
            bits = sample["bits_per_byte"]
            self.assertAlmostEqual(-bits[0] / bits[1] / 0.6931471805599453, result["bits_per_byte"])

    def test_choices_equal_direct_scoring_in_batches_and_alone(self):
        for model in self.models:
            context_size = model["max_model_len"] - 1
            for args in ({}, {"batch_size": 4}, {"batch_size": 2, "num_concurrent": 3}):
                for sample, question in zip(evaluate(model, CHOICES, QUESTIONS, **args), QUESTIONS):
                    for response, choice in zip(sample["filtered_resps"], question["choices"]):
                        text = question["question"]
                        whole = tokenize(model, text + choice)
                        context = tokenize(model, text)
                        continuation = whole[len(context) :]
                        kept = (context + continuation)[-context_size:]
                        direct = logprob_sum(
                            model, kept[: len(kept) - len(continuation)], continuation
                        )
                        self.assertAlmostEqual(float(response[0]), direct, delta=1e-6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
