import {
  type RunsReport,
  pageComment,
  pageHtml,
  pageMarkdown,
  reportJunit,
  reportPage,
  reportRuns,
} from "../../runtime/operations/report-runs.ts";
import { sinceBy } from "../../runtime/operations/since-by.ts";
import { printJsonLines } from "../../shared/printable.ts";
import { MAX_STEP_SUMMARY, appendSummary } from "../write-file.ts";
import type { Command, Invocation } from "../command.ts";
import { FAIL_ON_OPTION, endCode, failOn } from "../end-code.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { reportPretty } from "../formats/pretty-page.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

const FORMATS = ["pretty", "markdown", "html", "json", "junit", "github"] as const;
type Format = (typeof FORMATS)[number];

export const command: Command = {
  name: "report",
  summary: "Report on one run or all runs: results, how true the handoffs are, time and cost",
  usage: "[RUN]",
  details: [
    "One run: how it ended, its steps, gates, issues, claims that are not true, and the handoffs that are stored of it.",
    "All runs: cycle time, reviews, loops, retries, merges, tokens, cost and coverage, by workflow, agent and time; what",
    "handoffs carried as metrics; and how true the handoffs of each agent are. What is not known is never counted as 0.",
    "--format github appends Markdown to the summary of the job ($GITHUB_STEP_SUMMARY), and prints it where there is none.",
    "Exit code: 0, and of one run only when it has completed without open blocking issues; 1 it failed, was cancelled,",
    "waits, is at work, or --fail-on names what stands against it; 2 wrong usage.",
  ],
  options: {
    since: { value: "AGE", about: "Only runs with an event since then: 12h, 7d." },
    format: {
      value: "FORMAT",
      choices: FORMATS,
      about: "pretty (default), markdown, html (one file with charts), json, junit or github.",
    },
    "pr-comment": {
      about: "Markdown that fits into a comment under a pull request, marked so that it can be replaced.",
    },
    json: { about: "The same as --format json." },
    ...FAIL_ON_OPTION,
    ...HELP_OPTION,
  },
  run: report,
};

async function report(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "Name one run only.");
  const age = invocation.text("since");
  const since = age === undefined ? null : sinceBy(age, Date.now());
  if (age !== undefined && since === null)
    throw usage(command, `--since takes an age such as 12h or 7d; found "${age}".`);
  if (invocation.operands.length === 1 && age !== undefined)
    throw usage(command, "Name a run or --since, not both: one run is reported whole.");
  const kinds = failOn(command, invocation);
  const engine = await terminal.openExisting();
  try {
    const found = await reportRuns(engine.ports, invocation.operands[0] ?? null, since);
    if (invocation.has("pr-comment")) terminal.out(pageComment(reportPage(found)));
    else printReport(found, formatOf(invocation), terminal);
    return found.run === null ? EXIT.fine : endCode(found.run.view, kinds);
  } finally {
    await engine.close();
  }
}

function formatOf(invocation: Invocation): Format {
  if (invocation.has("json")) return "json";
  const format = invocation.text("format");
  return FORMATS.find((name) => name === format) ?? "pretty";
}

function printReport(found: RunsReport, format: Format, terminal: Terminal): void {
  if (format === "pretty") printPretty(found, terminal);
  else if (format === "github") printGithub(found, terminal);
  else terminal.out(WRITERS[format](found));
}

const WRITERS: Readonly<Record<Exclude<Format, "pretty" | "github">, (found: RunsReport) => string>> = {
  markdown: (found) => pageMarkdown(reportPage(found)),
  html: (found) => pageHtml(reportPage(found)),
  json: printJsonLines,
  junit: reportJunit,
};

function printPretty(found: RunsReport, terminal: Terminal): void {
  const { colour, columns: width } = terminal;
  if (found.metrics.runs === 0) {
    say(terminal, "There is no run to report on. `baton run` starts one.\n");
    return;
  }
  terminal.out(reportPretty(reportPage(found), { colour: colour.out, width }));
}

function printGithub(found: RunsReport, terminal: Terminal): void {
  const page = reportPage(found);
  const markdown = pageMarkdown(page);
  const text = Buffer.byteLength(markdown) > MAX_STEP_SUMMARY ? pageComment(page) : markdown;
  const isKept = appendSummary(terminal, text);
  terminal.out(isKept ? "The report is in the summary of this job.\n" : text);
}
