import { attributes, escapeXml } from "../../shared/xml-text.ts";
import type { ListedRun, ReportedRun, RunsReport } from "./report.ts";

interface Case {
  readonly name: string;
  readonly className: string;
  readonly seconds: number;
  /** Why it failed; null when it has not. */
  readonly failure: string | null;
  readonly output: string | null;
}

/**
 * JUnit XML: a case for each run, failed unless the run has completed; of one run also a case for the last result of
 * each gate and for each handoff. The exit code says the same as the run's case.
 */
export function reportJunit({ run, runs }: RunsReport): string {
  const suites =
    run === null
      ? [{ name: "runs", cases: runs.map((each) => runCase(each)) }]
      : [{ name: "run", cases: [wholeCase(run)] }, ...gateSuite(run), ...handoffSuite(run)];
  const all = suites.flatMap(({ cases }) => cases);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals("baton report", all)}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite${totals(name, cases)}>`,
      ...cases.map(printCase),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function runCase({ run, workflow, status, reason, started_at: started, updated_at: updated }: ListedRun): Case {
  return {
    name: run,
    className: workflow,
    seconds: (updated - started) / 1000,
    failure: status === "completed" ? null : `${status}${reason === null ? "" : `: ${reason}`}`,
    output: null,
  };
}

function wholeCase({ view, head }: ReportedRun): Case {
  const { run, workflow, status, reason, started_at: started, ended_at: ended } = view;
  const listed = { run, workflow, status, reason, started_at: started, updated_at: ended ?? started };
  return { ...runCase(listed), output: head === null ? null : `log entry ${head.sequence}, hash ${head.hash}` };
}

function gateSuite({ steps }: ReportedRun): { name: string; cases: Case[] }[] {
  const last = new Map<string, Case>();
  for (const { agent, gates } of steps)
    for (const { gate, passed, message, milliseconds } of gates)
      last.set(`${agent} ${gate}`, {
        name: gate,
        className: `gate.${agent}`,
        seconds: milliseconds / 1000,
        failure: passed ? null : message,
        output: null,
      });
  return last.size === 0 ? [] : [{ name: "gates", cases: [...last.values()] }];
}

function handoffSuite({ trail }: ReportedRun): { name: string; cases: Case[] }[] {
  const cases = trail.map(({ agent, outcome, summary, text }, index) => ({
    name: `${index + 1}: ${outcome}`,
    className: `handoff.${agent}`,
    seconds: 0,
    failure: null,
    output: `${summary === null ? "" : `${summary} `}(SHA-256 ${text})`,
  }));
  return cases.length === 0 ? [] : [{ name: "handoffs", cases }];
}

function totals(name: string, cases: readonly Case[]): string {
  const failures = cases.filter(({ failure }) => failure !== null).length;
  return attributes({ name, tests: String(cases.length), failures: String(failures), errors: "0" });
}

function printCase({ name, className, seconds, failure, output }: Case): string {
  const open = attributes({ name, classname: className, time: String(Math.max(0, seconds)) });
  const inner = [
    ...(failure === null
      ? []
      : [`<failure${attributes({ message: failure, type: "run" })}>${escapeXml(failure)}</failure>`]),
    ...(output === null ? [] : [`<system-out>${escapeXml(output)}</system-out>`]),
  ];
  return inner.length === 0 ? `    <testcase${open}/>` : `    <testcase${open}>${inner.join("")}</testcase>`;
}
