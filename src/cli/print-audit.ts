import type { AuditHead } from "../runtime/operations/audit-head.ts";
import type { AuditFinding, AuditProof, AuditReport } from "../runtime/operations/verify-audit.ts";
import { printable } from "../shared/printable.ts";
import { count } from "../shared/count.ts";
import { paint } from "./paint.ts";
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { AppError } from "../shared/app-error.ts";
import { reason } from "./read-input.ts";

/** The verdict first, then what is wrong and where, then what cannot be checked. */
export function printAudit(report: AuditReport, colour: boolean): string {
  const { verdict, findings, moreFindings, notCovered } = report;
  return [
    `${paint(verdict, TONES[verdict], colour)}: ${verdict === "empty" ? EMPTY[report.source] : VERDICTS[verdict]}`,
    "",
    ...figuresOf(report).map(([name, value]) => `  ${name.padEnd(10)} ${printable(value)}`),
    "",
    ...findings.flatMap((finding) => printFinding(finding, colour)),
    ...(moreFindings > 0 ? [`and ${moreFindings} more`, ""] : []),
    ...(notCovered.length > 0 ? ["Not covered:", ...notCovered.map((line) => `  - ${printable(line)}`)] : []),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const TONES = { intact: "good", unproven: "warning", broken: "bad", empty: "plain" } as const;

const VERDICTS: Readonly<Record<Exclude<AuditReport["verdict"], "empty">, string>> = {
  intact: "everything is as it was written.",
  unproven: "nothing in it is wrong, but no key that is known here has signed it.",
  broken: "this is not what was written.",
};

const EMPTY: Readonly<Record<AuditReport["source"], string>> = {
  log: "the log has no entries yet, so there is nothing to verify. `baton run` writes the first ones.",
  export: "the export has no entries, so there is nothing to verify.",
};

function figuresOf({ counts, head, proven, lastSeen, masked, log }: AuditReport): [string, string][] {
  const { entries, runs, checkpoints, signed, texts } = counts;
  const kept = texts === null ? "" : `; ${count(texts, "text")}`;
  const kinds = Object.entries(masked).map(([kind, times]) => `${times} x ${kind}`);
  return [
    ["log", log ?? "unknown"],
    ["entries", `${entries} of ${count(runs, "run")}${kept}`],
    ["head", `${head.hash}@${head.position}`],
    ["signed", `${signed} of ${count(checkpoints, "checkpoint")}`],
    ["proven to", proven === null ? "nowhere" : describeProof(proven)],
    ...(lastSeen === null ? [] : [["last seen", `${lastSeen.position}, ${timeOf(lastSeen.at)}`] as [string, string]]),
    ...(kinds.length === 0 ? [] : [["masked", kinds.join(", ")] as [string, string]]),
  ];
}

function describeProof(proof: AuditProof): string {
  return `${proof.position}, signed ${timeOf(proof.at)} by ${proof.keyId} (${describeSigner(proof)})`;
}

function describeSigner({ whose, keyFile }: AuditProof): string {
  switch (whose) {
    case "own":
      return "your own key, on this machine";
    case "kept":
      return `${keyFile ?? "a key"} of the keys that you keep`;
    case "given":
      return `the key that you gave: ${keyFile ?? "--key"}`;
  }
}

function printFinding({ code, message, meaning, remedy, ...where }: AuditFinding, colour: boolean): string[] {
  return [
    `${paint(code, "bad", colour)} ${printable(placeOf(where))}: ${printable(message)}`,
    `    means  ${meaning}`,
    `    do     ${remedy}`,
    "",
  ];
}

function placeOf({
  position,
  run,
  sequence,
  row,
}: Pick<AuditFinding, "position" | "run" | "sequence" | "row">): string {
  const parts = [
    ...(position === null ? [] : [`position ${position}`]),
    ...(run === null ? [] : [`run ${run}${sequence === null ? "" : `, entry ${sequence}`}`]),
    ...(row === null ? [] : [row]),
  ];
  return parts.length === 0 ? "in the file" : `at ${parts.join(", ")}`;
}

/** One line, for an artefact of CI: what `--head` takes comes first. */
export function printHead({ position, hash, at, keyId, signature, unsigned }: AuditHead): string {
  const signed = signature === null ? `unsigned (${printable(unsigned ?? "")})` : `${keyId ?? ""} ${signature}`;
  return `${hash}@${position} ${timeOf(at)} ${signed}\n`;
}

export function printUnsigned({ unsigned }: AuditHead): string {
  return `NOT SIGNED: ${printable(unsigned ?? "no reason given")}.
Kept elsewhere, this head still shows whether the log was changed up to here; who made it, it does not prove.
`;
}

function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** A new file, piece by piece; none is left when something goes wrong on the way. */
export async function writeExport(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const file = openNew(path);
  try {
    for await (const piece of pieces) writeWhole(file, Buffer.from(piece, "utf8"));
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw cannotWrite(path, error);
  } finally {
    closeSync(file);
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Only the owner may read it: texts of agents are in it. */
function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(path, error);
    throw new AppError("wrong-usage", `${path} exists already.`, "Nothing is overwritten: choose another name.");
  }
}

function cannotWrite(path: string, error: unknown): AppError {
  const hint = "Check the folder, its permissions and the free space.";
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const why = isMissing ? "its folder is not there" : reason(error);
  return new AppError("cannot-write", `${path} cannot be written: ${why}.`, hint);
}
