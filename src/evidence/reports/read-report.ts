import { isRecord, type JsonRecord, ownValue } from "../../shared/json-value.ts";
import { readCobertura } from "./cobertura.ts";
import { isIstanbulMap, isIstanbulSummary, readIstanbulMap, readIstanbulSummary } from "./istanbul.ts";
import { isJestResult, readJestResult, isMochaResult, readMochaResult } from "./test-json.ts";
import { parseReportJson } from "./json-text.ts";
import { readJunit } from "./junit.ts";
import { readLcov } from "./lcov.ts";
import {
  MAX_REPORT_BYTES,
  type ReportFormat,
  type ReportReading,
  ReportRefusal,
  type Shown,
  refuseReport,
} from "./report.ts";
import { MAX_CASES } from "../test-cases.ts";
import { readTap } from "./tap.ts";
import { rootName } from "./xml-walk.ts";

/**
 * Reads a machine-readable report of tests or coverage, recognised by its content, or by its path where the content is
 * not clear. Never throws: a report that is not complete and consistent is a problem, without any figures.
 */
export function readReport(text: string, path: string): ReportReading {
  const nothing = { path, format: null, tests: null, coverage: null };
  let format: ReportFormat | null = null;
  try {
    if (text.length > MAX_REPORT_BYTES) refuseReport(`it is larger than ${MAX_REPORT_BYTES} bytes`);
    const candidate = recognise(text.startsWith("\ufeff") ? text.slice(1) : text, path);
    format = candidate.format;
    return { ...nothing, ...bounded(candidate.read()), format, problem: null };
  } catch (error) {
    if (!(error instanceof ReportRefusal)) throw error;
    return { ...nothing, format, problem: error.message };
  }
}

function bounded({ cases, covered, ...shown }: Shown): Shown {
  return {
    ...shown,
    ...(cases !== undefined && cases.length <= MAX_CASES && { cases }),
    ...(covered !== undefined && covered.length <= MAX_CASES && { covered }),
  };
}

/** A report that was named but could not be read, or may not be read. */
export function unreadableReport(path: string, problem: string): ReportReading {
  return { path, format: null, tests: null, coverage: null, problem };
}

interface Candidate {
  readonly format: ReportFormat;
  readonly read: () => Shown;
}

/** The first recogniser that knows the document wins. */
function recognise(text: string, path: string): Candidate {
  const document = openDocument(text, path);
  for (const [format, recogniser] of Object.entries(RECOGNISERS) as [ReportFormat, Recogniser][]) {
    const read = recogniser(document);
    if (read !== null) return { format, read };
  }
  const isNearlyMocha = document.syntax === "json" && ownValue(document.value, "stats") !== undefined;
  return refuseReport(isNearlyMocha ? `${UNKNOWN} (Mocha JSON has passes and failures)` : UNKNOWN);
}

type ReportDocument =
  | { readonly syntax: "xml"; readonly text: string; readonly root: string }
  | { readonly syntax: "json"; readonly value: JsonRecord }
  | { readonly syntax: "lines"; readonly text: string; readonly path: string };

function openDocument(text: string, path: string): ReportDocument {
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return refuseReport("it is empty");
  if (first === "<") return { syntax: "xml", text, root: rootName(text) };
  if (first !== "{" && first !== "[") return { syntax: "lines", text, path };
  const value = parseReportJson(text);
  return isRecord(value) ? { syntax: "json", value } : refuseReport(UNKNOWN);
}

/** Returns how to read the document, or null when it is in another format. */
type Recogniser = (document: ReportDocument) => (() => Shown) | null;

/** Tried in this order: a more specific format comes before a more general one. */
const RECOGNISERS: Readonly<Record<ReportFormat, Recogniser>> = {
  junit: xml(["testsuites", "testsuite"], readJunit),
  cobertura: xml(["coverage"], readCobertura),
  jest: json(isJestResult, readJestResult),
  mocha: json(isMochaResult, readMochaResult),
  "istanbul-summary": json(isIstanbulSummary, readIstanbulSummary),
  istanbul: json(isIstanbulMap, readIstanbulMap),
  lcov: lines((text) => /^(?:TN|SF):/.test(firstLine(text)), readLcov),
  tap: lines((text, path) => /^(?:TAP version \d|1\.\.\d)/m.test(text) || path.endsWith(".tap"), readTap),
};

function xml(roots: readonly string[], read: (text: string) => Shown): Recogniser {
  return (document) => (document.syntax === "xml" && roots.includes(document.root) ? () => read(document.text) : null);
}

function json(isOne: (value: JsonRecord) => boolean, read: (value: JsonRecord) => Shown): Recogniser {
  return (document) => (document.syntax === "json" && isOne(document.value) ? () => read(document.value) : null);
}

function lines(isOne: (text: string, path: string) => boolean, read: (text: string) => Shown): Recogniser {
  return (document) =>
    document.syntax === "lines" && isOne(document.text, document.path) ? () => read(document.text) : null;
}

/** The first line that is neither blank nor a comment. */
function firstLine(text: string): string {
  const line = /^(?![^\S\n]*$|#).*$/m.exec(text.slice(0, BEGINNING));
  return line?.[0].trimStart() ?? "";
}

const BEGINNING = 65_536;

const UNKNOWN = "it is no report in a known format (JUnit, TAP, Jest, Vitest, Mocha, lcov, Cobertura, Istanbul)";
