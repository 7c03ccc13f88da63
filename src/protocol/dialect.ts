import type { JsonPath, JsonRecord, JsonValue } from "../shared/json-value.ts";
import type { DiagnosticCode, Severity } from "./diagnostic.ts";
import type { Repair } from "./finding.ts";
import type { DialectName, Handoff, Outcome } from "./handoff.ts";
import type { RecordShape } from "./shape.ts";
import type { NumberSpelling } from "./syntax/written-number.ts";

export type SyntaxName = "json" | "yaml" | "xml";

/** One format: everything Baton knows about it, as data and four small functions. */
export interface Dialect {
  readonly name: DialectName;
  /** The number its rules begin with: `000`. */
  readonly number: string;
  readonly title: string;
  /** Where such a handoff stands, in one sentence for agents and docs. */
  readonly container: string;
  readonly syntax: SyntaxName;
  readonly shape: RecordShape;
  readonly rules: readonly Rule[];
  /** The rule that says the document is one record. */
  readonly rootRule: string;
  /** The rule that a text breaks when it cannot be parsed. */
  readonly syntaxRule: string;
  /** Of several blocks in one text only the last counts. */
  readonly lastCounts: boolean;
  /** The key by which the right one of several YAML documents is known. */
  readonly mark?: string;
  /** Of a format beside the five: where it stands, apart from what `isMeantBy` knows by its keys. */
  readonly stands?: Standing;
  /** Of a format beside the five: how it stands where a workflow has it read, in this file or in the last message. */
  placeIn?(file: string | null): HandoffPlace;
  /** The conditions between fields that its file states; each field says for itself what it asks for. */
  readonly ownRules?: readonly Rule[];
  /** Samples of a rule that has none of its own, made when they are asked for. */
  samplesOf?(rule: string): Pick<Rule, "right" | "wrong">;
  /** Of a format beside the five: a valid handoff that ends so, made from its example; undefined where none is found. */
  exampleOf?(outcome: Outcome): JsonRecord | undefined;
  /** Whether a document is this format where another one fits it too; undefined when that is not said. */
  decides?(document: JsonRecord): boolean | undefined;
  /** Of a format beside the five: whether a text, parsable or not, is meant to be it (`recognise.ts` knows the five). */
  isMeantBy?(text: string): boolean;
  /** Where the same rule weighs less than usual in this document. */
  severityIn?(rule: string | null, document: JsonRecord): Severity | undefined;
  /** The words for outcomes that this dialect writes. */
  readonly words: Readonly<Record<Outcome, string>>;
  /** A complete handoff that breaks no rule. */
  readonly example: JsonRecord;
  /** Top-level fields that rules demand although the shape leaves them open. */
  readonly demanded?: readonly string[];
  /** Where content without a field of its own may stand. */
  readonly freeSpace: readonly string[];
  /** `isClosed` when it is known that the document has no key beside those of the shape. */
  lift(document: JsonRecord, origin: Origin, isClosed?: boolean): Handoff;
  lower(handoff: Handoff, filling: Filling): JsonRecord;
  /** What the container will say of the handoff, for dialects whose container says something. */
  originOf?(handoff: Handoff): Origin;
  /** The document as text of its syntax; YAML writes the numbers as they were written. */
  print(document: JsonRecord, spelling?: NumberSpelling): string;
  /** That text in the container it belongs into; absent when it stands alone. */
  wrap?(block: string, handoff: Handoff): string;
}

/** Where handoffs of a format stand. */
export interface Standing {
  /** Names of files that hold one each, where `*` is any text. */
  readonly files: readonly string[];
  /** A document of JSON or YAML, in a fence or in a file, that has all of these keys at its root. */
  readonly keys: readonly string[];
  /** The heading of the section in which it stands. */
  readonly heading: string | null;
  /** The root element. */
  readonly element: string | null;
}

export interface HandoffPlace {
  /** One sentence for agents. */
  readonly says: string;
  /** The handoff is all that the file holds. */
  readonly isWholeFile: boolean;
}

/** What the container of a handoff says about it. */
export interface Origin {
  /** Path of the file, when there is one. */
  readonly path?: string;
  readonly task?: { readonly id: string; readonly name: string };
  /** Agents of the workflow, when it was written in a run. */
  readonly agents?: readonly string[];
}

/** One numbered rule of a format, as data: what it says, how bad it is, and how it shows. */
export interface Rule {
  readonly id: string;
  /** Q required, C conditional, E enum, F format, T transport, B behaviour, I implied. */
  readonly kind: string;
  readonly severity: Severity;
  readonly says: string;
  readonly hint?: string;
  /** Conditions a shape cannot express. Fields that do have a shape are checked by it. */
  check?(document: JsonRecord, report: ReportFinding, origin: Origin): void;
  /** The same condition for editors: a JSON Schema that must hold as well. */
  readonly schema?: JsonRecord;
  /** Texts that keep and that break the rule. */
  readonly right?: Sample;
  readonly wrong?: Sample;
}

/** A whole text, or changes to the dialect's example: `{ "issues.0.id": 7 }`; undefined removes a key. */
export type Sample =
  | { readonly text: string; readonly path?: string }
  | { readonly set: Readonly<Record<string, JsonValue | undefined>>; readonly path?: string };

export type ReportFinding = (path: JsonPath, message: string, more?: ReportDetails) => void;

export interface ReportDetails {
  readonly code?: DiagnosticCode;
  readonly hint?: string;
  readonly severity?: Severity;
  readonly lenient?: true;
  readonly atKey?: boolean;
  readonly lacks?: readonly JsonPath[];
  readonly repair?: Repair;
}

/** Values that a target dialect demands and the handoff does not have; each one used is reported. */
export interface Filling {
  /** Time of the conversion, ISO 8601 in UTC; without it a missing timestamp stays missing. */
  readonly now?: string;
  readonly from?: string;
  readonly to?: string;
  readonly issue?: string;
  /** Agents of the workflow, in a run: their names are written as they are. */
  readonly agents?: readonly string[];
  /** Says that a value was filled in. */
  filledIn(field: string, value: JsonValue, why: string): void;
}
