import { isRecord } from "../../../shared/json-value.ts";
import type { Rule } from "../../dialect.ts";
import { changed, unchanged } from "../rule-parts.ts";
import { isUnfilledFigure } from "./words.ts";

export const rules: readonly Rule[] = [
  {
    id: "002-R01",
    kind: "T",
    severity: "error",
    says: "The handoff is valid YAML in a code block of the agent's Markdown summary.",
    right: {
      text: '# Done\n\n```yaml\nhandoff:\n  phase: Testing\n  from: "@a"\n  to: None\n  status: complete\n```\n',
    },
    wrong: { text: '```yaml\nhandoff:\n  phase: Testing\n  from: @a\n  to: "None"\n  status: complete\n```\n' },
  },
  {
    id: "002-R02",
    kind: "T",
    severity: "error",
    says: "The block holds one mapping under the key `handoff`.",
    right: unchanged,
    wrong: { text: "```yaml\nhandoff: done\n```\n" },
  },
  {
    id: "002-R03",
    kind: "Q,E",
    severity: "error",
    says: "`phase` is one of the eight phases, in this exact case.",
    right: changed({ "handoff.phase": "QA" }),
    wrong: changed({ "handoff.phase": "Configuration" }),
  },
  {
    id: "002-R04",
    kind: "Q,F",
    severity: "error",
    says: "`from` starts with @.",
    right: changed({ "handoff.from": "@tester" }),
    wrong: changed({ "handoff.from": "tester" }),
  },
  {
    id: "002-R05",
    kind: "Q,F",
    severity: "error",
    says: '`to` starts with @, or is "None"; null means the same.',
    right: changed({ "handoff.to": null }),
    wrong: changed({ "handoff.to": "user" }),
  },
  {
    id: "002-R06",
    kind: "Q,E",
    severity: "error",
    says: "`status` is pending, in_progress, complete, failed, blocked or retry.",
    right: changed({ "handoff.status": "retry" }),
    wrong: changed({ "handoff.status": "PASS" }),
  },
  {
    id: "002-R07",
    kind: "F",
    severity: "error",
    says: "`retry_count` is a whole number from 0.",
    right: changed({ "handoff.retry_count": undefined }),
    wrong: changed({ "handoff.retry_count": -1 }),
  },
  {
    id: "002-R08",
    kind: "F",
    severity: "error",
    says: "`metrics` is a mapping with any keys.",
    check(document, report) {
      const metrics = isRecord(document["handoff"]) ? document["handoff"]["metrics"] : undefined;
      if (!isRecord(metrics)) return;
      for (const [key, value] of Object.entries(metrics)) {
        if (!isUnfilledFigure(value)) continue;
        const message = `\`handoff.metrics.${key}\` still holds the template's placeholder: the template was never filled in.`;
        report(["handoff", "metrics", key], message, {
          code: "unfilled-template",
          severity: "error",
          hint: "Write the measured figure, or leave the metric out.",
        });
      }
    },
    right: changed({ "handoff.metrics": { pages: 3, by_kind: { unit: 25 } } }),
    wrong: changed({ "handoff.metrics": ["31 tests"] }),
  },
  {
    id: "002-R09",
    kind: "F",
    severity: "error",
    says: "`dependencies` is a list of task ids, as text.",
    right: changed({ "handoff.dependencies": [] }),
    wrong: changed({ "handoff.dependencies": [15.3] }),
  },
  {
    id: "002-R10",
    kind: "F",
    severity: "error",
    says: "`on_failure` is a mapping.",
    right: changed({ "handoff.on_failure": {} }),
    wrong: changed({ "handoff.on_failure": "retry twice" }),
  },
  {
    id: "002-R11",
    kind: "F",
    severity: "error",
    says: "`on_failure.retry` is the largest number of retries.",
    right: changed({ "handoff.on_failure.retry": 0 }),
    wrong: changed({ "handoff.on_failure.retry": "twice" }),
  },
  {
    id: "002-R12",
    kind: "F",
    severity: "error",
    says: "`on_failure.route_to` and `notify` start with @.",
    right: unchanged,
    wrong: changed({ "handoff.on_failure.route_to": "builder" }),
  },
  {
    id: "002-R13",
    kind: "F",
    severity: "error",
    says: "`on_failure.escalate_after` is a number of failures.",
    right: unchanged,
    wrong: changed({ "handoff.on_failure.escalate_after": true }),
  },
  {
    id: "002-R14",
    kind: "F",
    severity: "error",
    says: "`on_failure.context` is text.",
    right: unchanged,
    wrong: changed({ "handoff.on_failure.context": ["a"] }),
  },
  {
    id: "002-R15",
    kind: "F",
    severity: "error",
    says: "`timestamp` is ISO 8601.",
    right: changed({ "handoff.timestamp": undefined }),
    wrong: changed({ "handoff.timestamp": "yesterday" }),
  },
  {
    id: "002-R16",
    kind: "F",
    severity: "error",
    says: "`context` is a mapping.",
    right: changed({ "handoff.context": {} }),
    wrong: changed({ "handoff.context": "all fine" }),
  },
  {
    id: "002-R17",
    kind: "B",
    severity: "error",
    says: "The format's own validator: the four required fields, then phase, status and the @ of both names.",
    check() {},
    right: unchanged,
    wrong: changed({ "handoff.status": "" }),
  },
  {
    id: "002-R18",
    kind: "B",
    severity: "info",
    says: "A Markdown summary without YAML stays valid, as a legacy form.",
    right: { text: "## TESTING COMPLETE\n\nTests passed: 25/25\n\n**Next Agent:** None\n" },
    wrong: { text: "The tests look fine to me.\n" },
  },
  {
    id: "002-R21",
    kind: "I",
    severity: "warning",
    says: '`to` is "None" when the workflow, or the spoke\'s own work, is over.',
    hint: 'Write to: "None", or name the phase that the next agent works in.',
    check(document, report) {
      const handoff = document["handoff"];
      if (!isRecord(handoff) || handoff["phase"] !== "Complete" || handoff["status"] !== "complete") return;
      const to = handoff["to"];
      if (typeof to === "string" && to.startsWith("@"))
        report(["handoff", "to"], `The workflow is complete, but \`to\` names ${to.slice(0, 60)}.`, {
          code: "inconsistent",
        });
    },
    right: changed({ "handoff.phase": "Complete", "handoff.to": "None" }),
    wrong: changed({ "handoff.phase": "Complete" }),
  },
  { id: "002-R22", kind: "I", severity: "warning", says: "This is version 1.0 of the format." },
];
