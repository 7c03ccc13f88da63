import { createReadStream } from "node:fs";
import type { AuditReport } from "../../audit/report.ts";
import { publicKeyIn } from "../../audit/signature.ts";
import type { Trust } from "../../audit/trust.ts";
import { verifyExport } from "../../audit/verify-export.ts";
import type { KnownKey } from "../../ports/notary.ts";
import { AppError } from "../../shared/app-error.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import type { VerifyAuditOptions } from "./verify-audit.ts";

export interface VerifyFileOptions extends VerifyAuditOptions {
  /** Keys that are believed when none is given. */
  readonly known?: readonly KnownKey[];
}

/** An exported file by itself. Given keys say who must have signed; else whoever is known here is believed. */
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

/** Nothing longer was ever written, and a file without line ends must not fill the memory. */
const LONGEST_LINE = 67_108_864;

async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > LONGEST_LINE)
      throw new AppError("cannot-read", `${path} has a line that is too long for an audit export.`, NO_EXPORT);
  }
  if (rest !== "") yield rest;
}
