import type { RegisterRow } from "../ports/log-snapshot.ts";
import { isRecord, type JsonRecord, type JsonValue, ownValue } from "../shared/json-value.ts";
import { canonicalJson, FIRST_HASH, hashOfText } from "./hash-chain.ts";

/** How far the chain of a run reaches. */
export interface RunHead {
  readonly run: string;
  readonly sequence: number;
  readonly hash: string;
}

/** Entries of a run after `from` up to `through` were emptied. */
interface EmptiedRun {
  readonly run: string;
  readonly from: number;
  readonly through: number;
}

/**
 * An entry of the register, the one chain over all runs.
 *
 * - `created`: the chain of the run begins with the hash of this entry. `mark` is the checksum of what it was created with.
 * - `ended`: the head of the run when it ended; a run that is continued and ends again has several.
 * - `pruned`: which entries were emptied.
 * - `closed`: logs of older versions had one chain for the entries of all runs. It ends here, at most once, as the first
 *   entry of the register. Runs of that chain continue from the hash of this entry.
 */
export type RegisterEntry =
  | { readonly kind: "created"; readonly run: string; readonly mark: string }
  | ({ readonly kind: "ended" } & RunHead)
  | { readonly kind: "pruned"; readonly runs: readonly EmptiedRun[] }
  | ClosedChain;

export interface ClosedChain {
  readonly kind: "closed";
  readonly position: number;
  readonly hash: string;
  /** Number of runs in that chain. */
  readonly runs: number;
  /** `digestOfEmptied` of what had been emptied by then. */
  readonly emptied: string;
}

export type RegisterHead = Pick<RegisterRow, "number" | "hash">;

export const EMPTY_REGISTER: RegisterHead = { number: 0, hash: FIRST_HASH };

export function nextInRegister({ number, hash }: RegisterHead, entry: RegisterEntry): RegisterRow {
  const body = canonicalJson(entry as unknown as JsonRecord);
  return { number: number + 1, body, hash: hashInRegister(hash, number + 1, body) };
}

/** The prefix keeps an entry of the register from being an entry of a run. */
export function hashInRegister(previous: string, number: number, body: string): string {
  return hashOfText(JSON.stringify(["register", previous, number, body]));
}

export function digestOfEmptied(runs: readonly { readonly run: string; readonly emptied: number }[]): string {
  return hashOfText(
    JSON.stringify(runs.filter(({ emptied }) => emptied > 0).map(({ run, emptied }) => [run, emptied])),
  );
}

/** Null unless the text is the exact canonical JSON of an entry. */
export function readRegisterEntry(body: string): RegisterEntry | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isRecord(value) || canonicalJson(value) !== body) return null;
  const { kind } = value;
  return typeof kind === "string" ? (ownValue(READERS, kind)?.(value) ?? null) : null;
}

const READERS: Readonly<Record<RegisterEntry["kind"], (value: JsonRecord) => RegisterEntry | null>> = {
  created: ({ run, mark }) => (isText(run) && isText(mark) ? { kind: "created", run, mark } : null),
  ended: (value) => {
    const head = runHeadIn(value);
    return head === null ? null : { kind: "ended", ...head };
  },
  pruned: ({ runs }) => {
    const read = Array.isArray(runs) ? runs.map(emptiedRunIn) : [null];
    return read.includes(null) ? null : { kind: "pruned", runs: read.filter((each) => each !== null) };
  },
  closed: closedIn,
};

function closedIn({ position, hash, runs, emptied }: JsonRecord): ClosedChain | null {
  const isWhole = isCount(position) && isText(hash) && isCount(runs) && isText(emptied);
  return isWhole ? { kind: "closed", position, hash, runs, emptied } : null;
}

function emptiedRunIn(value: JsonValue): EmptiedRun | null {
  const { run, from, through } = isRecord(value) ? value : {};
  return isText(run) && isCount(from) && isCount(through) ? { run, from, through } : null;
}

export function runHeadIn(value: JsonValue): RunHead | null {
  const { run, sequence, hash } = isRecord(value) ? value : {};
  return isText(run) && isCount(sequence) && isText(hash) ? { run, sequence, hash } : null;
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
