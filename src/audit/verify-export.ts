import { createHash, type Hash } from "node:crypto";
import type { AuditedRun } from "../ports/log-snapshot.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";
import { composeReport, type Trust } from "./compose-report.ts";
import { EXPORT_TYPE, signedExport } from "./export-lines.ts";
import { expectRegistered, noteUnconfirmedPruning, whyNotRegistered } from "./check-registered-run.ts";
import { type ChainHead, EMPTY_CHAIN, runDigestOf, canonicalJson } from "./hash-chain.ts";
import type { AuditReport } from "../views/audit-report.ts";
import { FindingCollector } from "./findings.ts";
import { isSignedBy, keyIdOf } from "./signature.ts";
import { noteWrongHead } from "./compare-heads.ts";
import { CheckpointWalk } from "./walk-checkpoints.ts";
import { ChainWalk, type WalkedEntry } from "./walk-log.ts";
import { RegisterWalk } from "./walk-register.ts";

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

interface ExportWalks {
  readonly chain: ChainWalk;
  readonly register: RegisterWalk;
  readonly checkpoints: CheckpointWalk;
}

class ExportReader {
  readonly #findings = new FindingCollector();
  readonly #trust: Trust;
  readonly #hash: Hash = createHash("sha256");
  #walks: ExportWalks;
  /** In exports of version 1 all entries are in one chain, and each checkpoint comes after the entry that it covers. */
  #version: 1 | 2 = 2;
  #onlyRun: string | null = null;
  #log: string | null = null;
  #isFirst = true;
  #line = 0;
  #runs = 0;
  readonly #runLines = new Set<string>();
  #isEnded = false;
  /** The key in the end line; null when it is unsigned. */
  #signedBy: string | null | undefined;
  /** Entries have come; the register and its checkpoints are over. */
  #hasEntries = false;
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
    this.#walks = this.#beginWalks("", EMPTY_CHAIN);
  }

  #beginWalks(log: string, start: ChainHead): ExportWalks {
    const { keys, head: wanted } = this.#trust;
    const register = new RegisterWalk(this.#findings);
    const isOld = this.#version === 1;
    const chain = new ChainWalk(this.#findings, { hasTexts: false, register: isOld ? null : register, start, wanted });
    const options = {
      refusesUnknownKeys: this.#refusesUnknownKeys,
      isWhole: start.position === 0,
      onlyRun: this.#onlyRun,
      wanted,
    };
    const checkpoints = new CheckpointWalk(this.#findings, { log, chain, register }, keys, options);
    return { chain, register, checkpoints };
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
        position: this.#walks.chain.position + 1,
      });
    const { chain, checkpoints } = this.#walks;
    this.#beginEntries();
    chain.settle();
    checkpoints.settle();
    this.#judgeEnd();
    this.#compareRuns();
    const { head } = this.#trust;
    if (head !== undefined && !chain.hasWanted && !checkpoints.hasWanted) noteWrongHead(head, chain, this.#findings);
    const rows = { runs: this.#runs, letters: null, texts: null, workflows: null };
    const trust = { ...this.#trust, seen: [] };
    return composeReport({
      source: "export",
      log: this.#log,
      findings: this.#findings,
      ...this.#walks,
      rows,
      prunedTexts: null,
      trust,
    });
  }

  /** Every run of the register has a line, and nothing was pruned that no checkpoint confirms. */
  #compareRuns(): void {
    const { register, checkpoints } = this.#walks;
    const confirmed = checkpoints.provenBody ?? checkpoints.last;
    if (confirmed !== null) noteUnconfirmedPruning(register, confirmed, this.#findings);
    const wanted = register.created.filter((run) => (this.#onlyRun ?? run) === run);
    for (const run of wanted)
      if (!this.#runLines.has(run))
        this.#findings.add("run-missing", `run ${run} was created, and the export does not have it`, { run });
  }

  #readRecord(type: string, value: JsonRecord): void {
    try {
      if (type === EXPORT_TYPE) this.#readHeader(value);
      else if (type === "register") this.#readRegister(value);
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
    const { version } = value;
    if (!this.#isFirst || (version !== 1 && version !== 2))
      return this.#note("the header is of another version, or is not the first line");
    this.#version = version;
    this.#log = text(value, "log");
    if (version === 2) this.#onlyRun = value["run"] === null ? null : text(value, "run");
    const start = isRecord(value["start"]) ? value["start"] : {};
    const head = version === 2 ? EMPTY_CHAIN : { position: integer(start, "position"), hash: text(start, "hash") };
    if (head.position === 0 && head.hash !== EMPTY_CHAIN.hash)
      this.#note("the header's hash is not the one that every log begins with");
    this.#walks = this.#beginWalks(this.#log, head);
  }

  #readRegister(value: JsonRecord): void {
    const row = { number: integer(value, "number"), body: text(value, "body"), hash: text(value, "hash") };
    this.isExport = true;
    if (this.#hasEntries || this.#version === 1) this.#note("an entry of the register is in the wrong place");
    else this.#walks.register.take(row);
  }

  #readEntry(value: JsonRecord): void {
    const entry = entryIn(value);
    this.isExport = true;
    this.#beginEntries();
    if (entry.position <= this.#walks.chain.position && this.#version === 2)
      this.#note(`entry ${entry.position} is in the wrong place`);
    this.#walks.chain.take({ ...entry, emptied: this.#emptiedOf(entry) });
    const { run, position, sequence, seal } = entry;
    if (run !== null) this.#lastEntries.set(run, { position, sequence, seal });
  }

  /** The register says which entries may be empty; of runs that are older than it, the line does. */
  #emptiedOf({ run, emptied }: WalkedEntry): number {
    const { created, pruned } = this.#walks.register.runOf(run ?? "");
    return created === null && pruned === null ? emptied : (pruned?.through ?? 0);
  }

  #beginEntries(): void {
    if (this.#hasEntries) return;
    this.#hasEntries = true;
    const { register, chain } = this.#walks;
    if (this.#version === 2) expectRegistered(register, chain, this.#findings, this.#onlyRun);
  }

  #readCheckpoint(value: JsonRecord): void {
    const signature = value["signature"] === null ? null : text(value, "signature");
    const kept = { number: integer(value, "number"), body: text(value, "body"), signature };
    this.isExport = true;
    if (this.#hasEntries && this.#version === 2) this.#note("a checkpoint is in the wrong place");
    else this.#walks.checkpoints.take(kept);
  }

  #readRun(value: JsonRecord): void {
    this.#runs++;
    const run = text(value, "run");
    this.#runLines.add(run);
    const last = this.#lastEntries.get(run);
    const why = this.#whyRunChanged(value, last?.seal ?? null);
    if (why !== null) this.#findings.add("run-changed", why, { run, ...last, row: this.#row });
  }

  #whyRunChanged(value: JsonRecord, seal: string | null): string | null {
    const row = value as unknown as AuditedRun;
    if (seal !== null && (!Array.isArray(value["effects"]) || runDigestOf(row) !== seal))
      return "the run does not match the digest in its last entry";
    const { register, chain } = this.#walks;
    return this.#version === 1 ? null : whyNotRegistered(row, register, chain);
  }

  #readEnd(value: JsonRecord): void {
    this.#isEnded = true;
    this.#beginEntries();
    const sha256 = this.#hash.digest("hex");
    const { chain, register, checkpoints } = this.#walks;
    const counted = {
      entries: chain.entries,
      ...(this.#version === 2 && { register: register.entries }),
      checkpoints: checkpoints.checkpoints,
      runs: this.#runs,
    };
    const wrong = Object.entries(counted).find(([name, count]) => value[name] !== count);
    if (wrong !== undefined)
      this.#note(`${wrong[0]}: found ${wrong[1]}, but the end line says ${JSON.stringify(value[wrong[0]] ?? null)}`);
    if (value["sha256"] !== sha256) this.#note("the lines are not those that were written");
    if (value["key"] === null && value["signature"] === null) {
      this.#signedBy = null;
      return;
    }
    const key = text(value, "key");
    this.#signedBy = key;
    if (!isSignedBy(key, signedExport(sha256), text(value, "signature")))
      this.#findings.add("wrong-signature", `the export is not signed by the key ${keyIdOf(key)}`, { row: this.#row });
  }

  /**
   * A machine that can sign the log signs its exports too, so a missing signature may have been removed. An unknown key is
   * a finding also beside trusted checkpoints: it has then signed the part that they do not cover.
   */
  #judgeEnd(): void {
    const { checkpoints } = this.#walks;
    const key = this.#signedBy;
    const isProven = checkpoints.proven !== null;
    if (key === undefined || this.#trust.keys.some(({ publicKey }) => publicKey === key)) return;
    if (key === null) {
      if (isProven)
        this.#findings.add("wrong-signature", "the log is signed, but the export is not", { row: this.#row });
    } else if (this.#refusesUnknownKeys || isProven)
      this.#findings.add("unknown-key", `the export is signed by the key ${keyIdOf(key)}`, { row: this.#row });
    else checkpoints.unknownKeys.add(keyIdOf(key));
  }

  get #row(): string {
    return `line ${this.#line}`;
  }

  #note(message: string): void {
    const position = this.#walks.chain.position + 1;
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
