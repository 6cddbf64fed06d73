"""Errors that a user can act on.

Owns every exception that reaches a user: each class is one sentence, one hint and one exit code, and
`docs/errors.md` is generated from this module. Something wrong *in a note* is no error: it is a
`types.Problem`, which is stored and shown and stops nothing.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """Exit codes of the command line; MCP answers carry the same numbers."""

    OK = 0
    BUG = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    REFUSED = 5
    LOCKED = 6
    PROVIDER = 7
    PROBLEMS = 8
    INTERRUPTED = 130


class VaultkeeperError(Exception):
    """A failure with a sentence for the user, a hint and an exit code.

    Args:
        **facts: the values that `sentence` and `hint` name in braces.
    """

    sentence: ClassVar[str] = "Something went wrong."
    hint: ClassVar[str] = ""
    exit_code: ClassVar[Exit] = Exit.BUG

    def __init__(self, **facts: object) -> None:
        self.facts = facts
        super().__init__(self.sentence.format(**facts))

    @property
    def advice(self) -> str:
        """The hint with its facts filled in; empty when there is none."""
        return self.hint.format(**self.facts)


class UsageError(VaultkeeperError):
    """The words of a call do not make sense."""

    sentence = "{reason}"
    hint = "Run the command with --help to see what it takes."
    exit_code = Exit.USAGE


class ConfigError(VaultkeeperError):
    """A setting has a value that cannot be used."""

    sentence = "The setting {setting} from {origin} cannot be used: {reason}."
    hint = "`vaultkeeper config show` prints every setting with its origin."
    exit_code = Exit.USAGE


class VaultNotFoundError(VaultkeeperError):
    """The vault that is named does not exist."""

    sentence = "There is no vault {vault}."
    hint = "Name one with --vault PATH, go into its folder, or run `vaultkeeper vault add PATH`."
    exit_code = Exit.NOT_FOUND


class PathNotFoundError(VaultkeeperError):
    """A file or folder that was named does not exist."""

    sentence = "There is no {what} {path}."
    hint = "{remedy}"
    exit_code = Exit.NOT_FOUND


class NoVaultError(VaultkeeperError):
    """No vault is named, none lies around the current folder, and there is no default."""

    sentence = "No vault is meant here."
    hint = "{known}Name one with --vault NAME|PATH, go into its folder, or run `vaultkeeper vault add PATH`."
    exit_code = Exit.NOT_FOUND


class VaultExistsError(VaultkeeperError):
    """A name in the list of vaults is taken by another folder."""

    sentence = "The name {name} already means {path}."
    hint = "Give another one with --name, or remove that vault first."
    exit_code = Exit.CONFLICT


class NoIndexError(VaultkeeperError):
    """The vault has no index that can be read, and none was to be made."""

    sentence = "This vault has no index yet."
    hint = "Run `vaultkeeper sync`, or leave out --no-sync."
    exit_code = Exit.NOT_FOUND


class VaultUnreadableError(VaultkeeperError):
    """The vault's folder cannot be read, or went away; its index stays as it was."""

    sentence = "The vault {vault} cannot be read: {reason}."
    hint = "Is its drive connected? With --no-sync, questions are answered from the index as it was."
    exit_code = Exit.NOT_FOUND


class IndexBrokenError(VaultkeeperError):
    """The index was found to be damaged on the way; the next sync makes it anew."""

    sentence = "The index of this vault was damaged; the next command makes it anew."
    hint = "Run the command again. Notes and what was written to them are not concerned."
    exit_code = Exit.CONFLICT


class NoteNotFoundError(VaultkeeperError):
    """A note that was named does not exist."""

    sentence = "There is no note {path} in this vault."
    hint = "{near}"
    exit_code = Exit.NOT_FOUND


class AmbiguousNoteError(VaultkeeperError):
    """A name fits several notes equally well; none is guessed."""

    sentence = "{name!r} could be {candidates}."
    hint = "Give the path, such as {first!r}."
    exit_code = Exit.CONFLICT


class EntityNotFoundError(VaultkeeperError):
    """An entity that was named is not in the registry."""

    sentence = "No entity is called {name!r}."
    hint = "{near}"
    exit_code = Exit.NOT_FOUND


class AmbiguousEntityError(VaultkeeperError):
    """A name fits several entities about equally well; none is guessed."""

    sentence = "{name!r} could be {candidates}."
    hint = "Use the full id, such as {first}."
    exit_code = Exit.CONFLICT


class SessionNotFoundError(VaultkeeperError):
    """A session that was named has no turns."""

    sentence = "There is no session {session!r} in this vault."
    hint = "{near}"
    exit_code = Exit.NOT_FOUND


class FacetNotFoundError(VaultkeeperError):
    """Nothing is known under a name of the profile."""

    sentence = "The profile knows nothing called {name!r}."
    hint = "{near}"
    exit_code = Exit.NOT_FOUND


class TreeNotFoundError(VaultkeeperError):
    """A summary tree or a node of one that was named does not exist."""

    sentence = "There is no tree or node {scope!r} in this vault."
    hint = "There are: {near}."
    exit_code = Exit.NOT_FOUND


class TreeArchivedError(VaultkeeperError):
    """A tree that the settings close was to be sealed."""

    sentence = "The tree {scope} is archived; nothing is added to it."
    hint = "Take it out of the setting `tree.archived` first."
    exit_code = Exit.CONFLICT


class ConflictError(VaultkeeperError):
    """A file changed on disk while it was being edited; nothing was written."""

    sentence = "{path} changed on disk while it was being edited; nothing was written."
    hint = "Run the command again."
    exit_code = Exit.CONFLICT


class ExistsError(VaultkeeperError):
    """What was to be created exists already; nothing was written."""

    sentence = "{path} exists already; nothing was written."
    hint = "Choose another name, or edit the existing note."
    exit_code = Exit.CONFLICT


class EntityKnownError(VaultkeeperError):
    """An entity of this kind is called so already; nothing was written."""

    sentence = "{name!r} is {entity} already ({path}); nothing was written."
    hint = "`vaultkeeper entity alias` gives it another name; --even-if-known writes a second entity."
    exit_code = Exit.CONFLICT


class KindsDifferError(VaultkeeperError):
    """Two entities of different kinds were to be merged; nothing was written."""

    sentence = "{other} and {kept} are of different kinds; nothing was written."
    hint = "If they are one and the same all the same, --across-kinds merges them."
    exit_code = Exit.CONFLICT


class RefusedError(VaultkeeperError):
    """A write that must not happen: outside the vault, through a symlink, or of a secret."""

    sentence = "Refused to write {path}: {reason}."
    hint = "vaultkeeper writes only to real files inside the vault."
    exit_code = Exit.REFUSED


class ReadOnlyError(RefusedError):
    """A note that was to be edited is read-only; nothing was written."""

    hint = "Make the note writable and run the command again; nothing was written."


class SwitchedOffError(VaultkeeperError):
    """A setting forbids what was asked for."""

    sentence = "{what} is switched off."
    hint = "The setting {setting} is false; `vaultkeeper config show` says where that comes from."
    exit_code = Exit.REFUSED


class FileNotAllowedError(VaultkeeperError):
    """Curated memory is two files; another one was named."""

    sentence = "File '{file}' is not allowed. Permitted files: {permitted}"
    hint = "`vaultkeeper memory store` keeps a memory in a note of its own."
    exit_code = Exit.REFUSED


class TooLargeError(VaultkeeperError):
    """What was to be written is longer than its place allows; nothing was written."""

    sentence = "{what} would be {size} {unit} long, and at most {limit} are allowed; nothing was written."
    hint = "Say it in fewer words, or remove what is out of date first."
    exit_code = Exit.REFUSED


class DuplicateError(VaultkeeperError):
    """Curated memory says nearly the same already; nothing was written."""

    sentence = "{path} says nearly the same in line {line}: {text!r}; nothing was written."
    hint = "If it is something else, say what is different; {way} writes it anyway."
    exit_code = Exit.CONFLICT


class MemoryNotFoundError(VaultkeeperError):
    """A goal, a memory, a preference or a rule that was named does not exist."""

    sentence = "There is no {what} {name!r}."
    hint = "{near}"
    exit_code = Exit.NOT_FOUND


class UnreadableNoteError(VaultkeeperError):
    """A note whose frontmatter cannot be read was to be edited; nothing was written."""

    sentence = "{path} cannot be edited: {reason}."
    hint = "Mend its frontmatter by hand; nothing was written."
    exit_code = Exit.CONFLICT


class UnreadableFileError(VaultkeeperError):
    """A file that was to be ingested cannot be read; nothing was written."""

    sentence = "{path} cannot be ingested: {reason}."
    hint = "Nothing was written; see `vaultkeeper ingest --help` for what can be read."
    exit_code = Exit.REFUSED


class LockedError(VaultkeeperError):
    """Another process of vaultkeeper writes this index."""

    sentence = "The index of this vault is being written by {holder}."
    hint = "Wait for it, or stop that process."
    exit_code = Exit.LOCKED


class NotesLockedError(LockedError):
    """Another process of vaultkeeper edits notes of this vault and does not finish."""

    sentence = "Notes of this vault are being edited by {holder}."
    hint = "Try again when it is done."


class HistoryError(VaultkeeperError):
    """The history of changes is damaged."""

    sentence = "The history in {path} cannot be read: {reason}."
    hint = (
        "Delete that folder to begin a new one; only snapshots, read marks and checkpoints are lost, no note."
    )
    exit_code = Exit.REFUSED


class HistoryLockedError(LockedError):
    """Another process of vaultkeeper writes the history of this vault and does not finish."""

    sentence = "The history of this vault is being written by {holder}."
    hint = "Try again when it is done."


class SourceNotFoundError(VaultkeeperError):
    """A source that was named has no notes."""

    sentence = "There is no source {source!r} in this vault."
    hint = "{near}"
    exit_code = Exit.NOT_FOUND


class SnapshotNotFoundError(VaultkeeperError):
    """A snapshot that was asked for does not exist."""

    sentence = "There is no {what}."
    hint = "`vaultkeeper changes --json` says which snapshots it compared; give at least seven digits of one."
    exit_code = Exit.NOT_FOUND


class CheckpointNotFoundError(VaultkeeperError):
    """A checkpoint that was named does not exist."""

    sentence = "There is no checkpoint {name!r}."
    hint = "{near}"
    exit_code = Exit.NOT_FOUND


class CrossSourceError(VaultkeeperError):
    """Snapshots of different sources were to be compared."""

    sentence = "The snapshot {snapshot} knows nothing of the source {source}."
    hint = "Compare two snapshots of one source."
    exit_code = Exit.USAGE


class FlavourError(VaultkeeperError):
    """A flavour that was named does not exist."""

    sentence = "There is no flavour {name!r}."
    hint = "There are: {known}."
    exit_code = Exit.NOT_FOUND


class StorageError(VaultkeeperError):
    """The disk refused: full, read-only, or not permitted."""

    sentence = "{path} cannot be written: {reason}."
    hint = "Free some space or check the permissions; the vault itself is unchanged."
    exit_code = Exit.REFUSED


class NotTakenInError(StorageError):
    """Notes were written, but the index could not be brought up to date with them."""

    sentence = "{what}, but the index could not be brought up to date: {reason}"
    hint = "Nothing is lost: the next sync takes it in, once the index can be written again."


class NotPermittedError(VaultkeeperError):
    """The operating system does not let this user read or write a file."""

    sentence = "{path} may not be opened: permission denied."
    hint = "Check who owns it and its permissions."
    exit_code = Exit.REFUSED


class NotInstalledError(VaultkeeperError):
    """Something that vaultkeeper brings along, or that a command needs, is not there."""

    sentence = "{what} cannot be found."
    hint = "Install vaultkeeper again."
    exit_code = Exit.NOT_FOUND


class ProviderError(VaultkeeperError):
    """An embedder or a language model cannot be loaded, or failed."""

    sentence = "The {kind} {name!r} failed: {reason}."
    hint = "{remedy}"
    exit_code = Exit.PROVIDER
