"""Who may act: a model turns a `Request` into `Completion`s. One file in this folder is one back end, found by name.

* `local`     a transformers model in this process group; batches concurrent requests
* `server`    any OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp, a vendor's API
* `scripted`  replays a file of trajectories: tests, dry runs, demonstrations

`complete` blocks and may be called from many threads at once: concurrency is the caller's, batching is the back end's.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol

from react.config import setting
from react.mistakes import at_least, choose


@dataclass(frozen=True)
class Request:
    """One question to a model. Everything that can change the answer is here, and all of it keys the record of calls.

    `stop`: the text ends before the first of these; they may cross token borders. `temperature` 0 is greedy.
    `n` completions are drawn from `seed`; `attempt` and `sample` tell apart what is asked several times, and `task` (an
    id) what is asked in the same words about several, as about households. The hints never change what is computed,
    only how fast: the first `shared` characters of `prompt` are common to many requests (few-shot exemplars), and
    requests of one `session` extend one another (the steps of an episode).
    """

    prompt: str
    stop: tuple[str, ...] = ()
    max_tokens: int = 100
    temperature: float = 0.0
    top_p: float = 1.0
    n: int = 1
    seed: int = 0
    attempt: int = 0
    sample: int = 0
    task: str = ""
    shared: int = field(default=0, compare=False)
    session: str = field(default="", compare=False)


@dataclass(frozen=True)
class Completion:
    """What came back. `text` has no stop string in it. `reason` is `length` when `max_tokens` (or the window) ran out.

    `cached_tokens` of the `prompt_tokens` cost nothing, as far as the back end says.
    """

    text: str
    reason: Literal["stop", "length"] = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


class ModelError(Exception):
    """The infrastructure failed (a server is down, a worker died), after the back end's own bounded retries."""


class ContextFull(Exception):
    """The prompt leaves no room for a completion in the model's window. The message says both numbers."""


class Model(Protocol):
    """What every back end offers. `fingerprint` identifies weights and tokenizer as far as can be known."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def complete(self, request: Request) -> list[Completion]:
        """`request.n` completions. Raises ModelError or ContextFull; anything else is a bug."""
        ...

    def close(self) -> None:
        """Lets go of processes, memory and connections. May be called twice."""
        ...


_LONGEST = 86_400.0


@dataclass(frozen=True)
class ModelConfig:
    """Which model, through which back end. A back end ignores what does not concern it.

    `model`: `smollm2` (embedded), a folder, a hub name, a served model's name, or a trajectories file for `scripted`.
    """

    PACE: ClassVar = frozenset(
        {"device", "workers", "batch", "base_url", "api_key_env", "timeout", "retries", "canary"}
    )

    backend: str = setting("local", "local, server or scripted")
    model: str = setting("smollm2", "smollm2 (embedded), a folder, a hub name, a served name, or a trajectories file")
    adapter: str = setting("", "folder of a peft adapter to put on the model")
    dtype: str = setting("auto", "auto (float32 on a CPU, bfloat16 on a GPU), float32, bfloat16 or float16")
    device: str = setting("auto", "auto, cpu or cuda")
    workers: int = setting(0, "processes of the local back end; 0: one a GPU, else one a core")
    batch: int = setting(0, "requests that one local worker decodes at once; 0: chosen by the device")
    base_url: list[str] = setting([], "endpoints of the server back end, such as http://127.0.0.1:8000/v1")
    api: str = setting("completions", "completions, chat, or tools: by native calls of tools (local: too)")
    api_key_env: str = setting("OPENAI_API_KEY", "environment variable that holds the server's key")
    timeout: float = setting(120.0, "seconds that one try of a server call may take")
    retries: int = setting(5, "further tries of a failed server call")
    canary: str = setting("", "canary.json of a student: the model must answer as that one; local finds its own")

    @property
    def calls(self) -> bool:
        """Whether the model is asked for calls of tools: prompts and completions are then those of `react.native`."""
        return self.api == "tools"

    def __post_init__(self) -> None:
        at_least(0, self, "workers", "batch", "retries")
        if not 0 < self.timeout <= _LONGEST:
            raise ValueError(f"timeout is {self.timeout}; it must be more than 0 and at most {_LONGEST} seconds")


def backends() -> list[str]:
    """The names that `load` knows."""
    found = pkgutil.iter_modules(__path__)
    return sorted(module.name for module in found if not module.ispkg and module.name[0] != "_")


def load(config: ModelConfig) -> Model:
    """The model that `config` names. ValueError (unknown name, no checkpoint, bad setting) names the choices."""
    choose("model backend", config.backend, backends())
    module = importlib.import_module(f"{__name__}.{config.backend}")
    model: Model = module.load(config)
    return model


def fingerprint(config: ModelConfig) -> str:
    """The fingerprint that the model will have, without loading it; empty where only the loaded one can say.

    ValueError as of `load`: there is no such checkpoint or file.
    """
    choose("model backend", config.backend, backends())
    module = importlib.import_module(f"{__name__}.{config.backend}")
    found: str = module.fingerprint(config) if hasattr(module, "fingerprint") else ""
    return found
