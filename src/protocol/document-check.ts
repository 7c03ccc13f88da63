import type { JsonPath, JsonRecord, JsonValue } from "../shared/json-value.ts";
import type { Finding } from "./finding.ts";
import type { Limits } from "./limits.ts";
import { NearNames } from "./near-names.ts";
import type { Field, RecordShape } from "./shape.ts";

/** An unknown key that looks like a field which its record lacks. */
export interface NearMiss {
  /** Of the record. */
  readonly path: JsonPath;
  readonly key: string;
  readonly value: JsonValue | undefined;
  /** What the key most likely stands for. */
  readonly name: string;
  readonly field: Field;
}

/**
 * What one walk over a parsed document has met and found. It counts the keys, so that the reader can compare
 * them with the keys in the text and know, without a second walk, whether one was written twice.
 */
export class DocumentCheck {
  readonly findings: Finding[] = [];
  /** Kept apart from the findings: readers of open documents report them, see `near-misses.ts`. */
  readonly nearMisses: NearMiss[] = [];
  /** True when there were more findings than are kept: the document must then be refused. */
  overflowed = false;
  keys = 0;
  /** Keys of records that the shape does not name; maps and free content have none. */
  unknown = 0;
  nodes = 0;
  /** Why the document is over its limits: then it was not walked to the end. */
  refusal: Finding | null = null;
  readonly #path: (string | number)[] = [];
  #nearNames: Map<RecordShape, NearNames> | null = null;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  report(finding: Finding): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
    else this.overflowed = true;
  }

  /** Notes an unknown key of a record if it looks like a field that the record lacks. */
  noteNearMiss(depth: number, key: string, record: JsonRecord, shape: RecordShape): void {
    if (this.nearMisses.length === MAX_NEAR_MISSES) return;
    const name = this.#nearNamesOf(shape).meant(key, record);
    const field = name === null ? undefined : shape.fields[name];
    if (name !== null && field !== undefined)
      this.nearMisses.push({ path: this.path(depth), key, value: record[key], name, field });
  }

  #nearNamesOf(shape: RecordShape): NearNames {
    this.#nearNames ??= new Map();
    let names = this.#nearNames.get(shape);
    if (names === undefined) this.#nearNames.set(shape, (names = new NearNames(shape)));
    return names;
  }

  enter(depth: number, step: string | number): void {
    this.#path[depth] = step;
  }

  path(depth: number): JsonPath {
    return this.#path.slice(0, depth);
  }

  /** False when the value may not be walked into. */
  count(depth: number): boolean {
    if (++this.nodes > this.#limits.nodes || this.overflowed) return false;
    if (depth < this.#limits.depth) return true;
    if (this.refusal === null)
      this.#refuse("too-deep", depth, `Values are nested more than ${this.#limits.depth} levels deep.`);
    return false;
  }

  /** To be called after the walk: single values only count, so that they cost nothing else. */
  finish(): void {
    if (this.nodes > this.#limits.nodes)
      this.#refuse("too-many-nodes", 0, `The document holds more than ${this.#limits.nodes} values.`);
  }

  forbid(depth: number, key: string): void {
    const message = `The key \`${key}\` is refused: it can change how programs treat the whole record.`;
    const path = [...this.path(depth), key];
    this.report({
      code: "forbidden-key",
      rule: null,
      severity: "error",
      path,
      atKey: true,
      message,
      hint: "Rename the key.",
    });
  }

  #refuse(code: "too-deep" | "too-many-nodes", depth: number, message: string): void {
    const hint = "Hand over what the next agent needs, and name files instead of pasting their content.";
    const finding: Finding = { code, rule: null, severity: "error", path: this.path(depth), message, hint };
    this.findings.push(finding);
    this.refusal ??= finding;
  }
}

/** So many findings of one document are kept. */
export const MAX_FINDINGS = 1000;

/** So many misspelled keys are reported. They are warnings, so their number must never refuse a document. */
const MAX_NEAR_MISSES = 100;
