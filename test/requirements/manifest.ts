import type { Severity } from "../../src/protocol/diagnostic.ts";
import type { DialectName } from "../../src/protocol/handoff.ts";

/**
 * The requirements: every numbered rule of the five formats. Written apart from `src`, so that a rule
 * that is dropped, renumbered or softened there fails here.
 *
 * Kinds: Q required, C conditional, E enum, F format, T transport, B behaviour, I implied.
 */
export const KINDS: Readonly<Record<string, string>> = {
  "000-R01": "T",
  "000-R02": "T",
  "000-R03": "I",
  "000-R04": "Q",
  "000-R05": "Q",
  "000-R06": "Q,F",
  "000-R07": "Q,E",
  "000-R08": "Q,F",
  "000-R09": "Q,F",
  "000-R10": "C",
  "000-R11": "C",
  "000-R12": "I",
  "000-R13": "I",
  "000-R14": "Q",
  "000-R15": "E",
  "000-R16": "F",
  "000-R17": "F",
  "000-R18": "E",
  "000-R19": "Q",
  "000-R20": "F",
  "000-R21": "C",
  "000-R22": "F",
  "000-R23": "F,I",
  "000-R24": "E",
  "000-R25": "E",
  "000-R26": "F",
  "000-R27": "F",
  "000-R28": "E",
  "000-R29": "I",
  "000-R30": "F",
  "000-R31": "Q",
  "000-R32": "F",
  "000-R33": "B",
  "000-R34": "B",
  "000-R35": "B",
  "000-R36": "B",
  "000-R37": "B",
  "000-R38": "I",
  "001-R01": "T",
  "001-R02": "T",
  "001-R03": "Q",
  "001-R04": "Q",
  "001-R05": "Q,F",
  "001-R06": "Q,F",
  "001-R07": "C",
  "001-R08": "Q,E",
  "001-R09": "Q,F",
  "001-R10": "Q",
  "001-R11": "C",
  "001-R12": "C",
  "001-R13": "C",
  "001-R14": "C",
  "001-R15": "C",
  "001-R16": "C",
  "001-R17": "C",
  "001-R18": "C",
  "001-R19": "I",
  "001-R20": "C",
  "001-R21": "C",
  "001-R22": "B",
  "001-R23": "I",
  "001-R24": "I",
  "001-R25": "B",
  "001-R26": "I",
  "002-R01": "T",
  "002-R02": "T",
  "002-R03": "Q,E",
  "002-R04": "Q,F",
  "002-R05": "Q,F",
  "002-R06": "Q,E",
  "002-R07": "F",
  "002-R08": "F",
  "002-R09": "F",
  "002-R10": "F",
  "002-R11": "F",
  "002-R12": "F",
  "002-R13": "F",
  "002-R14": "F",
  "002-R15": "F",
  "002-R16": "F",
  "002-R17": "B",
  "002-R18": "B",
  "002-R19": "B",
  "002-R20": "B",
  "002-R21": "I",
  "002-R22": "I",
  "003-R01": "T",
  "003-R02": "Q,E",
  "003-R03": "C",
  "003-R04": "C",
  "003-R05": "E",
  "003-R06": "C",
  "003-R07": "F",
  "003-R08": "F",
  "003-R09": "F",
  "003-R10": "F",
  "003-R11": "F",
  "003-R12": "F",
  "003-R13": "C",
  "003-R14": "C",
  "003-R15": "C",
  "003-R16": "C",
  "003-R17": "F",
  "003-R18": "F",
  "003-R19": "F",
  "003-R20": "E",
  "003-R21": "E",
  "003-R22": "B",
  "003-R23": "B",
  "003-R24": "B",
  "003-R25": "B",
  "003-R26": "B",
  "003-R27": "B",
  "003-R28": "B",
  "003-R29": "T",
  "003-R30": "I",
  "004-R01": "T",
  "004-R02": "T",
  "004-R03": "Q",
  "004-R04": "I",
  "004-R05": "F",
  "004-R06": "F",
  "004-R07": "F",
  "004-R08": "E",
  "004-R09": "C,E",
  "004-R10": "C",
  "004-R11": "C",
  "004-R12": "B",
  "004-R13": "Q",
  "004-R14": "Q,E",
  "004-R15": "Q,F",
  "004-R16": "F",
  "004-R17": "F",
  "004-R18": "F",
  "004-R19": "F",
  "004-R20": "E",
  "004-R21": "C",
  "004-R22": "C",
  "004-R23": "C",
  "004-R24": "B",
  "004-R25": "B",
  "004-R26": "B",
  "004-R27": "I",
};

export const DIALECT_NUMBERS: Readonly<Record<string, DialectName>> = {
  "000": "pipeline-json",
  "001": "issue-xml",
  "002": "phase-yaml",
  "003": "task-yaml",
  "004": "output-json",
};

/** Rules of behaviour that show in one text all the same. */
const TEXTUAL_BEHAVIOUR: ReadonlySet<string> = new Set(["000-R34", "002-R17", "002-R18", "004-R25"]);

/** Rules about text that no single text can break, and why. */
export const CANNOT_BE_BROKEN_BY_ONE_TEXT: Readonly<Record<string, string>> = {
  "000-R38": "It binds the reader, not the author: whatever keys an author adds, the rule is kept.",
  "001-R23": "Whether a field was dropped on the way shows only beside the earlier handoffs of the chain.",
  "001-R26": "The blocking issues stand in the review that the fix answers, which is another handoff.",
  "002-R22": "The format has no field for its version, so no text can claim another one.",
  "003-R06": "Whether a file changed is a fact of the workspace; a handoff without lists may be the truth.",
  "003-R30": "The format has no field for its version, so no text can claim another one.",
};

/** Rules of behaviour that the core keeps: a test of `test/workflow` cites each of them by its id. */
export const KEPT_BY_THE_CORE: readonly string[] = [
  "000-R33",
  "000-R35",
  "000-R36",
  "000-R37",
  "001-R22",
  "001-R25",
  "002-R19",
  "002-R20",
  "003-R22",
  "003-R23",
  "003-R24",
  "003-R25",
  "003-R26",
  "003-R27",
  "003-R28",
  "004-R12",
  "004-R24",
  "004-R26",
];

/** Rules about text whose content the next agent is given: a test of `test/workflow` cites each of these, too. */
export const HANDED_ON_BY_THE_CORE: readonly string[] = ["000-R19", "000-R20", "000-R21", "001-R23"];

/** Rules of behaviour that are owed by parts to come: none. */
export const OWED: readonly string[] = [];

export const TEXTUAL: readonly string[] = Object.keys(KINDS).filter(
  (id) => KINDS[id] !== "B" || TEXTUAL_BEHAVIOUR.has(id),
);

/** Rules whose severity does not follow from their kind. */
const SEVERITY_EXCEPTIONS: Readonly<Record<string, Severity>> = {
  "000-R03": "error",
  "000-R12": "error",
  "000-R13": "error",
  "001-R19": "error",
  "000-R01": "warning",
  "000-R21": "warning",
  "001-R24": "warning",
  "004-R07": "warning",
  "003-R29": "info",
  // Rulings, which win over the rules: 5 and 24.
  "000-R34": "warning",
  "004-R01": "warning",
  // Behaviour that shows as a refusal: the format's own validators, and prose that holds nothing.
  "002-R17": "error",
  "002-R18": "error",
  "004-R25": "error",
};

/** How bad it is to break a rule in the plain way; `rulings.ts` holds the cases that a ruling softens. */
export function severityOf(id: string): Severity {
  const exception = SEVERITY_EXCEPTIONS[id];
  if (exception !== undefined) return exception;
  return /[QCEFT]/.test(KINDS[id] ?? "") ? "error" : "warning";
}

/**
 * Rules that speak through others: the formats' own validators test what other rules say, so a text that
 * breaks them carries the ids of those. What is required is that it is not accepted;
 * `test/format-pages/page-validators.test.ts` compares the verdicts.
 */
export const SPOKEN_BY: Readonly<Record<string, string>> = { "002-R17": "002-R06", "004-R25": "004-R15" };

/** Accepted, and said so under the rule's own id: ruling 15 wants legacy summaries told as info. */
export const TOLD_WHEN_KEPT: Readonly<Record<string, Severity>> = { "002-R18": "info" };
