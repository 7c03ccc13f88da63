import type { AuditReport } from "../../views/audit-report.ts";
import { type RunWithoutDigest, verifySnapshot } from "../../audit/verify-snapshot.ts";
import type { StoredEntry } from "../../ports/event-log.ts";
import type { KnownKey } from "../../ports/log-signer.ts";
import type { Engine } from "../engine.ts";
import { decodeEntry } from "../read-log.ts";
import { foldEntries, isParked } from "../run-session.ts";
import { createReadStream } from "node:fs";
import { publicKeyIn } from "../../audit/signature.ts";
import type { Trust } from "../../audit/compose-report.ts";
import { verifyExport } from "../../audit/verify-export.ts";
import { AppError } from "../../shared/app-error.ts";
import { plainReason } from "../../shared/plain-reason.ts";

export type { AuditFinding, AuditProof, AuditReport } from "../../views/audit-report.ts";
export type { KnownKey } from "../../ports/log-signer.ts";

export interface VerifyAuditOptions {
  /** Keys to trust in addition to those of this machine. */
  readonly keys?: readonly KnownKey[];
  /** A head that was stored elsewhere. */
  readonly head?: { readonly position: number; readonly hash: string };
}

/** Verifies the whole log, and reports what holds, what does not, and what cannot be verified. */
export async function verifyAudit(
  { ports, logSigner, hasKnowledge }: Pick<Engine, "ports" | "logSigner" | "hasKnowledge">,
  { keys = [], head }: VerifyAuditOptions = {},
): Promise<AuditReport> {
  const { log } = ports;
  const snapshot = await log.snapshot();
  try {
    const trust = {
      keys: [...keys, ...(logSigner?.keys() ?? [])],
      seen: logSigner?.seen(snapshot.log) ?? [],
      ...(head === undefined ? {} : { head }),
    };
    const knowledge =
      hasKnowledge?.() === true ? await ports.knowledge.check(keys.map(({ publicKey }) => publicKey)) : null;
    return await verifySnapshot(snapshot, trust, { knowledge, withoutDigest: (run) => compareWithEntries(log, run) });
  } finally {
    await snapshot.close();
  }
}

/** For a run from before seals existed, at least the status must match its entries. */
async function compareWithEntries(
  log: Engine["ports"]["log"],
  { run, status }: RunWithoutDigest,
): Promise<string | null> {
  const entries = await log.entries(run);
  if (entries.some(({ data }) => data === null)) return null;
  const folded = statusIn(entries);
  return folded === status ? null : `it is listed as ${status}, and its entries tell ${folded}`;
}

/** Edited entries may not be decodable. */
function statusIn(entries: readonly StoredEntry[]): string {
  try {
    const state = foldEntries(entries.map(decodeEntry));
    return isParked(state) ? "waiting" : state.status;
  } catch (error) {
    return `nothing that could be understood (${error instanceof Error ? error.message : String(error)})`;
  }
}

interface VerifyFileOptions extends VerifyAuditOptions {
  /** Keys to trust when none is given. */
  readonly known?: readonly KnownKey[];
}

/** Verifies an exported file by itself. It trusts the given keys, or else the keys known on this machine. */
export async function verifyAuditFile(path: string, options: VerifyFileOptions = {}): Promise<AuditReport> {
  const { keys = [], known = [], head } = options;
  const trust = { keys: keys.length > 0 ? keys : known, seen: [], ...(head === undefined ? {} : { head }) };
  const report = await verifyLines(path, trust);
  if (report !== null) return report;
  throw new AppError("cannot-read", `${path} is not an audit export: no line of it was ever part of one.`, NO_EXPORT);
}

const NO_EXPORT =
  "Name a file that `baton audit export FILE` has written, or no file at all to verify the log of this repository.";

async function verifyLines(path: string, trust: Trust): Promise<AuditReport | null> {
  try {
    return await verifyExport(linesOf(path), trust);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new AppError("cannot-read", `${path} cannot be read: ${plainReason(error)}.`, NO_EXPORT);
  }
}

export { publicKeyIn };

/** No export has longer lines, and a file without line breaks must not fill the memory. */
const MAX_LINE = 67_108_864;

async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > MAX_LINE)
      throw new AppError("cannot-read", `${path} has a line that is too long for an audit export.`, NO_EXPORT);
  }
  if (rest !== "") yield rest;
}
