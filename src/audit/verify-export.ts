import { createHash, type Hash } from "node:crypto";
import type { AuditedRun } from "../ports/log-snapshot.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";
import { composeReport, type Trust } from "./compose-report.ts";
import { EXPORT_TYPE, signedExport } from "./export-lines.ts";
import { EMPTY_CHAIN, runDigestOf, canonicalJson } from "./hash-chain.ts";
import type { AuditReport } from "../views/audit-report.ts";
import { FindingCollector } from "./findings.ts";
import { isSignedBy, keyIdOf } from "./signature.ts";
import { ChainWalk, type WalkedEntry, CheckpointWalk } from "./walk-log.ts";

/**
 * Verifies an export from its lines (without line ends) and the trusted keys alone. Null when no line is one of an
 * export.
 *
 * A key given with --key must have signed everything. Without one, an export signed by unknown keys is unproven, not
 * broken.
 */
export async function verifyExport(lines: AsyncIterable<string>, trust: Trust): Promise<AuditReport | null> {
  const reader = new ExportReader(trust);
  for await (const line of lines) reader.readLine(line);
  return reader.isExport ? reader.report() : null;
}

class ExportReader {
  readonly #findings = new FindingCollector();
  readonly #trust: Trust;
  readonly #hash: Hash = createHash("sha256");
  #chain: ChainWalk;
  #checkpoints: CheckpointWalk;
  #log: string | null = null;
  #isFirst = true;
  #line = 0;
  #runs = 0;
  #isEnded = false;
  #hasTrustedHead = false;
  /** At least one line has the form of an export's line. */
  isExport = false;
  readonly #refusesUnknownKeys: boolean;
  readonly #lastEntries = new Map<
    string,
    { readonly sequence: number; readonly position: number; readonly seal: string | null }
  >();

  constructor(trust: Trust) {
    this.#trust = trust;
    this.#refusesUnknownKeys = trust.keys.some(({ whose }) => whose === "given");
    this.#chain = new ChainWalk(this.#findings, null);
    this.#checkpoints = new CheckpointWalk(this.#findings, "", trust.keys, {
      refusesUnknownKeys: this.#refusesUnknownKeys,
    });
  }

  readLine(line: string): void {
    this.#line++;
    if (this.#isEnded) return this.#note("there are lines after the end line");
    const value = canonicalRecord(line);
    if (value === null) {
      this.#note("the line is not as it was written");
      this.isExport ||= isHeader(line);
      this.#hash.update(`${line}\n`);
      return;
    }
    const type = typeof value["type"] === "string" ? value["type"] : "";
    if (type !== "end") this.#hash.update(`${line}\n`);
    if (this.#isFirst && type !== EXPORT_TYPE) this.#note("the first line is not the header of an export");
    this.#readRecord(type, value);
    this.#isFirst = false;
  }

  report(): AuditReport {
    if (!this.#isEnded)
      this.#findings.add("export-cut-off", "the last line is not the end line", {
        row: this.#row,
        position: this.#chain.head.position + 1,
      });
    const { head } = this.#trust;
    if (head !== undefined && !this.#hasTrustedHead)
      this.#findings.add(
        "wrong-head",
        `the export does not hold the head ${head.hash.slice(0, 12)} at ${head.position}`,
        {
          position: head.position,
        },
      );
    this.#checkpoints.settle();
    const rows = { runs: this.#runs, letters: null, texts: null, workflows: null };
    const trust = { ...this.#trust, seen: [] };
    const [findings, chain, checkpoints] = [this.#findings, this.#chain, this.#checkpoints];
    return composeReport({
      source: "export",
      log: this.#log,
      findings,
      chain,
      checkpoints,
      rows,
      prunedTexts: null,
      trust,
    });
  }

  #readRecord(type: string, value: JsonRecord): void {
    try {
      if (type === EXPORT_TYPE) this.#readHeader(value);
      else if (type === "entry") this.#readEntry(value);
      else if (type === "checkpoint") this.#readCheckpoint(value);
      else if (type === "run") this.#readRun(value);
      else if (type === "end") this.#readEnd(value);
      else if (type !== "key") this.#note(`the line has an unknown type: ${type.slice(0, 30)}`);
    } catch (error) {
      if (!(error instanceof WrongField)) throw error;
      this.#note(error.message);
    }
  }

  #readHeader(value: JsonRecord): void {
    this.isExport = true;
    if (!this.#isFirst || value["version"] !== 1)
      return this.#note("the header is of another version, or is not the first line");
    const start = isRecord(value["start"]) ? value["start"] : {};
    const head = { position: integer(start, "position"), hash: text(start, "hash") };
    const isWhole = head.position === 0;
    if (isWhole && head.hash !== EMPTY_CHAIN.hash)
      this.#note("the header's hash is not the one that every log begins with");
    this.#log = text(value, "log");
    this.#chain = new ChainWalk(this.#findings, null, head);
    const options = { refusesUnknownKeys: this.#refusesUnknownKeys, isWhole };
    this.#checkpoints = new CheckpointWalk(this.#findings, this.#log, this.#trust.keys, options);
  }

  #readEntry(value: JsonRecord): void {
    const entry = entryIn(value);
    this.isExport = true;
    this.#chain.take(entry);
    const { run, position, sequence, seal, hash } = entry;
    if (run !== null) this.#lastEntries.set(run, { position, sequence, seal });
    const { head } = this.#trust;
    if (head?.position === position && head.hash === hash) this.#hasTrustedHead = true;
  }

  #readCheckpoint(value: JsonRecord): void {
    const signature = value["signature"] === null ? null : text(value, "signature");
    const kept = { number: integer(value, "number"), body: text(value, "body"), signature };
    this.isExport = true;
    this.#checkpoints.take(kept, this.#chain.head);
  }

  #readRun(value: JsonRecord): void {
    this.#runs++;
    const run = text(value, "run");
    const last = this.#lastEntries.get(run);
    if (last === undefined || last.seal === null) return;
    if (!Array.isArray(value["effects"]) || runDigestOf(value as unknown as AuditedRun) !== last.seal)
      this.#findings.add("run-changed", "the run does not match the digest in its last entry", {
        run,
        ...last,
        row: this.#row,
      });
  }

  #readEnd(value: JsonRecord): void {
    this.#isEnded = true;
    const sha256 = this.#hash.digest("hex");
    const counted = { entries: this.#chain.entries, checkpoints: this.#checkpoints.checkpoints, runs: this.#runs };
    const wrong = Object.entries(counted).find(([name, count]) => value[name] !== count);
    if (wrong !== undefined)
      this.#note(`${wrong[0]}: found ${wrong[1]}, but the end line says ${JSON.stringify(value[wrong[0]] ?? null)}`);
    if (value["sha256"] !== sha256) this.#note("the lines are not those that were written");
    if (value["key"] === null && value["signature"] === null) return this.#noteUnsigned();
    const key = text(value, "key");
    if (!isSignedBy(key, signedExport(sha256), text(value, "signature")))
      this.#findings.add("wrong-signature", `the export is not signed by the key ${keyIdOf(key)}`, { row: this.#row });
    else if (!this.#trust.keys.some(({ publicKey }) => publicKey === key)) this.#noteUnknownKey(keyIdOf(key));
  }

  /** A finding also beside trusted checkpoints: an unknown key has then signed the part that they do not cover. */
  #noteUnknownKey(key: string): void {
    if (this.#refusesUnknownKeys || this.#checkpoints.proven !== null)
      this.#findings.add("unknown-key", `the export is signed by the key ${key}`, { row: this.#row });
    else this.#checkpoints.unknownKeys.add(key);
  }

  /** A machine that can sign the log signs its exports too, so a missing signature may have been removed. */
  #noteUnsigned(): void {
    if (this.#checkpoints.proven !== null)
      this.#findings.add("wrong-signature", "the log is signed, but the export is not", { row: this.#row });
  }

  get #row(): string {
    return `line ${this.#line}`;
  }

  #note(message: string): void {
    const position = this.#chain.head.position + 1;
    this.#findings.add("export-changed", message, { row: this.#row, position });
  }
}

class WrongField extends Error {}

/** Null unless the line is the canonical JSON of its value, so that one value has one line. */
function canonicalRecord(line: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && canonicalJson(value) === line ? value : null;
  } catch {
    return null;
  }
}

/** Also true of a header with other line ends or spacing, for example from an editor. */
function isHeader(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line.replace(/^\ufeff/, ""));
    return isRecord(value) && value["type"] === EXPORT_TYPE;
  } catch {
    return false;
  }
}

function entryIn(value: JsonRecord): WalkedEntry {
  const state = text(value, "state");
  const { data, seal } = value;
  const sequence = integer(value, "sequence");
  return {
    position: integer(value, "position"),
    run: text(value, "run"),
    sequence,
    at: integer(value, "at"),
    kind: text(value, "kind"),
    data: state === "whole" ? (typeof data === "string" ? data : canonicalJson(data)) : null,
    dataHash: text(value, "dataHash"),
    seal: seal === null ? null : text(value, "seal"),
    hash: text(value, "hash"),
    emptied: state === "pruned" ? sequence : 0,
    withheld: state === "withheld",
  };
}

function text(value: JsonRecord, name: string): string {
  const found = value[name];
  if (typeof found !== "string") throw new WrongField(`${name} is missing or has the wrong type`);
  return found;
}

function integer(value: JsonRecord, name: string): number {
  const found = value[name];
  if (!Number.isSafeInteger(found)) throw new WrongField(`${name} is missing or has the wrong type`);
  return Number(found);
}
