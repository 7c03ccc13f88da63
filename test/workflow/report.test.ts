import { describe, expect, it } from "vitest";
import { plainWords, reportPretty } from "../../src/cli/formats/pretty-page.ts";
import { widthOf } from "../../src/cli/fit-text.ts";
import {
  type RunsReport,
  pageComment,
  pageHtml,
  pageMarkdown,
  reportPage,
} from "../../src/runtime/operations/report-runs.ts";
import { eventLine } from "../../src/runtime/operations/view-run.ts";
import { tellReport } from "./told-report.ts";

const FORMATS: Readonly<Record<string, (report: RunsReport) => string>> = {
  pretty: (report) => reportPretty(reportPage(report), { colour: false, width: 80 }),
  markdown: (report) => pageMarkdown(reportPage(report)),
  html: (report) => pageHtml(reportPage(report)),
  comment: (report) => pageComment(reportPage(report)),
};

function sectionOf(report: RunsReport, heading: string) {
  const found = reportPage(report).sections.find((section) => section.heading === heading);
  if (found === undefined) throw new Error(`there is no ${heading}`);
  return found;
}

describe.each(Object.entries(FORMATS))("a report as %s", (_, print) => {
  it("tells what taking over cost, after the agents and before its end, of one run and of all", async () => {
    const { one, all } = await tellReport();
    for (const text of [print(one), print(all)]) {
      const places = ["Work and cost", "Taking over", "~321", "by baton report"].map((words) => text.indexOf(words));
      const [work = -1, heading = -1, packet = -1, end = -1] = places;
      expect([work > 0, heading > work, packet > heading, end > packet]).toEqual([true, true, true, true]);
      expect(text.match(/Taking over/g)).toHaveLength(1);
    }
  });
});

describe("a report", () => {
  it("says of how many attempts a figure is known, and that others are unknown", async () => {
    const { one } = await tellReport();
    const { about, table } = sectionOf(one, "Taking over");
    expect(plainWords(about ?? [])).toContain("estimated");
    const [, , , packet, before, named, others] = table?.rows[0] ?? [];
    expect(table?.rows).toHaveLength(1);
    expect([packet, before, named, others]).toEqual([["~321"], ["unknown"], ["1 (of 1)"], ["4 (of 1)"]]);
  });

  it("fits into 80 columns on a terminal", async () => {
    const { one, all } = await tellReport();
    for (const report of [one, all])
      expect(
        reportPretty(reportPage(report), { colour: false, width: 80 })
          .split("\n")
          .filter((line) => widthOf(line) > 80),
      ).toEqual([]);
  });

  it("says why the steps show fewer claims than the agents", async () => {
    const { one } = await tellReport();
    const [steps, agents] = [sectionOf(one, "Steps"), sectionOf(one, "Agents")];
    expect(steps.table?.rows[0]?.at(-1)).toEqual(["1✓ 0✗ 0?"]);
    expect(plainWords(steps.about ?? [])).toMatch(/last handoff of each step.*sent back.*count under Agents/);
    expect(agents.table?.rows[0]?.[4]).toEqual(["1✓ 1✗ 0?"]);
    expect(plainWords(agents.about ?? [])).toMatch(
      /Claims of all attempts count.*also in handoffs that were sent back/,
    );
  });

  it("counts the validation command of a handoff as a gate, in every place", async () => {
    const { one, all, run } = await tellReport();
    const results = sectionOf(one, "Gates").table?.rows.map((row) => row[2]?.[0]);
    expect(results?.toSorted()).toEqual(["failed", "passed", "passed"]);
    for (const { metrics } of [one, all]) expect(metrics.all.gates).toEqual({ passed: 2, failed: 1 });
    expect(reportPage(all).facts).toContainEqual({ name: "gates", value: ["2 passed, 1 failed"] });
    const lines = run.history.flatMap((event) => eventLine(event)?.text ?? []);
    expect(lines.filter((line) => /^gate .*(passed|failed)/.test(line))).toHaveLength(3);
  });

  it("says how many more have told something at their end than it lists", async () => {
    const { all } = await tellReport();
    const nothing = { workflow: "shop", at: 1, agent: "Closer", summary: null, issue: null, pull_request: null };
    const told = (number: number): RunsReport => {
      const completions = Array.from({ length: number }, (_, at) => ({ ...nothing, run: `r${at}`, metrics: [] }));
      return {
        ...all,
        metrics: { ...all.metrics, completions, left_off: { ...all.metrics.left_off, completions: 3 } },
      };
    };
    expect(sectionOf(told(25), "As told at the end").items).toHaveLength(21);
    expect(sectionOf(told(25), "As told at the end").items?.at(-1)).toEqual(["and 8 more"]);
    const whole = told(20);
    const none = { ...whole, metrics: { ...whole.metrics, left_off: all.metrics.left_off } };
    expect(sectionOf(none, "As told at the end").items).toHaveLength(20);
  });

  it("counts a run that was cancelled as cancelled, not as failed", async () => {
    const { all } = await tellReport();
    const [each] = all.metrics.workflows;
    if (each === undefined) throw new Error("there is no workflow");
    const statuses = { running: 0, watched: 0, waiting: 1, completed: 4, failed: 2, cancelled: 3 };
    const report = { ...all, metrics: { ...all.metrics, workflows: [{ ...each, statuses }] } };
    const { table } = sectionOf(report, "Workflows");
    const shown = new Map(table?.columns.map(({ name }, at) => [name, table.rows[0]?.[at]?.[0]]));
    expect([shown.get("completed"), shown.get("failed"), shown.get("cancelled")]).toEqual(["4", "2", "3"]);
  });

  it("says that nobody was waited for only where it has seen so", async () => {
    const { all } = await tellReport();
    const told = (asks: number, pruned: number): string => {
      const metrics = { ...all.metrics, pruned, all: { ...all.metrics.all, asks, waiting_time: null } };
      const facts = reportPage({ ...all, metrics }).facts;
      return plainWords(facts.find(({ name }) => name === "waited for people")?.value ?? []);
    };
    expect(told(0, 0)).toBe("never");
    expect(told(1, 0)).toBe("unknown");
    expect(told(0, all.metrics.runs)).toBe("unknown");
  });

  it("speaks of one thing as of one", async () => {
    const { one } = await tellReport();
    if (one.run === null) throw new Error("it is about one run");
    const run = { ...one.run, trail: one.run.trail.slice(0, 1), head: { sequence: 1, hash: "0" } };
    expect(plainWords(reportPage({ ...one, run }).footer)).toContain("Stored: 1 handoff, 1 log entry;");
    expect(plainWords(reportPage(one).footer)).toMatch(/\d+ log entries;/);
  });
});
