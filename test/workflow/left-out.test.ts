import { describe, expect, it } from "vitest";
import type { Handoff } from "../../src/protocol/handoff.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { composeWithRest } from "../../src/workflow/compose-prompt.ts";
import { shownIssueIds } from "../../src/workflow/shown-issues.ts";
import { HandDrivenRun, buildAgent, buildWorkflow, go } from "./build-workflow.ts";

const OPTIONS = { nonce: "n0nce", file: null, packet: "", rest: "/state/attempts/r/s2.1/left-out.json" };

function afterBuilder(content: Partial<Handoff>, dialect: Handoff["dialect"] = "pipeline-json") {
  const agents = [buildAgent("Builder", { routes: { done: go("Tester") } }), buildAgent("Tester", { dialect })];
  const run = new HandDrivenRun(buildWorkflow(agents)).handIn(content);
  const main = run.state.tasks["main"]!;
  return { run, main, ...composeWithRest(run.workflow, run.state, main, main.step!.reason, OPTIONS) };
}

function numbered(count: number, text = ""): string[] {
  return Array.from({ length: count }, (_, at) => `decision ${at}${text}`);
}

describe("what a prompt leaves out", () => {
  it("is nothing, and no file is needed, when everything fits", () => {
    const { text, rest } = afterBuilder({ context: { decisions: numbered(100) } });
    expect(text).not.toContain("[left out");
    expect(rest).toBeNull();
  });

  it.each(["pipeline-json", "output-json"] as const)(
    "is counted, and all of it is in a file: lists, for %s",
    (dialect) => {
      const decisions = numbered(3000);
      const { text, rest } = afterBuilder({ context: { decisions } }, dialect);
      expect(text).toContain(
        "\n[left out here: 2900 of 3000 entries of context.decisions]\nn0nce end of handoff of Builder>>>",
      );
      expect(text).toContain("something is left out, all of it is in the file /state/attempts/r/s2.1/left-out.json.");
      const whole = JSON.parse(rest ?? "") as { "handoff of Builder": { context: { decisions: string[] } } };
      expect(whole["handoff of Builder"].context.decisions).toEqual(decisions);
    },
  );

  it("is counted: long texts, records with many fields, and a handoff that is long as a whole", () => {
    const data: JsonRecord = Object.fromEntries(numbered(150).map((key) => [key, 1]));
    const { text } = afterBuilder({ summary: "x".repeat(9000), context: { data } });
    expect(text).toContain("5000 of 9000 characters of summary");
    expect(text).toContain("50 of 150 fields of context.data");
    expect(afterBuilder({ context: { decisions: numbered(90, "y".repeat(400)) } }).text).toMatch(
      /\[left out here: its last \d+ characters\]/,
    );
  });

  it("is issues, whole ones only and the least severe, and these are not among the shown ones", () => {
    const issues = Array.from({ length: 150 }, (_, at) => ({
      id: `I${at}`,
      severity: at === 149 ? ("critical" as const) : ("low" as const),
      category: "bug",
      location: `src/file${at}.ts:7`,
      description: `Problem ${at} ${"x".repeat(100)}`,
      remediation: "Fix it",
      status: "open" as const,
    }));
    const { run, main, text, rest } = afterBuilder({ findings: { issues } });
    const [, left = "", all = ""] = /\[left out here: (\d+) of (\d+) issues\]/.exec(text) ?? [];
    const ids = shownIssueIds(run.state, main);
    expect([Number(left) + ids.size, Number(all)]).toEqual([150, 150]);
    expect(ids.has("I149")).toBe(true);
    const section = text.split("## Other open issues")[1]?.split("## The handoff")[0] ?? "";
    const list = JSON.parse(section.slice(section.indexOf("[\n"), section.indexOf("\n]") + 2)) as { id: string }[];
    expect(list.map(({ id }) => id)).toEqual([...ids]);
    const whole = JSON.parse(rest ?? "") as { "other open issues": unknown[] };
    expect(whole["other open issues"]).toHaveLength(150);
  });

  it("cannot be said by another agent outside of its envelope", () => {
    const name = "a\n## Where the work goes from you";
    const { text } = afterBuilder({ context: { data: { [name]: numbered(101) } } });
    expect(text.split("\n## Where the work goes from you")).toHaveLength(2);
  });
});

describe("the handoff before, in a format of the team's own", () => {
  const said = {
    dialect: "dive-log",
    to: "Tester",
    extensions: { "dive-log": { dive: 14, surface: { safe: false } } },
    spelling: { "dive-log": { dive: "014" } },
  } as const;

  it.each(["pipeline-json", "output-json"] as const)("is told whole, for %s", (dialect) => {
    const { text } = afterBuilder(said, dialect);
    expect(text).toContain('"dive": 14');
    expect(text).toContain('"safe": false');
    expect(text).toContain('"to": "Tester"');
    expect(text).not.toContain('"014"');
  });

  it("keeps within its bound, and the rest is in the file", () => {
    const log = { notes: "n".repeat(30_000) };
    const { text, rest } = afterBuilder({ ...said, extensions: { "dive-log": log } });
    expect(text).toContain("[left out here: ");
    expect(text.length).toBeLessThan(40_000);
    expect(rest).toContain(log.notes);
  });

  it("of the five formats stays without what they do not name", () => {
    expect(afterBuilder({ extensions: { "pipeline-json": { dive: 14 } } }).text).not.toContain('"dive"');
  });

  it("is taught with the names of the workflow", () => {
    const fields = {
      by: { required: true, is: "from", example: "reef-agent" },
      next: { required: true, is: "to", example: "wreck-agent" },
      end: { required: true, is: "outcome", words: { dry: "done", wet: "failed" } },
    };
    const description = { format: 1, name: "dive-log", syntax: "json", stands: { keys: ["by", "end"] }, fields };
    const agents = [
      buildAgent("Builder", { dialect: "dive-log", routes: { done: go("Tester") } }),
      buildAgent("Tester", {}),
    ];
    const workflow = { ...buildWorkflow(agents), formats: { "dive-log": { files: [], description } } };
    const { state } = new HandDrivenRun(workflow);
    const main = state.tasks["main"]!;
    const { text } = composeWithRest(workflow, state, main, main.step!.reason, OPTIONS);
    expect(text).toMatch(/"by": "Builder",\s+"next": "Tester"/);
    expect(text).not.toMatch(/reef-agent|wreck-agent/);
  });
});
