#!/usr/bin/env python3
"""run.py openai-python|openai-node|lm-eval|tensorboard|transformers PROGRAMS: starts servers, then one client test.

PROGRAMS is the folder of the built programs. The clients lie where ./mesita put them (.deps/clients,
.deps/clients-node). Exit status 77, for CTest "skipped", when they are absent; MESITA_REQUIRE_CLIENTS
makes that a failure.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
from served import Served  # noqa: E402

PYTHON = ROOT / ".deps/clients/bin/python"
NODE_MODULES = ROOT / ".deps/clients-node"
COMMANDS = {
    "openai-python": ([PYTHON, HERE / "openai_client_test.py"], PYTHON),
    "openai-node": (["node", HERE / "openai_node_test.mjs"], NODE_MODULES / "node_modules/openai"),
    "lm-eval": ([PYTHON, HERE / "lm_eval_test.py"], PYTHON),
    "tensorboard": ([PYTHON, HERE / "tensorboard_test.py"], PYTHON),
    "transformers": ([PYTHON, HERE / "transformers_test.py"], PYTHON),
}
KEY = "a key for tests"
SKIPPED = 77


def make_models(programs, folder):
    """Small random checkpoints, and the shipped ones beside them."""
    subprocess.run([programs / "mesita-make-test-checkpoint", folder], check=True)
    for manifest in (ROOT / "model/pretrained").glob("*/manifest.json"):
        shutil.copytree(manifest.parent, folder / manifest.parent.name)


def main():
    command, needed = COMMANDS[sys.argv[1]]
    programs = pathlib.Path(sys.argv[2])
    if not needed.exists():
        print(f"skipped: {needed} is absent; ./mesita test fetches the clients")
        return 1 if os.environ.get("MESITA_REQUIRE_CLIENTS") else SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        models = pathlib.Path(temporary) / "models"
        make_models(programs, models)
        serve = programs / "mesita-serve"
        with Served(serve, models) as open_, Served(serve, models, "--api-key", KEY) as keyed:
            environment = {
                **os.environ,
                "MESITA_URL": open_.url,
                "MESITA_PID": str(open_.process.pid),
                "MESITA_KEYED_URL": keyed.url,
                "MESITA_KEY": KEY,
                "MESITA_PROGRAMS": str(programs),
                "MESITA_MODELS": str(models),
                "PYTHONPATH": str(ROOT / ".deps/torch"),
                "MESITA_NODE_MODULES": str(NODE_MODULES),
                "NO_PROXY": "127.0.0.1,localhost",
                "no_proxy": "127.0.0.1,localhost",
                "HF_HOME": temporary,
                "HF_HUB_OFFLINE": "1",
                "HF_DATASETS_OFFLINE": "1",
                "OPENAI_API_KEY": "any",
            }
            return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
