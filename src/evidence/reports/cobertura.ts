import { type Shown, quoted, refuseReport, wasHit, coverageOf } from "./report.ts";
import { type XmlAttributes, type XmlListener, walkXml } from "./xml-walk.ts";

/** Counts the lines of the classes; a line that several classes of a file share counts once. */
export function readCobertura(text: string): Shown {
  const reader = new CoberturaReader();
  walkXml(text, reader, "coverage");
  return { tests: null, coverage: reader.coverage(), covered: reader.covered() };
}

interface Line {
  isHit: boolean;
  branches: number;
  branchesHit: number;
}

class CoberturaReader implements XmlListener {
  readonly #files = new Map<string, Map<string, Line>>();
  #file: Map<string, Line> | null = null;
  #rate: number | null = null;

  opened(name: string, attributes: XmlAttributes, parents: readonly string[]): void {
    if (parents.length === 0) this.#rate = readRate(attributes["line-rate"]);
    else if (name === "class") this.#file = this.#fileOf(attributes["filename"]);
    // The lines of a method are repeated among those of its class.
    else if (name === "line" && parents.at(-2) === "class") this.#addLine(attributes);
  }

  closed(name: string): void {
    if (name === "class") this.#file = null;
  }

  coverage(): Shown["coverage"] {
    const all = [...this.#files.values()].flatMap((lines) => [...lines.values()]);
    const hit = all.filter((line) => line.isHit).length;
    if (this.#rate !== null && all.length > 0 && Math.abs(this.#rate - hit / all.length) > 0.01)
      refuseReport(`it says that its line rate is ${this.#rate} and lists ${hit} of ${all.length} lines as covered`);
    return coverageOf({
      lines: { hit, found: all.length },
      branches: {
        hit: all.reduce((sum, line) => sum + line.branchesHit, 0),
        found: all.reduce((sum, line) => sum + line.branches, 0),
      },
    });
  }

  covered(): string[] {
    return [...this.#files.keys()];
  }

  #fileOf(name: string | undefined): Map<string, Line> {
    if (name === undefined) return refuseReport("a class names no file");
    const known = this.#files.get(name) ?? new Map<string, Line>();
    this.#files.set(name, known);
    return known;
  }

  #addLine(attributes: XmlAttributes): void {
    const number = attributes["number"] ?? "";
    if (!/^\d{1,9}$/.test(number)) refuseReport(`a line has the number ${quoted(number)}`);
    const line = this.#file?.get(number) ?? { isHit: false, branches: 0, branchesHit: 0 };
    this.#file?.set(number, line);
    if (wasHit(attributes["hits"], `the hits of line ${number}`)) line.isHit = true;
    if (attributes["branch"] === "true") addBranches(line, attributes["condition-coverage"] ?? "");
  }
}

/** `50% (1/2)`; if a line has two, the larger one counts. */
function addBranches(line: Line, text: string): void {
  const [, hit, found] = /\((\d{1,9})\/(\d{1,9})\)$/.exec(text.slice(0, 60)) ?? [];
  if (hit === undefined || found === undefined) return;
  if (Number(hit) > Number(found)) refuseReport(`a line has ${hit} of ${found} branches covered`);
  line.branches = Math.max(line.branches, Number(found));
  line.branchesHit = Math.max(line.branchesHit, Number(hit));
}

function readRate(text: string | undefined): number | null {
  if (text === undefined) return null;
  const rate = /^\d{1,3}(?:\.\d{1,20})?$/.test(text) ? Number(text) : NaN;
  return rate >= 0 && rate <= 1 ? rate : refuseReport(`the line rate is ${quoted(text)}`);
}
