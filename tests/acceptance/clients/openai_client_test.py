"""The openai Python client against the server. Started by run.py."""

import concurrent.futures
import os
import sys
import unittest

import openai

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from served import Idleness, post, request, stream  # noqa: E402

URL = os.environ["MESITA_URL"]
KEYED_URL = os.environ["MESITA_KEYED_URL"]
KEY = os.environ["MESITA_KEY"]
PROMPT = "Once upon a time"
# Never drawn in these tests, so that a completion is as long as it is asked to be.
NO_END = {"2": -100}


def client(url=URL, key="any"):
    return openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, timeout=60)


def model_ids():
    return [model.id for model in client().models.list()]


class Models(unittest.TestCase):
    def test_list_and_retrieve(self):
        ids = model_ids()
        self.assertIn("tiny-all", ids)
        self.assertIn("tiny-embeddings", ids)
        for id_ in ids:
            model = client().models.retrieve(id_)
            self.assertEqual((model.id, model.object), (id_, "model"))
            self.assertGreater(model.created, 0)
            self.assertTrue(model.owned_by)

    def test_unknown_model(self):
        with self.assertRaises(openai.NotFoundError):
            client().models.retrieve("no-such-model")
        with self.assertRaises(openai.NotFoundError) as caught:
            client().completions.create(model="no-such-model", prompt="x")
        self.assertEqual(caught.exception.param, "model")


class Completions(unittest.TestCase):
    def create(self, model="tiny-all", prompt=PROMPT, **options):
        return client().completions.create(model=model, prompt=prompt, **options)

    def test_complete(self):
        for model in model_ids():
            answer = self.create(model, max_tokens=8, seed=1, logit_bias=NO_END)
            self.assertEqual(answer.object, "text_completion")
            self.assertEqual(answer.model, model)
            (choice,) = answer.choices
            self.assertEqual((choice.index, choice.finish_reason), (0, "length"))
            self.assertIsNone(choice.logprobs)
            self.assertEqual(answer.usage.completion_tokens, 8)
            self.assertEqual(
                answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens
            )

    def test_stream_is_the_completion(self):
        for model in model_ids():
            options = {"model": model, "prompt": PROMPT, "max_tokens": 60, "seed": 7, "n": 3}
            whole = client().completions.create(**options)
            texts, reasons = [""] * 3, [None] * 3
            usage = None
            for chunk in client().completions.create(
                **options, stream=True, stream_options={"include_usage": True}
            ):
                if not chunk.choices:
                    usage = chunk.usage
                    continue
                (choice,) = chunk.choices
                texts[choice.index] += choice.text
                reasons[choice.index] = choice.finish_reason or reasons[choice.index]
            self.assertEqual(texts, [choice.text for choice in whole.choices])
            self.assertEqual(reasons, [choice.finish_reason for choice in whole.choices])
            self.assertEqual(usage, whole.usage)

    def test_arrays_of_prompts_and_choices_are_prompt_major(self):
        prompts = ["the table", "a chair", ""]
        alone = [
            self.create(prompt=prompt, max_tokens=6, n=2, seed=3).choices for prompt in prompts
        ]
        together = self.create(prompt=prompts, max_tokens=6, n=2, seed=3).choices
        self.assertEqual([choice.index for choice in together], list(range(6)))
        self.assertEqual(
            [choice.text for choice in together], [c.text for choices in alone for c in choices]
        )
        self.assertNotEqual(together[0].text, together[1].text)

    def test_ids_are_prompts(self):
        tokens = post(f"{URL}/models/tiny-all/tokenize", {"prompt": PROMPT})["tokens"]
        by_text = self.create(max_tokens=9, seed=5)
        by_ids = self.create(prompt=tokens, max_tokens=9, seed=5)
        self.assertEqual(by_ids.choices[0].text, by_text.choices[0].text)
        lists = self.create(prompt=[tokens, tokens[:2]], max_tokens=9, seed=5)
        self.assertEqual(lists.choices[0].text, by_text.choices[0].text)
        self.assertEqual(len(lists.choices), 2)

    def test_logprobs(self):
        answer = self.create(max_tokens=10, logprobs=3, temperature=0, logit_bias=NO_END)
        logprobs = answer.choices[0].logprobs
        sizes = {len(logprobs.tokens), len(logprobs.token_logprobs), len(logprobs.top_logprobs),
                 len(logprobs.text_offset)}  # fmt: skip
        self.assertEqual(sizes, {10})
        for value, top in zip(logprobs.token_logprobs, logprobs.top_logprobs):
            self.assertLessEqual(value, 0.0)
            self.assertEqual(value, max(top.values()), "greedy takes the best")
            self.assertIn(len(top), (3, 4))
        plain = self.create(max_tokens=2, logprobs=0)
        self.assertEqual([len(top) for top in plain.choices[0].logprobs.top_logprobs], [1, 1])

    def test_echo_scores_the_prompt_as_perplexity_does(self):
        for model in model_ids():
            text = "the table saw a leg. Olé 🌵"
            answer = self.create(model, text, max_tokens=0, echo=True, logprobs=1)
            (choice,) = answer.choices
            self.assertEqual(choice.text, text)
            body = {"models": [model], "texts": [text], "per_token": True}
            (scored,) = post(f"{URL}/perplexity", body)["results"]
            nats = [token["nats"] for token in scored["per_token"]]
            self.assertEqual([-value for value in choice.logprobs.token_logprobs], nats)

    def test_stop(self):
        whole = self.create(max_tokens=40, seed=2, logit_bias=NO_END).choices[0]
        stop = whole.text[7:9]
        cut = self.create(max_tokens=40, seed=2, logit_bias=NO_END, stop=[stop, "\x00"]).choices[0]
        self.assertEqual(cut.text, whole.text[: whole.text.index(stop)])
        self.assertEqual(cut.finish_reason, "stop")

    def test_errors(self):
        for param, options in {
            "temperature": {"temperature": -1},
            "top_p": {"top_p": 7},
            "max_tokens": {"max_tokens": -1},
            "n": {"n": 0},
            "logprobs": {"logprobs": 21},
            "stop": {"stop": [1, 2]},
            "best_of": {"best_of": 3},
            "stream_options": {"stream_options": {"include_usage": True}},
        }.items():
            with self.assertRaises(openai.BadRequestError, msg=param) as caught:
                self.create(**options)
            self.assertEqual(caught.exception.param, param)
            self.assertTrue(caught.exception.message)
        long_prompt = [5] * 300
        for streamed in (False, True):
            with self.assertRaises(openai.BadRequestError) as caught:
                self.create(prompt=long_prompt, stream=streamed)
            body = caught.exception.body
            self.assertEqual(caught.exception.type, "exceed_context_size_error")
            self.assertEqual((body["n_prompt_tokens"], body["n_ctx"]), (300, 256))

    def test_abort_frees_the_work(self):
        idle = Idleness(int(os.environ["MESITA_PID"]))
        busy = client().completions.create(
            model="tiny-long", prompt="x", max_tokens=60000, n=8, stream=True, logit_bias=NO_END
        )
        for _, _ in zip(range(20), busy):
            pass
        self.assertGreater(idle.share(), 0.1, "the server should be working on the completion")
        busy.close()
        idle.wait()
        self.create(max_tokens=4)


class Determinism(unittest.TestCase):
    """Seeded completions have the same bytes streamed or not, alone or beside others."""

    def test_alone_and_beside_others(self):
        url = f"{URL}/v1/completions"
        requests = [
            {"model": model, "prompt": prompt, "seed": seed, "max_tokens": 80, "n": 2, "logprobs": 2}
            for model in model_ids()
            for seed, prompt in enumerate(["the table", "Olé the cat", "a"])
        ]

        def run(body):
            return [
                (choice["text"], choice["logprobs"], choice["finish_reason"])
                for choice in post(url, body)["choices"]
            ]

        def run_streamed(body):
            texts = ["", ""]
            for event in stream(url, body):
                for choice in event["choices"]:
                    texts[choice["index"]] += choice["text"]
            return texts

        alone = [run(body) for body in requests]
        with concurrent.futures.ThreadPoolExecutor(2 * len(requests)) as pool:
            noise = [
                pool.submit(post, url, {"model": "tiny-all", "prompt": "noise", "max_tokens": 200})
                for _ in range(4)
            ]
            whole = [pool.submit(run, body) for body in requests]
            streamed = [pool.submit(run_streamed, body) for body in reversed(requests)]
            self.assertEqual([future.result() for future in whole], alone)
            self.assertEqual(
                [future.result() for future in reversed(streamed)],
                [[text for text, _, _ in choices] for choices in alone],
            )
            for future in noise:
                future.result()


class Keys(unittest.TestCase):
    def test_wrong_key(self):
        with self.assertRaises(openai.AuthenticationError):
            client(KEYED_URL, "wrong").completions.create(model="tiny-all", prompt="x")
        with self.assertRaises(openai.AuthenticationError):
            client(KEYED_URL, "wrong").models.list()

    def test_right_key(self):
        answer = client(KEYED_URL, KEY).completions.create(
            model="tiny-all", prompt="x", max_tokens=2, logit_bias=NO_END
        )
        self.assertEqual(answer.usage.completion_tokens, 2)

    def test_health_needs_none(self):
        self.assertEqual(request(f"{KEYED_URL}/health")[0], 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
