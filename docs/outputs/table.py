"""Which command prints what."""

from __future__ import annotations

from typing import Any

from docs.outputs import answers, records
from vaultkeeper.index.sync import SyncStats
from vaultkeeper.keeping.trees import TreeLine
from vaultkeeper.memory.curated import CuratedReceipt
from vaultkeeper.memory.tool_rules import ToolRule
from vaultkeeper.memory.verify import Finding
from vaultkeeper.retrieval.flavour import Flavour
from vaultkeeper.retrieval.modes import EntityMatch
from vaultkeeper.retrieval.sources import SourceInfo
from vaultkeeper.vault.write import Receipt

OUTPUTS: dict[str, Any] = {
    "ask": answers.AnswerOutput,
    "search": answers.AnswerOutput,
    "brief": answers.BriefOutput,
    "note": answers.NoteOutput | list[answers.NoteOutput],
    "walk": answers.CitedResponse,
    "changes": answers.ChangesOutput,
    "checkpoint add": answers.CheckpointOutput,
    "checkpoint list": list[answers.CheckpointOutput],
    "checkpoint cleanup": list[answers.CheckpointOutput],
    "sync": SyncStats,
    "rebuild": SyncStats,
    "service status": answers.BackgroundOutput,
    "status": answers.StatusOutput,
    "doctor": answers.DoctorOutput,
    "entity list": list[answers.ListedEntity],
    "entity show": answers.ShownEntity,
    "entity add": Receipt,
    "entity alias": Receipt,
    "entity merge": answers.MergeOutput,
    "entity resolve": answers.ResolveOutput,
    "entities": list[EntityMatch],
    "graph": answers.GraphOutput,
    "capture": records.CaptureOutput,
    "recall": records.RecallOutput,
    "session list": list[records.SessionOutput],
    "session show": records.SessionView,
    "session recap": records.RecapOutput,
    "session end": records.EndOutput,
    "tend": records.TendOutput,
    "profile show": list[records.FacetOutput],
    "profile set": records.FacetOutput,
    "profile pin": records.FacetOutput,
    "profile forget": records.ForgottenFacet,
    "profile history": list[records.FacetOutput],
    "memory append": CuratedReceipt,
    "memory replace-section": CuratedReceipt,
    "memory show": records.ShownFile,
    "memory store": records.StoreOutput,
    "memory recall": records.RecalledMemories,
    "memory list": list[records.MemoryOutput],
    "memory forget": records.ForgottenMemory,
    "goals list": list[records.GoalOutput],
    "goals add": records.GoalReceiptOutput,
    "goals edit": records.GoalReceiptOutput,
    "goals delete": records.GoalReceiptOutput,
    "preferences save": records.SavedPreference,
    "preferences list": list[records.MemoryOutput],
    "preferences find": records.FoundPreferences,
    "preferences forget": records.ForgottenPreference,
    "rules add": records.SavedRule,
    "rules list": list[ToolRule],
    "rules delete": records.DeletedRule,
    "flavour": Flavour,
    "ingest": records.IngestOutput,
    "sources": list[SourceInfo],
    "tree list": list[TreeLine],
    "tree show": records.TreeOutput | records.NodeOutput | list[records.LeafScore],
    "tree seal": records.SealedOutput,
    "tree verify": list[Finding],
    "window": answers.CitedResponse,
    "drill": answers.CitedResponse,
    "leaves": answers.CitedResponse,
    "init": records.InitOutput,
    "vault list": list[records.VaultOutput],
    "config show": records.SettingsOutput,
    "config get": Any,
    "bench walk": records.BenchOutput,
    "bench ask": records.BenchOutput,
}
"""Command → the type of its output."""
