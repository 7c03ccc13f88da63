import { hashOfPrunedText } from "../../src/audit/hash-chain.ts";
import { hashOfText, messageChecksum, runChecksum } from "../../src/audit/hash-chain.ts";
import type {
  AuditedMessage,
  AuditedRun,
  AuditedText,
  LogSnapshot,
  RegisterRow,
} from "../../src/ports/log-snapshot.ts";
import { dueAt, type MemoryEntry, type MemoryRun } from "./memory-run.ts";

/** Nobody can get at it from outside, so marks are made when they are looked at. */
export function memorySnapshot(
  {
    runs,
    history,
    register,
  }: {
    readonly runs: readonly MemoryRun[];
    readonly history: readonly MemoryEntry[];
    readonly register: readonly RegisterRow[];
  },
  texts: ReadonlyMap<string, string>,
  prunedTexts: number,
  workflows: ReadonlyMap<string, string>,
): LogSnapshot {
  const emptied = new Map(runs.map((run) => [run.id, run.emptied]));
  const entries = history.map((entry) => ({ ...entry, emptied: emptied.get(entry.run) ?? 0 }));
  const letters = runs.flatMap(lettersOf).map(markLetter);
  const audited = runs.map(runOf);
  const kept = keptTexts(texts, prunedTexts);
  const pinned = [...workflows].map(([hash, definition], index) => ({ number: index + 1, hash, definition }));
  const page =
    <T>(rows: readonly T[]) =>
    async (after: number, limit: number): Promise<readonly T[]> =>
      rows.slice(after, after + limit);
  return {
    log: "memory",
    pruned: entries.filter(({ data }) => data === null).length,
    prunedTexts,
    counts: {
      entries: entries.length,
      register: register.length,
      checkpoints: 0,
      runs: runs.length,
      letters: letters.length,
      texts: kept.length,
      workflows: workflows.size,
    },
    gapsThrough: { letters: 0, texts: 0, workflows: 0 },
    entries: page(entries),
    register: page(register),
    checkpoints: async () => [],
    runs: page(audited),
    letters: page(letters),
    texts: page(kept),
    workflows: page(pinned),
    missingTexts: async (hashes) => new Set(hashes.filter((hash) => !texts.has(hash))),
    hasWorkflow: async (hash) => workflows.has(hash),
    damages: async () => [],
    close: async () => undefined,
  };
}

/** Numbers of those that were pruned stay taken. */
function keptTexts(texts: ReadonlyMap<string, string>, pruned: number): AuditedText[] {
  const emptied = Array.from({ length: pruned }, (_, index) => hashOfPrunedText(index + 1));
  const rows = [
    ...emptied.map((hash) => ({ hash, text: null, isEmptied: true })),
    ...[...texts.values()].map((text) => ({ hash: hashOfText(text), text, isEmptied: false })),
  ];
  return rows.map((row, index) => ({ ...row, number: index + 1 }));
}

interface KnownLetter {
  readonly run: string;
  readonly id: string;
  readonly input: string | null;
}

function lettersOf({ id: run, letters }: MemoryRun): KnownLetter[] {
  return [...letters].map(([id, input]) => ({ run, id, input }));
}

function markLetter(letter: KnownLetter, index: number): AuditedMessage {
  const { run, id, input } = letter;
  return { ...letter, number: index + 1, mark: messageChecksum(index + 1, run, id, input) };
}

function runOf(run: MemoryRun, index: number): AuditedRun {
  const { id, name, workflow, brief, status, finished, createdAt, updatedAt, emptied, wakeAt, summary } = run;
  const last = run.entries.at(-1) ?? null;
  const effects = [...run.effects].map(([key, { kind, data }], at) => ({ number: at + 1, key, kind, data }));
  const hasLetters = [...run.letters.values()].some((input) => input !== null);
  return {
    number: index + 1,
    run: id,
    name,
    workflow,
    brief,
    status,
    finished,
    createdAt,
    updatedAt,
    sequence: run.entries.length,
    emptied,
    wakeAt,
    dueAt: finished && (effects.length > 0 || hasLetters) ? 0 : (dueAt(run) ?? wakeAt),
    summary,
    mark: runChecksum({ run: id, name, workflow, brief, createdAt }),
    head: run.head,
    effects,
    hasLetters,
    last,
  };
}
