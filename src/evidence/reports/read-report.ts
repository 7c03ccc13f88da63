import { isRecord, ownValue } from "../../shared/json-value.ts";
import { readCobertura } from "./cobertura.ts";
import { isIstanbulMap, isIstanbulSummary, readIstanbulMap, readIstanbulSummary } from "./istanbul.ts";
import { isJestResult, readJestResult } from "./jest-json.ts";
import { parseReportJson } from "./json-text.ts";
import { readJunit } from "./junit.ts";
import { readLcov } from "./lcov.ts";
import { isMochaResult, readMochaResult } from "./mocha-json.ts";
import {
  MOST_REPORT_BYTES,
  type ReportFormat,
  type ReportReading,
  ReportRefusal,
  type Shown,
  refuse,
} from "./report.ts";
import { readTap } from "./tap.ts";
import { rootName } from "./xml-walk.ts";

/**
 * Reads a machine-readable report of tests or coverage, recognised by its content; the path only helps where
 * that is not clear. Never throws: what cannot be believed whole is a problem, and a problem has no figures.
 */
export function readReport(text: string, path: string): ReportReading {
  const nothing = { path, format: null, tests: null, coverage: null };
  let format: ReportFormat | null = null;
  try {
    if (text.length > MOST_REPORT_BYTES) refuse(`it is larger than ${MOST_REPORT_BYTES} bytes`);
    const candidate = recognise(text.startsWith("\ufeff") ? text.slice(1) : text, path);
    format = candidate.format;
    return { ...nothing, ...candidate.read(), format, problem: null };
  } catch (error) {
    if (!(error instanceof ReportRefusal)) throw error;
    return { ...nothing, format, problem: error.message };
  }
}

/** A report that was named and that nobody could read, or that may not be read. */
export function unreadableReport(path: string, problem: string): ReportReading {
  return { path, format: null, tests: null, coverage: null, problem };
}

interface Candidate {
  readonly format: ReportFormat;
  readonly read: () => Shown;
}

function recognise(text: string, path: string): Candidate {
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return refuse("it is empty");
  if (first === "<") return recogniseXml(text);
  if (first === "{" || first === "[") return recogniseJson(text);
  if (/^(?:TN|SF):/.test(firstLine(text))) return { format: "lcov", read: () => readLcov(text) };
  if (/^(?:TAP version \d|1\.\.\d)/m.test(text) || path.endsWith(".tap"))
    return { format: "tap", read: () => readTap(text) };
  return refuse(UNKNOWN);
}

/** The first line that is neither blank nor a comment. */
function firstLine(text: string): string {
  const line = /^(?![^\S\n]*$|#).*$/m.exec(text.slice(0, BEGINNING));
  return line?.[0].trimStart() ?? "";
}

const BEGINNING = 65_536;

function recogniseXml(text: string): Candidate {
  const root = rootName(text);
  if (root === "testsuites" || root === "testsuite") return { format: "junit", read: () => readJunit(text) };
  if (root === "coverage") return { format: "cobertura", read: () => readCobertura(text) };
  return refuse(UNKNOWN);
}

function recogniseJson(text: string): Candidate {
  const value = parseReportJson(text);
  if (!isRecord(value)) return refuse(UNKNOWN);
  if (isJestResult(value)) return { format: "jest", read: () => readJestResult(value) };
  if (isMochaResult(value)) return { format: "mocha", read: () => readMochaResult(value) };
  if (isIstanbulSummary(value)) return { format: "istanbul-summary", read: () => readIstanbulSummary(value) };
  if (isIstanbulMap(value)) return { format: "istanbul", read: () => readIstanbulMap(value) };
  return refuse(ownValue(value, "stats") === undefined ? UNKNOWN : `${UNKNOWN} (Mocha JSON has passes and failures)`);
}

const UNKNOWN = "it is no report in a known format (JUnit, TAP, Jest, Vitest, Mocha, lcov, Cobertura, Istanbul)";
