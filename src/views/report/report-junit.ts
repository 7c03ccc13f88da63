import { escapeXml, type JunitCase, type JunitSuite, printJunit } from "../../shared/xml-text.ts";
import { countRemarks } from "../../workflow/remarks.ts";
import type { ListedRun, ReportedRun, RunsReport } from "./report.ts";

interface CaseResult {
  readonly name: string;
  readonly className: string;
  readonly seconds: number;
  /** Why it failed; null when it did not fail. */
  readonly failure: string | null;
  readonly output: string | null;
}

/**
 * JUnit XML: one test case per run, failed unless the run has completed without an open blocking issue and, as a session, without anything that was not checked. The report of one run also has a case for the
 * last result of each gate and for each handoff. The exit code agrees with the case of the run.
 */
export function reportJunit({ run, runs }: RunsReport): string {
  const suites =
    run === null
      ? [{ name: "runs", cases: runs.map((each) => caseOf(resultOfRun(each))) }]
      : [{ name: "run", cases: [caseOf(resultOfWhole(run))] }, ...gateSuite(run), ...handoffSuite(run)];
  return printJunit("baton report", suites);
}

function resultOfRun(listed: ListedRun): CaseResult {
  const { run, workflow, status, reason, remarks, started_at: started, updated_at: updated } = listed;
  return {
    name: run,
    className: workflow,
    seconds: (updated - started) / 1000,
    failure:
      status === "completed" && remarks.open + remarks.unchecked === 0
        ? null
        : `${status}${reason === null ? "" : `: ${reason}`}`,
    output: null,
  };
}

function resultOfWhole({ view, head }: ReportedRun): CaseResult {
  const { run, workflow, status, reason, started_at: started, ended_at: ended } = view;
  const remarks = countRemarks(view.remarks);
  const is_observed = view.observed !== null;
  const listed = {
    run,
    workflow,
    status,
    is_observed,
    reason,
    remarks,
    started_at: started,
    updated_at: ended ?? started,
  };
  return { ...resultOfRun(listed), output: head === null ? null : `log entry ${head.sequence}, hash ${head.hash}` };
}

function gateSuite({ steps }: ReportedRun): JunitSuite[] {
  const last = new Map<string, CaseResult>();
  for (const { agent, gates } of steps)
    for (const { gate, passed, waived_by: by, message, milliseconds } of gates)
      last.set(`${agent} ${gate}`, {
        name: gate,
        className: `gate.${agent}`,
        seconds: milliseconds / 1000,
        failure: passed ? null : by === null ? message : `${message} (waived by ${by})`,
        output: null,
      });
  return last.size === 0 ? [] : [{ name: "gates", cases: [...last.values()].map(caseOf) }];
}

function handoffSuite({ trail }: ReportedRun): JunitSuite[] {
  const results = trail.map(({ agent, outcome, summary, text }, index) => ({
    name: `${index + 1}: ${outcome}`,
    className: `handoff.${agent}`,
    seconds: 0,
    failure: null,
    output: `${summary === null ? "" : `${summary} `}(SHA-256 ${text})`,
  }));
  return results.length === 0 ? [] : [{ name: "handoffs", cases: results.map(caseOf) }];
}

function caseOf({ name, className, seconds, failure, output }: CaseResult): JunitCase {
  return {
    attributes: { name, classname: className, time: String(Math.max(0, seconds)) },
    elements: [
      ...(failure === null
        ? []
        : [{ tag: "failure", attributes: { message: failure, type: "run" }, content: escapeXml(failure) } as const]),
      ...(output === null ? [] : [{ tag: "system-out", content: escapeXml(output) } as const]),
    ],
  };
}
