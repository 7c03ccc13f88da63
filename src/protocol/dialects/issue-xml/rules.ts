import { type JsonRecord, isRecord, sameJson, shown } from "../../../shared/json-value.ts";
import type { Origin, ReportFinding, Rule, Sample } from "../../dialect.ts";
import type { Field } from "../../shape.ts";
import { fits, isUnfilledText } from "../../unfilled-template.ts";
import { changed, hasContent, lacking, listOf, unchanged } from "../rule-parts.ts";
import {
  COMPLETION_METRICS,
  EDGES,
  type RoleEdge,
  MOVABLE,
  edgeOf,
  edgesBetween,
  fieldOf,
  isOn,
  pathOf,
  placesOf,
  textOf,
} from "./edges.ts";
import { FORMS } from "./example.ts";
import { issueShape, payloadShape } from "./shape.ts";
import { STATUS_OUTCOMES } from "./words.ts";

const TEXT =
  "<handoff><from>a-agent</from><to>b-agent</to><timestamp>2026-03-09T14:05:00Z</timestamp><issue_number>71</issue_number><status>success</status><summary>Done</summary><data/></handoff>";

const ENVELOPE = new Set(["from", "to", "timestamp", "issue_number", "pr_number", "status", "summary", "data"]);

export const rules: readonly Rule[] = [
  {
    id: "001-R01",
    kind: "T",
    severity: "error",
    says: "The root element is `<handoff>`, or `<workflow-complete>` at the end of a run.",
    right: { text: TEXT },
    wrong: { text: TEXT.replaceAll("handoff>", "Handoff>"), path: "handoff.xml" },
  },
  {
    id: "001-R02",
    kind: "T",
    severity: "error",
    says: "The element is well-formed XML; comments are ignored.",
    right: { text: TEXT.replace("<data/>", "<!-- none --><data/>") },
    wrong: { text: TEXT.replace("Done", "Done & tested") },
  },
  {
    id: "001-R03",
    kind: "Q",
    severity: "error",
    says: "`from` is the author's name in lower case with hyphens, or as the workflow calls it.",
    hint: "Add <from>agent-name</from>.",
    check: (document, report) => demandEnd(document, "from", report),
    right: unchanged,
    wrong: changed({ from: "Reviewer Agent" }),
  },
  {
    id: "001-R04",
    kind: "Q",
    severity: "error",
    says: "`to` is the receiver's name, or orchestrator for errors.",
    hint: "Add <to>agent-name</to>.",
    check: (document, report) => demandEnd(document, "to", report),
    right: unchanged,
    wrong: changed({ to: undefined }),
  },
  {
    id: "001-R05",
    kind: "Q,F",
    severity: "error",
    says: "`timestamp` is ISO 8601 in UTC.",
    check: (document, report, origin) => demandEnvelope(document, "timestamp", report, origin),
    right: unchanged,
    wrong: changed({ timestamp: "2026-03-09 14:05" }),
  },
  {
    id: "001-R06",
    kind: "Q,F",
    severity: "error",
    says: "`issue_number` is a whole number.",
    check: (document, report, origin) => demandEnvelope(document, "issue_number", report, origin),
    right: unchanged,
    wrong: changed({ issue_number: "#71" }),
  },
  {
    id: "001-R07",
    kind: "C",
    severity: "error",
    says: "`pr_number` is a whole number, and is there once a pull request exists.",
    hint: "Add <pr_number>.",
    check(document, report) {
      if (
        fieldOf(document, "pr_url") !== undefined &&
        fieldOf(document, "pr_number") === undefined &&
        !demandedByEdge(document, "pr_number")
      ) {
        const message = "There is a pull request (`pr_url`), but `pr_number` is missing.";
        report([], message, lacking(...placesOf("pr_number")));
      }
    },
    right: changed({ pr_number: "84" }),
    wrong: changed({ pr_number: "eighty-four" }),
  },
  {
    id: "001-R08",
    kind: "Q,E",
    severity: "error",
    says: "`status` is success, failure, blocked, pending or skipped; ready, ready-for-re-review, approved, completed and merged are read too.",
    check: (document, report, origin) => demandEnvelope(document, "status", report, origin),
    right: changed({ status: "pending" }),
    wrong: changed({ status: "ok" }),
  },
  {
    id: "001-R09",
    kind: "Q,F",
    severity: "error",
    says: "`summary` is one line.",
    check: (document, report, origin) => demandEnvelope(document, "summary", report, origin),
    right: unchanged,
    wrong: changed({ summary: "One\ntwo" }),
  },
  {
    id: "001-R10",
    kind: "Q",
    severity: "error",
    says: "`data` holds what the agent hands over.",
    check(document, report, origin) {
      demandEnvelope(document, "data", report, origin);
      checkPlaces(document, report);
    },
    right: changed({ to: "auditor-agent" }),
    wrong: changed({ to: "auditor-agent", data: undefined }),
  },
  ...EDGES.map(edgeRule),
  {
    id: "001-R19",
    kind: "I",
    severity: "error",
    says: "The verdict decides the receiver: approved goes to the validator with no blocking issue, changes_requested to the fixer with at least one.",
    hint: "Make verdict, counts and receiver agree.",
    check: checkVerdict,
    right: unchanged,
    wrong: changed({ "data.critical_count": "0", "data.important_count": "0", "data.blocking_issues": [] }),
  },
  {
    id: "001-R21",
    kind: "C",
    severity: "error",
    says: "A failure goes to the orchestrator with an error: type, message, details, recoverable and suggested_action.",
    hint: "Add <error> and send it to orchestrator.",
    check(document, report) {
      if (fieldOf(document, "status") !== "failure") return;
      const error = fieldOf(document, "error");
      if (error === undefined || isBlank("error", error))
        report([], "The status is failure, but `error` is missing.", lacking(...placesOf("error")));
      if (document["to"] !== undefined && document["to"] !== "orchestrator")
        report(["to"], "A failure goes to the orchestrator.", { code: "inconsistent" });
    },
    right: form("001-R21"),
    wrong: form("001-R21", { data: {} }),
  },
  { id: "001-R23", kind: "I", severity: "warning", says: "Fields accumulate along the chain." },
  {
    id: "001-R24",
    kind: "I",
    severity: "warning",
    says: "The branch is type/issue-N-slug, the workspace ends in issue-N, and addresses end with the numbers they belong to.",
    hint: "Use the same issue and pull request numbers everywhere.",
    check: checkNumbers,
    right: form("001-R12"),
    wrong: form("001-R12", { "data.branch": "gift-cards" }),
  },
  { id: "001-R26", kind: "I", severity: "warning", says: "A fix stands at the place of a blocking issue." },
];

function form(rule: string, more: Extract<Sample, { set: unknown }>["set"] = {}): Sample {
  return changed({ ...FORMS[rule], ...more });
}

function edgeRule(edge: RoleEdge): Rule {
  const first = edge.required.find((key) => !ENVELOPE.has(key)) ?? "status";
  return {
    id: edge.rule,
    kind: "C",
    severity: "error",
    says: edge.says,
    check: (document, report) => checkEdge(edge, document, report),
    right: edge.rule === "001-R14" ? unchanged : form(edge.rule),
    wrong:
      edge.rule === "001-R20"
        ? form(edge.rule, { [first]: undefined })
        : form(edge.rule, { [`data.${first}`]: undefined }),
  };
}

function checkEdge(edge: RoleEdge, document: JsonRecord, report: ReportFinding): void {
  if (!isOn(edge, document)) return;
  for (const key of edge.required) {
    const value = fieldOf(document, key);
    const hint = `Add <${key}>. ${edge.says}`;
    if (value === undefined)
      report([], `\`${key}\` is missing${edgeName(edge)}.`, { ...lacking(...placesOf(key)), hint });
    else if (isBlank(key, value))
      report(pathOf(document, key), `\`${key}\` is empty${edgeName(edge)}.`, {
        code: "missing-field",
        hint: edge.says,
      });
  }
  for (const [key, value] of Object.entries(edge.fixed ?? {})) {
    const found = fieldOf(document, key);
    // Between agents the words of the general form will do; the end of a run has one word only.
    const isFree = key === "status" && edge.from !== undefined;
    // A value that the field cannot have is reported by the shape.
    if (found === value || isFree || !isRight(found, issueShape.fields[key])) continue;
    report(pathOf(document, key), `\`${key}\` must be ${value}${edgeName(edge)}; found "${shown(found)}".`, {
      code: "inconsistent",
      hint: edge.says,
    });
  }
  countsAgree(edge, document, report);
  if (edge.rule === "001-R20") demandMetrics(document, report);
}

/** Ruling 35. That there is no blocking issue is what 001-R19 speaks of. */
function isBlank(key: string, value: unknown): boolean {
  if (Array.isArray(value)) return key !== "blocking_issues" && !hasContent(value);
  return typeof value === "string" && !hasContent(value);
}

/** Metrics are free elsewhere, so their shape demands none. */
function demandMetrics(document: JsonRecord, report: ReportFinding): void {
  const metrics = fieldOf(document, "metrics");
  if (!isRecord(metrics)) return;
  const path = pathOf(document, "metrics");
  for (const name of COMPLETION_METRICS) {
    const figure = metrics[name];
    if (figure === undefined || figure === "")
      report(path, `\`metrics.${name}\` is missing in workflow-complete.`, {
        ...lacking([...path, name]),
        hint: `Add <${name}> to <metrics>.`,
      });
    else if (typeof figure === "string" && isUnfilledText(figure))
      report(
        [...path, name],
        `\`metrics.${name}\` still holds the template's text: the template was never filled in.`,
        {
          code: "unfilled-template",
          hint: "Write the measured figure.",
        },
      );
  }
}

function edgeName(edge: RoleEdge): string {
  return edge.from === undefined ? " in workflow-complete" : ` in a handoff from ${edge.from} to ${edge.to}`;
}

/** Ruling 9: a count that disagrees with its list is a warning. */
function countsAgree(edge: RoleEdge, document: JsonRecord, report: ReportFinding): void {
  if (edge.rule !== "001-R14") return;
  const issues = listOf(fieldOf(document, "blocking_issues"));
  for (const [key, severity] of [
    ["critical_count", "critical"],
    ["important_count", "important"],
  ] as const) {
    const said = fieldOf(document, key);
    const listed = issues.filter((issue) => (issue as JsonRecord | null)?.["@severity"] === severity).length;
    if (typeof said !== "string" || !/^\d+$/.test(said) || Number(said) === listed) continue;
    report(
      pathOf(document, key),
      `\`${key}\` is ${said}, but ${listed} ${severity} issue${listed === 1 ? " is" : "s are"} listed.`,
      { code: "inconsistent", severity: "warning", hint: "List every blocking issue, or correct the count." },
    );
  }
}

function demandedByEdge(document: JsonRecord, key: string): boolean {
  return edgeOf(document)?.required.includes(key) ?? false;
}

function demandEnd(document: JsonRecord, key: "from" | "to", report: ReportFinding): void {
  if (document["#root"] === "workflow-complete" || document[key] !== undefined) return;
  const attribute = document[`@${key}`] !== undefined;
  report([], `\`${key}\` is missing.`, {
    ...lacking([key]),
    hint: attribute ? `Write it as an element, not as an attribute: <${key}>.` : `Add <${key}>agent-name</${key}>.`,
  });
}

/** Ruling 7: on a described edge a missing field of the envelope is a warning, unless the edge itself demands it. */
function demandEnvelope(document: JsonRecord, key: string, report: ReportFinding, origin: Origin): void {
  if (document[key] !== undefined || demandedByEdge(document, key)) return;
  const isTyped = edgeOf(document) !== undefined || document["status"] === "failure";
  const described = isTyped || isAddedEdge(document, origin.agents);
  if (described && fieldOf(document, key) !== undefined) return;
  const read = key === "status" ? " It was read from the rest of the handoff." : "";
  report([], `\`${key}\` is missing.${described ? read : ""}`, {
    ...lacking([key]),
    severity: described ? "warning" : "error",
    ...(isTyped && { lenient: true }),
    hint: `Add <${key}>.`,
  });
}

/**
 * A workflow has put another agent behind the author: a form of the author that is complete for the agent that came next
 * before is complete for this one.
 */
function isAddedEdge(document: JsonRecord, agents: readonly string[] = []): boolean {
  const { from, to } = document;
  if (typeof from !== "string" || typeof to !== "string" || !agents.includes(to)) return false;
  return edgesBetween(from, undefined).some(({ required }) =>
    required.every((key) => fieldOf(document, key) !== undefined),
  );
}

/** What stands in `<data>` and below the root must not say two things; what moved out of the envelope keeps its form. */
function checkPlaces(document: JsonRecord, report: ReportFinding): void {
  const { data } = document;
  if (!isRecord(data)) return;
  for (const key in data) {
    const isPayload = Object.hasOwn(payloadShape.fields, key) && document[key] !== undefined;
    if (isPayload ? !sameJson(document[key], data[key]) : contradicts(document, key, data[key]))
      report(["data", key], `\`${key}\` stands in \`<data>\` and below the root, and says two things.`, {
        code: "duplicate-key",
        hint: "Keep one of them: which one counts must not be left to chance.",
      });
  }
  for (const key of MOVABLE) {
    const field = issueShape.fields[key];
    if (document[key] !== undefined || data[key] === undefined || isRight(fieldOf(document, key), field)) continue;
    report(["data", key], `\`data.${key}\` is not what \`${key}\` must be.`, {
      code: "bad-format",
      hint: `Write <${key}> below the root. ${field?.about}`,
    });
  }
}

/**
 * An element of the envelope may stand in `<data>` once more, as long as it means the same. Where no form
 * lists a status with its payload, the one in there may be that of something else.
 */
function contradicts(document: JsonRecord, key: string, inner: JsonRecord[string]): boolean {
  const outer = document[key];
  const repeated = outer === undefined ? undefined : textOf(inner);
  if (typeof outer !== "string" || typeof repeated !== "string") return false;
  if (key === "issue_number" || key === "pr_number")
    return /^\d+$/.test(outer) && /^\d+$/.test(repeated) && Number(outer) !== Number(repeated);
  if (key !== "status" || edgeOf(document) === undefined) return false;
  const [said, again] = [STATUS_OUTCOMES[outer], STATUS_OUTCOMES[repeated]];
  return said !== undefined && again !== undefined && said !== again;
}

function isRight(value: unknown, field: Field | undefined): boolean {
  if (typeof value !== "string" || field?.shape.kind !== "text") return false;
  const { oneOf, format } = field.shape;
  return oneOf?.includes(value) ?? (format === undefined || fits(value, format));
}

function checkVerdict(document: JsonRecord, report: ReportFinding): void {
  const verdict = fieldOf(document, "review_status");
  const counts = ["critical_count", "important_count"].map((key) => Number(fieldOf(document, key) ?? Number.NaN));
  const blocking = counts.some((count) => count > 0);
  const at = pathOf(document, "review_status");
  if (verdict === "approved") {
    if (document["to"] === "fixer-agent")
      report(["to"], "An approved review goes to the validator, not to the fixer.", { code: "inconsistent" });
    if (blocking) report(at, "The review is approved, but blocking issues are counted.", { code: "inconsistent" });
  } else if (verdict === "changes_requested") {
    if (document["to"] === "validator-agent")
      report(["to"], "Requested changes go to the fixer, not to the validator.", { code: "inconsistent" });
    if (counts.every((count) => count === 0))
      report(at, "Changes are requested, but no blocking issue is counted.", { code: "inconsistent" });
  }
}

const BRANCH = /^[a-z]+\/issue-(\d+)-[a-z0-9-]+$/;

function checkNumbers(document: JsonRecord, report: ReportFinding): void {
  const issue = fieldOf(document, "issue_number");
  const pull = fieldOf(document, "pr_number");
  const expect = (key: string, holds: (value: string) => boolean, wanted: string): void => {
    const value = fieldOf(document, key);
    if (typeof value === "string" && !holds(value))
      report(pathOf(document, key), `\`${key}\` should ${wanted}; found "${value.slice(0, 80)}".`, {
        code: "inconsistent",
      });
  };
  if (typeof issue === "string" && /^\d{1,15}$/.test(issue)) {
    expect("branch", (name) => BRANCH.exec(name)?.[1] === issue, `be type/issue-${issue}-slug`);
    expect("workspace_path", (path) => path.replace(/\/$/, "").endsWith(`issue-${issue}`), `end with issue-${issue}`);
    expect("issue_url", (url) => url.endsWith(`/${issue}`), `end with /${issue}`);
  }
  if (typeof pull === "string" && /^\d{1,15}$/.test(pull))
    expect("pr_url", (url) => url.endsWith(`/${pull}`), `end with /${pull}`);
}
