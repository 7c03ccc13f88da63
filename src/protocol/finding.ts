import type { JsonPath, JsonValue } from "../shared/json-value.ts";
import type { DiagnosticCode, Severity } from "./diagnostic.ts";

/**
 * A problem found in a parsed document, placed by path. Places in the text are looked up only when
 * there is something to report, so that valid input never pays for them.
 */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly rule: string | null;
  readonly path: JsonPath;
  /** Point at the key rather than at its value. */
  readonly atKey?: boolean;
  /** Where the missing field could stand. */
  readonly lacks?: readonly JsonPath[];
  readonly message: string;
  readonly hint: string;
  /** Overrides the severity of the rule. */
  readonly severity?: Severity;
  /** The authors of the format write it so, too: `--strict` does not refuse it. */
  readonly lenient?: true;
  readonly repair?: Repair;
}

/** A safe change of the document; each syntax knows how to write it into its text. */
export type Repair =
  | { readonly kind: "replace"; readonly title: string; readonly value: JsonValue }
  | { readonly kind: "quote"; readonly title: string }
  /** Its value is replaced as well where it is another spelling of what is meant. */
  | { readonly kind: "rename"; readonly title: string; readonly key: string; readonly value?: JsonValue }
  /** A field that stands one level too deep: from the record inside to the record around it. */
  | { readonly kind: "move"; readonly title: string }
  | { readonly kind: "insert"; readonly title: string; readonly key: string; readonly value: JsonValue };
