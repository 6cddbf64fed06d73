"""The one place where a failure becomes a message and an exit code."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Sequence

import click

from vaultkeeper.cli.output import harmless, say, use_colour
from vaultkeeper.errors import (
    Exit,
    IndexBrokenError,
    NotPermittedError,
    StorageError,
    UsageError,
    VaultkeeperError,
)

COMPLETION_VARIABLE = "_VAULTKEEPER_COMPLETE"
DISK_FULL = {errno.ENOSPC, errno.EROFS, errno.EDQUOT}
NOT_PERMITTED = {errno.EACCES, errno.EPERM}
EXPECTED = (
    VaultkeeperError,
    click.ClickException,
    click.exceptions.Exit,
    click.Abort,
    BrokenPipeError,
)
REPEATABLE = {"ask", "search", "note", "status", "doctor", "sync", "rebuild"}
"""Commands that may run twice: when the index is found to be broken on the way, they begin anew with a new one."""
BAD_NAME = {errno.ENAMETOOLONG, errno.ELOOP}


def guarded(command: click.Command, arguments: Sequence[str], call: object) -> int:
    """Runs a command and returns its exit code.

    With `--json` among the arguments an error is one JSON object on stderr, else a sentence and a hint. Bugs
    print their traceback. A reader that closed the pipe ends the call quietly.
    """
    as_json = "--json" in arguments
    try:
        outcome = _invoke(command, list(arguments), call)
        sys.stdout.flush()
        fault = getattr(call, "fault", None)
        if isinstance(fault, VaultkeeperError):
            return _report(fault, as_json)
        return int(outcome) if isinstance(outcome, int) else Exit.OK
    except VaultkeeperError as error:
        return _report(error, as_json)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        return _report_usage(error, as_json)
    except (KeyboardInterrupt, click.Abort):
        say("\ninterrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit; let it go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    except OSError as error:
        known = from_os_error(error)
        if known is None:
            raise
        return _report(known, as_json)


def _invoke(command: click.Command, arguments: list[str], call: object) -> object:
    if COMPLETION_VARIABLE in os.environ:
        import vaultkeeper.cli.completion  # noqa: F401 (registers the one for bash)

        return command.main(arguments, prog_name="vaultkeeper", complete_var=COMPLETION_VARIABLE, obj=call)
    # Not `main`, which would turn a closed pipe into the exit code of a bug.
    colour = use_colour(sys.stdout, os.environ)
    for last in (False, True):
        with command.make_context("vaultkeeper", list(arguments), obj=call, color=colour) as context:
            try:
                return command.invoke(context)
            except EXPECTED:
                raise
            except Exception as error:
                if not _blames_index(call, error):
                    raise
                if last or context.invoked_subcommand not in REPEATABLE:
                    raise IndexBrokenError() from error
    raise AssertionError("the loop returns or raises")


def _blames_index(call: object, error: Exception) -> bool:
    from vaultkeeper.cli.call import Call
    from vaultkeeper.cli.fresh import condemn_index

    return isinstance(call, Call) and condemn_index(call, error)


def from_os_error(error: OSError) -> VaultkeeperError | None:
    """Returns the error that a user can act on, or None when it is a bug."""
    path = error.filename or "the disk"
    if error.errno in DISK_FULL:
        return StorageError(path=path, reason=os.strerror(error.errno).lower())
    if error.errno in NOT_PERMITTED:
        return NotPermittedError(path=path)
    if error.errno in BAD_NAME:
        return UsageError(reason=f"{path}: {os.strerror(error.errno).lower()}.")
    return None


def _report(error: VaultkeeperError, as_json: bool) -> int:
    _print(type(error).__name__, str(error), error.advice, error.exit_code, as_json)
    return error.exit_code


def _report_usage(error: click.UsageError, as_json: bool) -> int:
    path = error.ctx.command_path if error.ctx else "vaultkeeper"
    sentence = error.format_message()
    if error.ctx and isinstance(error.ctx.command, click.Group) and sentence == "Missing command.":
        sentence = f"Missing command: one of {', '.join(error.ctx.command.list_commands(error.ctx))}."
    _print("UsageError", sentence, f"`{path} --help` says what it takes.", Exit.USAGE, as_json)
    return Exit.USAGE


def _print(name: str, sentence: str, hint: str, code: int, as_json: bool) -> None:
    if as_json:
        body = {"type": name, "message": sentence, "hint": hint, "exit_code": int(code)}
        say(json.dumps({"error": body}, ensure_ascii=False))
        return
    colour = use_colour(sys.stderr, os.environ)
    label = click.style("error:", fg="red", bold=True) if colour else "error:"
    say(f"{label} {harmless(sentence)}", colour)
    if hint:
        say(f"  {harmless(hint)}", colour)
