import type { JsonPath, JsonValue } from "../shared/json-value.ts";
import type { Finding } from "./finding.ts";
import type { Limits } from "./limits.ts";
import type { Field } from "./shape.ts";

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
 * One walk over a parsed document: shape, depth, node budget and forbidden keys together. It counts
 * the keys it meets, so that the reader can compare them with the keys in the text and know, without
 * a second walk, whether one was written twice.
 */
export class DocumentCheck {
  readonly findings: Finding[] = [];
  /** Kept apart from the findings: whoever reads open documents tells them, see `near-misses.ts`. */
  readonly nearMisses: NearMiss[] = [];
  /** True when there were more findings than are kept: the document must then be refused. */
  overflowed = false;
  keys = 0;
  nodes = 0;
  #tooMany = false;
  #tooDeep = false;
  readonly #path: (string | number)[] = [];
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  report(finding: Finding): void {
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding);
    else this.overflowed = true;
  }

  noteNearMiss(depth: number, nearMiss: Omit<NearMiss, "path">): void {
    if (this.nearMisses.length < MOST_NEAR_MISSES) this.nearMisses.push({ path: this.path(depth), ...nearMiss });
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
    if (!this.#tooDeep)
      this.#refuse("too-deep", depth, `Values are nested more than ${this.#limits.depth} levels deep.`);
    this.#tooDeep = true;
    return false;
  }

  /** To be called after the walk: single values only count, so that they cost nothing else. */
  finish(): void {
    if (this.nodes <= this.#limits.nodes || this.#tooMany) return;
    this.#tooMany = true;
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
    this.findings.push({ code, rule: null, severity: "error", path: this.path(depth), message, hint });
  }
}

/** So many findings of one document are kept. */
export const MOST_FINDINGS = 1000;

/** Of misspelled keys so many are told: they are only warned of, so they must never get a document refused. */
const MOST_NEAR_MISSES = 100;
