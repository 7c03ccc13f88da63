import { type Share, type Shown, quoted, readCount, refuseReport, wasHit, coverageOf } from "./report.ts";

/** Counts lines and branches one by one; a file with several records counts once. */
export function readLcov(text: string): Shown {
  const reader = new LcovReader();
  let start = 0;
  for (let number = 1; start <= text.length; number++) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    reader.line(text.slice(start, end).trim(), number);
    start = end + 1;
  }
  return { tests: null, coverage: reader.coverage(), covered: reader.covered() };
}

/** A source file, over all its records. */
interface SourceFile {
  readonly lines: Map<number, boolean>;
  readonly branches: Map<string, boolean>;
}

/** One record, from `SF:` to `end_of_record`. */
interface OpenRecord {
  readonly name: string;
  readonly file: SourceFile;
  /** Distinct lines of this record. */
  readonly lines: Set<number>;
  readonly functions: Map<string, boolean>;
  /** LF, LH, FNF, FNH, BRF and BRH, where present. */
  readonly sums: Map<string, number>;
  hasBranches: boolean;
}

class LcovReader {
  readonly #files = new Map<string, SourceFile>();
  readonly #functions = { hit: 0, found: 0 };
  /** For records that only have sums. */
  readonly #sums = { lines: { hit: 0, found: 0 }, branches: { hit: 0, found: 0 } };
  #record: OpenRecord | null = null;

  line(text: string, number: number): void {
    if (text === "" || text.startsWith("#")) return;
    if (text === "end_of_record") return this.#closeRecord(number);
    const colon = text.indexOf(":");
    const key = text.slice(0, colon);
    if (!/^[A-Z]{2,6}$/.test(key)) refuseReport(`line ${number} is no line of lcov: ${quoted(text)}`);
    this.#entry(key, text.slice(colon + 1), number);
  }

  coverage(): Shown["coverage"] {
    if (this.#record !== null) refuseReport(`it was cut off: the record of ${quoted(this.#record.name)} has no end`);
    const files = [...this.#files.values()];
    return coverageOf({
      lines: added(shareOf(files.flatMap((file) => [...file.lines.values()])), this.#sums.lines),
      branches: added(shareOf(files.flatMap((file) => [...file.branches.values()])), this.#sums.branches),
      functions: this.#functions,
    });
  }

  covered(): string[] {
    return [...this.#files.keys()];
  }

  #entry(key: string, value: string, number: number): void {
    if (key === "TN") return;
    if (key === "SF") return this.#openRecord(value, number);
    const record = this.#record ?? refuseReport(`line ${number} belongs to no file`);
    if (key === "DA") addLine(record, value, number);
    else if (key === "BRDA") addBranch(record, value, number);
    else if (key === "FN") record.functions.set(value.slice(value.lastIndexOf(",") + 1), false);
    else if (key === "FNDA") addFunction(record, value, number);
    else if (SUMS.has(key)) record.sums.set(key, readCount(value, `${key} of line ${number}`));
  }

  #openRecord(name: string, number: number): void {
    if (this.#record !== null) refuseReport(`line ${number} begins a file before the one before has ended`);
    const file = this.#files.get(name) ?? { lines: new Map(), branches: new Map() };
    this.#files.set(name, file);
    this.#record = { name, file, lines: new Set(), functions: new Map(), sums: new Map(), hasBranches: false };
  }

  #closeRecord(number: number): void {
    const record = this.#record ?? refuseReport(`line ${number} ends a file that did not begin`);
    this.#record = null;
    const lines = sumOf(record, "LF", "LH");
    if (lines !== null && record.lines.size > 0 && lines.found !== record.lines.size)
      refuseReport(`${quoted(record.name)} says LF:${lines.found} and lists ${record.lines.size} lines`);
    if (lines !== null && record.lines.size === 0) addTo(this.#sums.lines, lines);
    const branches = sumOf(record, "BRF", "BRH");
    if (branches !== null && !record.hasBranches) addTo(this.#sums.branches, branches);
    // Functions may share a name, so the sums are more exact.
    addTo(this.#functions, sumOf(record, "FNF", "FNH") ?? shareOf([...record.functions.values()]));
  }
}

/** `DA:line,count[,checksum]` */
function addLine(record: OpenRecord, value: string, number: number): void {
  const [at, count] = value.split(",", 2);
  const line = readCount(at, `the line of line ${number}`);
  const isHit = wasHit(count, `the count of line ${number}`);
  record.lines.add(line);
  record.file.lines.set(line, isHit || record.file.lines.get(line) === true);
}

/** `BRDA:line,block,branch,taken`, where taken is `-` when the line was never reached. */
function addBranch(record: OpenRecord, value: string, number: number): void {
  const comma = value.lastIndexOf(",");
  const taken = value.slice(comma + 1);
  const branch = value.slice(0, Math.max(0, comma));
  if (!/^\d{1,9},/.test(branch)) refuseReport(`line ${number} names no branch: ${quoted(value)}`);
  const isHit = taken !== "-" && wasHit(taken, `the count of line ${number}`);
  record.hasBranches = true;
  record.file.branches.set(branch, isHit || record.file.branches.get(branch) === true);
}

/** `FNDA:count,name` */
function addFunction(record: OpenRecord, value: string, number: number): void {
  const comma = value.indexOf(",");
  if (comma === -1) refuseReport(`line ${number} names no function: ${quoted(value)}`);
  const name = value.slice(comma + 1);
  const isHit = wasHit(value.slice(0, comma), `the count of line ${number}`);
  record.functions.set(name, isHit || record.functions.get(name) === true);
}

function sumOf(record: OpenRecord, foundKey: string, hitKey: string): Share | null {
  const found = record.sums.get(foundKey);
  const hit = record.sums.get(hitKey);
  if (found === undefined || hit === undefined) return null;
  return hit <= found
    ? { hit, found }
    : refuseReport(`${quoted(record.name)} says ${hitKey}:${hit} of ${foundKey}:${found}`);
}

function shareOf(hits: readonly boolean[]): Share {
  return { hit: hits.filter(Boolean).length, found: hits.length };
}

function addTo(sum: { hit: number; found: number }, { hit, found }: Share): void {
  sum.hit += hit;
  sum.found += found;
}

function added(left: Share, right: Share): Share {
  return { hit: left.hit + right.hit, found: left.found + right.found };
}

const SUMS = new Set(["LF", "LH", "FNF", "FNH", "BRF", "BRH"]);
