import { createHash, type Hash } from "node:crypto";
import type { AuditedRun } from "../ports/log-snapshot.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";
import { canonicalJson } from "./canonical-json.ts";
import { composeReport } from "./compose-report.ts";
import { EXPORT_TYPE, signedExport } from "./export-lines.ts";
import { Findings } from "./findings.ts";
import { EMPTY_CHAIN } from "./hash-chain.ts";
import type { AuditReport } from "./report.ts";
import { sealOf } from "./seal.ts";
import { isSignedBy, keyIdOf } from "./signature.ts";
import type { Trust } from "./trust.ts";
import { ChainWalk, type WalkedEntry } from "./walk-chain.ts";
import { CheckpointWalk } from "./walk-checkpoints.ts";

/**
 * Lines without their line ends. Everything is judged from the file and the keys alone. Null when nothing in it was
 * ever a line of an export.
 *
 * Whoever gives a key for this time says who must have signed. The keys that are known anyway say only whom to believe:
 * an export of somebody else is then not proven, and not broken either.
 */
export async function verifyExport(lines: AsyncIterable<string>, trust: Trust): Promise<AuditReport | null> {
  const reader = new ExportReader(trust);
  for await (const line of lines) reader.take(line);
  return reader.isExport ? reader.report() : null;
}

class ExportReader {
  readonly #findings = new Findings();
  readonly #trust: Trust;
  readonly #whole: Hash = createHash("sha256");
  #chain: ChainWalk;
  #checkpoints: CheckpointWalk;
  #log: string | null = null;
  #isFirst = true;
  #line = 0;
  #runs = 0;
  #isEnded = false;
  #heldHead = false;
  /** Something in it has the form of what we write. */
  isExport = false;
  readonly #refusesStrangers: boolean;
  readonly #last = new Map<
    string,
    { readonly sequence: number; readonly position: number; readonly seal: string | null }
  >();

  constructor(trust: Trust) {
    this.#trust = trust;
    this.#refusesStrangers = trust.keys.some(({ whose }) => whose === "given");
    this.#chain = new ChainWalk(this.#findings, null);
    this.#checkpoints = new CheckpointWalk(this.#findings, "", trust.keys, {
      refusesStrangers: this.#refusesStrangers,
    });
  }

  take(line: string): void {
    this.#line++;
    if (this.#isEnded) return this.#note("it goes on after its end");
    const value = canonicalRecord(line);
    if (value === null) {
      this.#note("it is not as it was written");
      this.isExport ||= isHeader(line);
      this.#whole.update(`${line}\n`);
      return;
    }
    const type = typeof value["type"] === "string" ? value["type"] : "";
    if (type !== "end") this.#whole.update(`${line}\n`);
    if (this.#isFirst && type !== EXPORT_TYPE) this.#note("this is no beginning of an export");
    this.#dispatch(type, value);
    this.#isFirst = false;
  }

  report(): AuditReport {
    if (!this.#isEnded)
      this.#findings.add("export-cut-off", "the last line is not the end", {
        row: this.#row,
        position: this.#chain.head.position + 1,
      });
    const { head } = this.#trust;
    if (head !== undefined && !this.#heldHead)
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

  #dispatch(type: string, value: JsonRecord): void {
    try {
      if (type === EXPORT_TYPE) this.#begin(value);
      else if (type === "entry") this.#takeEntry(value);
      else if (type === "checkpoint") this.#takeCheckpoint(value);
      else if (type === "run") this.#takeRun(value);
      else if (type === "end") this.#end(value);
      else if (type !== "key") this.#note(`nothing is known of ${type.slice(0, 30)}`);
    } catch (error) {
      if (!(error instanceof WrongField)) throw error;
      this.#note(error.message);
    }
  }

  #begin(value: JsonRecord): void {
    this.isExport = true;
    if (!this.#isFirst || value["version"] !== 1) return this.#note("it is of another version, or begins twice");
    const start = isRecord(value["start"]) ? value["start"] : {};
    const head = { position: integer(start, "position"), hash: text(start, "hash") };
    const isWhole = head.position === 0;
    if (isWhole && head.hash !== EMPTY_CHAIN.hash) this.#note("it begins with another hash than a log does");
    this.#log = text(value, "log");
    this.#chain = new ChainWalk(this.#findings, null, head);
    const options = { refusesStrangers: this.#refusesStrangers, isWhole };
    this.#checkpoints = new CheckpointWalk(this.#findings, this.#log, this.#trust.keys, options);
  }

  #takeEntry(value: JsonRecord): void {
    const entry = entryIn(value);
    this.isExport = true;
    this.#chain.take(entry);
    const { run, position, sequence, seal, hash } = entry;
    if (run !== null) this.#last.set(run, { position, sequence, seal });
    const { head } = this.#trust;
    if (head?.position === position && head.hash === hash) this.#heldHead = true;
  }

  #takeCheckpoint(value: JsonRecord): void {
    const signature = value["signature"] === null ? null : text(value, "signature");
    const kept = { number: integer(value, "number"), body: text(value, "body"), signature };
    this.isExport = true;
    this.#checkpoints.take(kept, this.#chain.head);
  }

  #takeRun(value: JsonRecord): void {
    this.#runs++;
    const run = text(value, "run");
    const last = this.#last.get(run);
    if (last === undefined || last.seal === null) return;
    if (!Array.isArray(value["effects"]) || sealOf(value as unknown as AuditedRun) !== last.seal)
      this.#findings.add("run-changed", "it is not what its last entry sealed", { run, ...last, row: this.#row });
  }

  #end(value: JsonRecord): void {
    this.#isEnded = true;
    const sha256 = this.#whole.digest("hex");
    const counted = { entries: this.#chain.entries, checkpoints: this.#checkpoints.checkpoints, runs: this.#runs };
    const wrong = Object.entries(counted).find(([name, count]) => value[name] !== count);
    if (wrong !== undefined)
      this.#note(`${wrong[0]}: ${wrong[1]} found, and its end counts ${JSON.stringify(value[wrong[0]] ?? null)}`);
    if (value["sha256"] !== sha256) this.#note("its lines are not those that were written");
    if (value["key"] === null && value["signature"] === null) return this.#noteUnsigned();
    const key = text(value, "key");
    if (!isSignedBy(key, signedExport(sha256), text(value, "signature")))
      this.#findings.add("wrong-signature", `the export is not signed by the key ${keyIdOf(key)}`, { row: this.#row });
    else if (!this.#trust.keys.some(({ publicKey }) => publicKey === key)) this.#takeStranger(keyIdOf(key));
  }

  /** Beside checkpoints that are believed, too: somebody else has put together what they do not cover. */
  #takeStranger(key: string): void {
    if (this.#refusesStrangers || this.#checkpoints.proven !== null)
      this.#findings.add("unknown-key", `the export is signed by the key ${key}`, { row: this.#row });
    else this.#checkpoints.unknownKeys.add(key);
  }

  /** Whoever could sign the log could have signed this, too: what is missing may have been taken away. */
  #noteUnsigned(): void {
    if (this.#checkpoints.proven !== null)
      this.#findings.add("wrong-signature", "the log is signed, and the export of it is not", { row: this.#row });
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

/** Null unless these are the very bytes that we would write: then no two lines say the same. */
function canonicalRecord(line: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && canonicalJson(value) === line ? value : null;
  } catch {
    return null;
  }
}

/** In other bytes than ours: with other line ends, say, or laid out by an editor. */
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
  if (typeof found !== "string") throw new WrongField(`${name} is missing or of the wrong kind`);
  return found;
}

function integer(value: JsonRecord, name: string): number {
  const found = value[name];
  if (!Number.isSafeInteger(found)) throw new WrongField(`${name} is missing or of the wrong kind`);
  return Number(found);
}
