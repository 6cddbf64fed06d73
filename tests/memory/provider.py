"""A language model in a process of its own: `python provider.py HOW` reads a request as JSON and prints an answer.

It speaks the port of `vaultkeeper.ports.LanguageModel` over pipes, like a program that a user would plug in, and fails
in every way that such a program can.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from vaultkeeper.errors import ProviderError

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def answer(how: str, request: dict[str, object]) -> str:
    system, prompt = str(request["system"]), str(request["prompt"])
    if how == "good":
        if "one exchange" in system:
            return "Look at the free space before the gauges are copied."
        if "long-term goals" in system:
            return "- Keep the gauges running through the winter\n- And a second one\n- A third\n- A fourth"
        return "The gauges stay in DuckDB, and the seals come on Friday."
    if how == "blank":
        return " \n\t"
    if how == "secret":
        return SECRET if "one exchange" in system else f"The token is {SECRET}."
    if how == "endless":
        return "The gauges stay in DuckDB. " * 4000
    if how == "invents":
        return "The gauges went to Zanzibar with Mr Featherstone."
    if how == "echo":
        return prompt
    if how == "none":
        return "NONE"
    if how == "hangs":
        time.sleep(60)
    raise SystemExit(7)


class Program:
    """The port, spoken with a process. `close` ends those that still run."""

    name = "program"

    def __init__(self, how: str, local: bool = True) -> None:
        self.how = how
        self.local = local
        self.asked = 0
        self.running: list[subprocess.Popen[str]] = []

    def complete(self, prompt: str, *, system: str, max_tokens: int) -> str:
        self.asked += 1
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.memory.provider", self.how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        self.running.append(child)
        said, _ = child.communicate(
            json.dumps({"prompt": prompt, "system": system, "max_tokens": max_tokens})
        )
        if child.returncode:
            raise ProviderError(
                kind="model", name=self.name, reason=f"exit code {child.returncode}", remedy=""
            )
        return said.removesuffix("\n")

    def close(self) -> None:
        for child in self.running:
            if child.poll() is None:
                child.kill()
            child.wait()


if __name__ == "__main__":
    print(answer(sys.argv[1], json.loads(sys.stdin.read())))
