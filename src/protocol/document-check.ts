import type { JsonPath } from "../shared/json-value.ts";
import type { Finding } from "./finding.ts";
import type { Limits } from "./limits.ts";

/**
 * One walk over a parsed document: shape, depth, node budget and forbidden keys together. It counts
 * the keys it meets, so that the reader can compare them with the keys in the text and know, without
 * a second walk, whether one was written twice.
 */
export class DocumentCheck {
  readonly findings: Finding[] = [];
  keys = 0;
  nodes = 0;
  readonly #path: (string | number)[] = [];
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  report(finding: Finding): void {
    this.findings.push(finding);
  }

  enter(depth: number, step: string | number): void {
    this.#path[depth] = step;
  }

  path(depth: number): JsonPath {
    return this.#path.slice(0, depth);
  }

  /** False when the value may not be walked into. */
  count(depth: number): boolean {
    if (++this.nodes > this.#limits.nodes) {
      if (this.nodes === this.#limits.nodes + 1)
        this.#refuse("too-many-nodes", depth, `The document holds more than ${this.#limits.nodes} values.`);
      return false;
    }
    if (depth <= this.#limits.depth) return true;
    this.#refuse("too-deep", depth, `Values are nested more than ${this.#limits.depth} levels deep.`);
    return false;
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
    this.report({ code, rule: null, severity: "error", path: this.path(depth), message, hint });
  }
}
