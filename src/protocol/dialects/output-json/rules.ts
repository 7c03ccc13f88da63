import { type JsonRecord, isRecord, shown } from "../../../shared/json-value.ts";
import type { ReportFinding, Rule } from "../../dialect.ts";
import { changed, FILLED_TEXT, hasContent, lacking, listOf, unchanged } from "../rule-parts.ts";
import { example, phaseExample } from "./example.ts";
import { METADATA_FIELDS, METADATA_LAYER, PHASE_LAYER, isMetadataLayer } from "./layers.ts";
import { PHASES } from "./shape.ts";

const blocked = {
  status: "blocked",
  blocked_reason: "missing_requirements",
  attempted: ["Searched the documents"],
  handoff: { next_agent: null, context: "The rules for cards are unknown" },
};
const blockers = [{ type: "missing_dependency", description: "No card service", resolution: "Build it first" }];
const block = `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`;

export const rules: readonly Rule[] = [
  {
    id: "004-R01",
    kind: "T",
    severity: "warning",
    says: "The metadata block is the last thing in the output file.",
    hint: "Move the block to the end of the file.",
    right: { text: `# Output\n\n${block}` },
    wrong: { text: `# Output\n\n${block}\nThat is all.\n` },
  },
  {
    id: "004-R02",
    kind: "T",
    severity: "error",
    says: "The block is valid JSON.",
    right: { text: block },
    wrong: { text: '```json\n{ "agent": "a", "output_type": [...] }\n```\n' },
  },
  {
    id: "004-R03",
    kind: "Q",
    severity: "error",
    says: "The metadata layer has agent, output_type, timestamp, feature_directory, skills_invoked, library_skills_read, source_files_verified and status.",
    hint: "Add the field; lists may be empty.",
    check(document, report) {
      if (!isMetadataLayer(document)) return;
      for (const key of METADATA_FIELDS) if (isAbsent(document, key)) reportMissing([key], report);
      const { source_files_verified: verified = [] } = document;
      if (!Array.isArray(verified))
        report(["source_files_verified"], "`source_files_verified` must be a list.", { code: "wrong-type" });
    },
    schema: {
      if: METADATA_LAYER,
      then: { required: [...METADATA_FIELDS, "status"] },
      else: { required: ["status", "phase", "summary", "handoff"], properties: { handoff: { type: "object" } } },
    },
    right: unchanged,
    wrong: changed({ skills_invoked: undefined }),
  },
  {
    id: "004-R04",
    kind: "I",
    severity: "warning",
    says: "`output_type` is free text.",
    right: changed({ output_type: "implementation-blocked" }),
    wrong: changed({ output_type: 4 }),
  },
  {
    id: "004-R05",
    kind: "F",
    severity: "error",
    says: "`timestamp` is ISO 8601.",
    right: changed({ timestamp: "2026-03-09T14:05:00+00:00" }),
    wrong: changed({ timestamp: "today" }),
  },
  {
    id: "004-R06",
    kind: "F",
    severity: "error",
    says: "`feature_directory` is a path; from the project root.",
    hint: "Write it from the project root.",
    check(document, report) {
      const directory = document["feature_directory"];
      if (typeof directory === "string" && /^(?:[/\\~]|[A-Za-z]:)/.test(directory)) {
        report(
          ["feature_directory"],
          "`feature_directory` is an absolute path, which means nothing on another machine.",
          { code: "bad-format", severity: "warning" },
        );
      }
    },
    right: unchanged,
    wrong: changed({ feature_directory: ["a"] }),
  },
  {
    id: "004-R07",
    kind: "F",
    severity: "warning",
    says: "Entries of `source_files_verified` are `path:start-end`.",
    right: changed({ source_files_verified: [] }),
    wrong: changed({ source_files_verified: ["src/cart/total.ts"] }),
  },
  {
    id: "004-R08",
    kind: "E",
    severity: "error",
    says: "`status` is complete, blocked or needs_review.",
    right: changed({ status: "needs_review" }),
    wrong: changed({ status: "done" }),
  },
  {
    id: "004-R09",
    kind: "C,E",
    severity: "error",
    says: "Blocked work says why: blocked_reason is one of the six reasons.",
    hint: "Add blocked_reason; `unknown` when none of the others fits.",
    check(document, report) {
      if (document["status"] === "blocked" && isMetadataLayer(document) && document["blocked_reason"] === undefined) {
        report([], "The work is blocked, but `blocked_reason` is missing.", lacking(["blocked_reason"]));
      }
    },
    schema: whenBlocked({ required: ["blocked_reason"] }),
    right: changed(blocked),
    wrong: changed({ ...blocked, blocked_reason: "lunch" }),
  },
  {
    id: "004-R10",
    kind: "C",
    severity: "error",
    says: "Blocked work says what was tried.",
    hint: "List in attempted what you tried before you gave up.",
    check(document, report) {
      if (document["status"] !== "blocked" || !isMetadataLayer(document)) return;
      if (isEmptyOrAbsent(document["attempted"]))
        report(
          document["attempted"] === undefined ? [] : ["attempted"],
          "The work is blocked, but `attempted` is empty.",
          lacking(["attempted"]),
        );
    },
    schema: whenBlocked({ required: ["attempted"], properties: { attempted: { contains: FILLED_TEXT } } }),
    right: changed(blocked),
    wrong: changed({ ...blocked, attempted: [] }),
  },
  {
    id: "004-R11",
    kind: "C",
    severity: "error",
    says: "Blocked work suggests no next agent: whoever orchestrates decides by the reason.",
    hint: "Set handoff.next_agent to null.",
    check(document, report) {
      const handoff = document["handoff"];
      if (document["status"] === "blocked" && isRecord(handoff) && typeof handoff["next_agent"] === "string") {
        report(["handoff", "next_agent"], "The work is blocked, but `handoff.next_agent` names an agent.", {
          code: "inconsistent",
        });
      }
    },
    schema: {
      if: { properties: { status: { const: "blocked" } }, required: ["status"] },
      then: { properties: { handoff: { properties: { next_agent: { type: "null" } } } } },
    },
    right: changed(blocked),
    wrong: changed({ ...blocked, "handoff.next_agent": "frontend-lead" }),
  },
  {
    id: "004-R13",
    kind: "Q",
    severity: "error",
    says: "The phase layer, and all blocked work, has a `handoff` object.",
    hint: "Add handoff with next_phase, next_agent and context.",
    check(document, report) {
      const demanded = !isMetadataLayer(document) || document["status"] === "blocked";
      if (demanded && (document["handoff"] === undefined || document["handoff"] === null))
        reportMissing(["handoff"], report);
    },
    schema: {
      if: { properties: { status: { const: "blocked" } }, required: ["status"] },
      then: { required: ["handoff"], properties: { handoff: { type: "object" } } },
    },
    right: changed(phaseExample),
    wrong: changed({ ...phaseExample, handoff: undefined }),
  },
  {
    id: "004-R14",
    kind: "Q,E",
    severity: "error",
    says: "The phase layer says its phase: architecture, implementation or testing.",
    check: (document, report) => demandInPhaseLayer(document, "phase", report),
    right: changed(phaseExample),
    wrong: changed({ ...phaseExample, phase: undefined }),
  },
  {
    id: "004-R15",
    kind: "Q,F",
    severity: "error",
    says: "The phase layer has a summary of one or two specific sentences.",
    hint: "Say what was made, with names and numbers.",
    check(document, report) {
      demandInPhaseLayer(document, "summary", report);
      const summary = document["summary"];
      if (typeof summary !== "string" || summary.trim() === "") return;
      if (isVague(summary))
        report(["summary"], "`summary` is too vague to be of use to the next agent.", {
          code: "bad-format",
          severity: "warning",
        });
      else if (/[.!?]\s/.test(summary) && summary.split(/[.!?]\s+(?=\p{Lu})/u).length > 2)
        report(["summary"], "`summary` is longer than two sentences.", {
          code: "bad-format",
          severity: "warning",
          hint: "Move the details to handoff.context.",
        });
    },
    right: changed(phaseExample),
    wrong: changed({ ...phaseExample, summary: undefined }),
  },
  {
    id: "004-R16",
    kind: "F",
    severity: "error",
    says: "`files_modified` holds paths relative to the repository root.",
    right: changed({ files_modified: [] }),
    wrong: changed({ files_modified: ["/home/me/total.ts"] }),
  },
  {
    id: "004-R17",
    kind: "F",
    severity: "error",
    says: "`artifacts` is a list of paths.",
    right: changed({ artifacts: undefined }),
    wrong: changed({ artifacts: "notes.md" }),
  },
  {
    id: "004-R18",
    kind: "F",
    severity: "error",
    says: "`verification`: booleans, a number for coverage_percent, text for command_output.",
    right: changed({ "verification.coverage_percent": 87 }),
    wrong: changed({ "verification.coverage_percent": "87%" }),
  },
  {
    id: "004-R19",
    kind: "F",
    severity: "error",
    says: "`verification` of an architecture: patterns_referenced, decisions_documented, rationale_provided are booleans.",
    right: changed({ "verification.rationale_provided": true }),
    wrong: changed({ "verification.rationale_provided": "in part" }),
  },
  {
    id: "004-R20",
    kind: "E",
    severity: "error",
    says: "`handoff.next_phase` is implementation after architecture, testing after implementation, complete after testing.",
    hint: "The phases follow each other: architecture, implementation, testing, complete.",
    check(document, report) {
      const next = isRecord(document["handoff"]) ? document["handoff"]["next_phase"] : undefined;
      const expected = phaseAfter(document["phase"]);
      if (expected === undefined || next === expected || document["status"] !== "complete") return;
      // Any other word is reported by the shape.
      if (!SEQUENCE.includes(next, 1)) return;
      report(["handoff", "next_phase"], `After ${shown(document["phase"])} comes ${expected}, not ${shown(next)}.`, {
        code: "inconsistent",
      });
    },
    right: unchanged,
    wrong: changed({ ...phaseExample, "handoff.next_phase": "release" }),
  },
  {
    id: "004-R21",
    kind: "C",
    severity: "error",
    says: "`handoff.context` is required unless the next phase is complete.",
    hint: "Tell the next agent what it must know.",
    check(document, report) {
      const handoff = document["handoff"];
      if (isMetadataLayer(document) || !isRecord(handoff) || handoff["next_phase"] === "complete") return;
      if (!hasContent(handoff["context"])) reportMissing(["handoff", "context"], report);
    },
    schema: {
      if: {
        ...PHASE_LAYER,
        properties: {
          handoff: {
            type: "object",
            not: { properties: { next_phase: { const: "complete" } }, required: ["next_phase"] },
          },
        },
        required: ["handoff"],
      },
      then: { properties: { handoff: { required: ["context"], properties: { context: FILLED_TEXT } } } },
    },
    right: changed({
      ...phaseExample,
      phase: "testing",
      handoff: { next_phase: "complete", next_agent: null, blockers: [] },
    }),
    wrong: changed({ ...phaseExample, "handoff.context": undefined }),
  },
  {
    id: "004-R22",
    kind: "C",
    severity: "error",
    says: "`handoff.blockers` holds entries only when blocked; each has type, description and resolution.",
    hint: "Set the status to blocked, or remove the blockers.",
    check(document, report) {
      const handoff = document["handoff"];
      if (document["status"] === "blocked" || !isRecord(handoff) || listOf(handoff["blockers"]).length === 0) return;
      report(
        ["handoff", "blockers"],
        `\`handoff.blockers\` is not empty, but the status is ${shown(document["status"])}.`,
        { code: "inconsistent" },
      );
    },
    schema: {
      if: { not: { properties: { status: { const: "blocked" } } } },
      then: { properties: { handoff: { properties: { blockers: { maxItems: 0 } } } } },
    },
    right: changed({ ...blocked, "handoff.blockers": blockers }),
    wrong: changed({ "handoff.blockers": blockers }),
  },
  {
    id: "004-R23",
    kind: "C",
    severity: "error",
    says: "In the phase layer blocked work has blockers.",
    hint: "Add handoff.blockers with type, description and resolution.",
    check(document, report) {
      const handoff = document["handoff"];
      if (document["status"] !== "blocked" || isMetadataLayer(document) || !isRecord(handoff)) return;
      if (isEmptyOrAbsent(handoff["blockers"]))
        report(["handoff"], "The work is blocked, but `handoff.blockers` is empty.", lacking(["handoff", "blockers"]));
    },
    schema: {
      if: { ...PHASE_LAYER, properties: { status: { const: "blocked" } }, required: ["status"] },
      then: {
        properties: { handoff: { required: ["blockers"], properties: { blockers: { minItems: 1 } } } },
      },
    },
    right: changed({ ...phaseExample, ...blocked, "handoff.blockers": blockers }),
    wrong: changed({ ...phaseExample, ...blocked }),
  },
  {
    id: "004-R25",
    kind: "B",
    severity: "error",
    says: "The format's own validator: status, phase and summary are there, context unless complete, blockers when blocked.",
    check() {},
    right: changed(phaseExample),
    wrong: changed({ ...phaseExample, summary: "" }),
  },
  {
    id: "004-R27",
    kind: "I",
    severity: "warning",
    says: "The last phase ends with next_phase complete and next_agent null.",
    hint: "Set handoff.next_agent to null.",
    check(document, report) {
      const handoff = document["handoff"];
      if (isRecord(handoff) && handoff["next_phase"] === "complete" && typeof handoff["next_agent"] === "string") {
        report(["handoff", "next_agent"], "The feature is complete, but `handoff.next_agent` names an agent.", {
          code: "inconsistent",
        });
      }
    },
    right: changed({ phase: "testing", "handoff.next_phase": "complete", "handoff.next_agent": null }),
    wrong: changed({ phase: "testing", "handoff.next_phase": "complete" }),
  },
];

/** Reports a text that is null as an error: the shape of free text would only warn. */
function isAbsent(document: JsonRecord, key: string): boolean {
  return document[key] === undefined || (key === "output_type" && document[key] === null);
}

const SEQUENCE: readonly unknown[] = [...PHASES, "complete"];

function phaseAfter(phase: unknown): string | undefined {
  const at = PHASES.findIndex((known) => known === phase);
  return at === -1 ? undefined : (PHASES[at + 1] ?? "complete");
}

/** A value that is no list is reported as a wrong type, not as empty. */
function isEmptyOrAbsent(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && !hasContent(list));
}

function demandInPhaseLayer(document: JsonRecord, key: string, report: ReportFinding): void {
  if (!isMetadataLayer(document) && document[key] === undefined) reportMissing([key], report);
}

function reportMissing(path: readonly string[], report: ReportFinding): void {
  report(path.slice(0, -1), `\`${path.join(".")}\` is missing.`, lacking(path));
}

/** Three or four general words with no name and no number: "Added tests", "Wrote some code". */
function isVague(summary: string): boolean {
  const fiveWords = /\S\s+\S+\s+\S+\s+\S+\s+\S/;
  return !fiveWords.test(summary) && !/[\d/.`_]|[a-z][A-Z]/.test(summary.slice(0, -1));
}

function whenBlocked(then: JsonRecord): JsonRecord {
  return { if: { properties: { status: { const: "blocked" } }, required: ["status"], ...METADATA_LAYER }, then };
}
