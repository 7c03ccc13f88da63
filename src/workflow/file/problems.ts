import { MOST_FINDINGS } from "../../protocol/document-check.ts";
import type { DiagnosticCode, Severity } from "../../protocol/diagnostic.ts";
import type { JsonPath } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";

/** Something wrong with a workflow, placed by its path in the file. */
export interface WorkflowFinding {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly path: JsonPath;
  /** Point at the key rather than at its value. */
  readonly atKey?: boolean;
  /** A part of the text that stands at the path. */
  readonly within?: { readonly start: number; readonly end: number };
  readonly message: string;
  readonly hint: string;
}

type Told = Omit<WorkflowFinding, "severity"> & { readonly severity?: Severity };

/** Collects what is wrong; beyond a thousand findings only their number grows. */
export class Problems {
  readonly findings: WorkflowFinding[] = [];
  overflowed = false;
  #guesses = 0;

  add(finding: Told): void {
    if (this.findings.length < MOST_FINDINGS) this.findings.push({ severity: "error", ...finding });
    else this.overflowed = true;
  }

  /** Whether the value at this path, or one that holds it, is already known to be wrong. */
  hasErrorAbove(path: JsonPath): boolean {
    return this.findings.some(
      (finding) =>
        finding.severity === "error" &&
        finding.path.length > 1 &&
        finding.path.length <= path.length &&
        finding.path.every((step, index) => step === path[index]),
    );
  }

  /** A name that nothing has. Guessing what was meant costs time, so it is done for the first ones only. */
  unknownName(what: string, name: string, known: readonly string[], path: JsonPath): void {
    // An empty name is one that was no text or empty in the file, and told as that.
    if (name === "") return;
    const named = known.filter((other) => other !== "");
    const meant = this.#guesses++ < MOST_GUESSES ? nearestWord(name, named) : null;
    const listed = named.length === 0 ? "There are none." : `There are ${named.slice(0, 12).join(", ")}.`;
    const hint = meant === null ? listed : `Did you mean ${meant}?`;
    this.add({ code: "unknown-name", path, message: `No ${what} is called \`${clip(name)}\`.`, hint });
  }
}

const MOST_GUESSES = 50;

export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
