import { loadWorkflow } from "../../runtime/operations/load-workflow.ts";
import { RULES_VERSION, replayRun, type ReplayStep } from "../../runtime/operations/replay-run.ts";
import { findRun } from "../../runtime/operations/send-input.ts";
import { viewRun, eventLine } from "../../runtime/operations/view-run.ts";
import { printJsonLines, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import { refuseWorkflow } from "./check.ts";
import type { Terminal } from "../terminal.ts";
import { cutText } from "../../shared/envelope.ts";
import { sameJson } from "../../shared/json-value.ts";

export const command: Command = {
  name: "replay",
  summary: "Decide a run again from its log, also with a changed workflow",
  usage: "[RUN]",
  details: [
    "Every input of the log meets the state that was recorded, and what is decided now is compared with what was decided then.",
    "Every input was stored with the version of the rules that decided it; a difference of earlier rules says so.",
    "With --workflow another file decides: what would have been different? Nothing is run.",
    "Exit code: 0 all the same, 1 something differs, 3 the workflow of --workflow cannot be run.",
  ],
  options: {
    workflow: { value: "WORKFLOW", about: "Decide by this workflow instead of the one the run is pinned to." },
    json: { about: "Print JSON." },
    ...HELP_OPTION,
  },
  run: replay,
};

async function replay(invocation: Invocation, terminal: Terminal): Promise<number> {
  const {
    operands: [name, ...more],
    text,
    has,
  } = invocation;
  if (more.length > 0) throw usage(command, "Name one run only.");
  const engine = await terminal.openExisting();
  try {
    const row = await findRun(engine.ports, name);
    const { workflow: pinned, entries } = await viewRun(engine.ports, row.run, row.workflow);
    const other = text("workflow");
    const loaded = other === undefined ? null : loadWorkflow(other);
    if (loaded !== null && loaded.workflow === null) return await refuseWorkflow(loaded, invocation, terminal);
    const workflow = loaded?.workflow ?? pinned;
    const steps = replayRun(workflow, entries);
    const different = steps.filter((step) => !step.isSame);
    if (has("json"))
      terminal.out(printJsonLines({ run: row.run, rules: RULES_VERSION, inputs: steps.length, different }));
    else display(terminal, `${different.map(printDifference).join("")}${summarise(steps, different)}\n`);
    return different.length === 0 ? EXIT.fine : EXIT.findings;
  } finally {
    await engine.close();
  }
}

/** Rules that have changed since explain differences that the workflow does not. */
function summarise(steps: readonly ReplayStep[], different: readonly ReplayStep[]): string {
  const earlier = different.filter(({ rules }) => rules < RULES_VERSION).length;
  const result = different.length === 0 ? "all the same" : `${different.length} differently`;
  const note = earlier === 0 ? "" : ` ${earlier} of these were decided by earlier rules; the recorded decisions stand.`;
  return `${steps.length} inputs decided again by rules ${RULES_VERSION}, ${result}.${note}`;
}

type Events = ReplayStep["recorded"];

/** What was decided then and is not now (-), and what is decided now and was not then (+). */
export function printDifference({ sequence, input, rules, recorded, decided }: ReplayStep): string {
  const [before, after] = [toldLines(recorded), toldLines(decided)];
  const differences = [
    ...before.filter((line) => !after.includes(line)).map((line) => `  - ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `  + ${line}`),
  ];
  const lines = differences.length === 0 ? fieldLines(recorded, decided) : differences;
  const by = rules < RULES_VERSION ? ` (decided by rules ${rules})` : "";
  return `${sequence}: ${input.kind}${by}\n${lines.join("\n")}\n\n`;
}

function toldLines(events: Events): string[] {
  return events.flatMap((event) => {
    const line = eventLine(event);
    return line === null ? [] : [printable(line.text.replaceAll(/\s+/g, " "))];
  });
}

/** Events may differ in what the log never tells, such as a time limit: then their fields are told. */
function fieldLines(recorded: Events, decided: Events): string[] {
  const places = Array.from({ length: Math.max(recorded.length, decided.length) }, (_, index) => index);
  return places.flatMap((index) => {
    const [then, now] = [asRecord(recorded[index]), asRecord(decided[index])];
    return [...new Set([...Object.keys(then), ...Object.keys(now)])]
      .filter((key) => !sameJson(then[key], now[key]))
      .flatMap((key) => [...fieldLine("-", then, key), ...fieldLine("+", now, key)]);
  });
}

function asRecord(event: Events[number] | undefined): Readonly<Record<string, unknown>> {
  return { ...event };
}

function fieldLine(sign: string, event: Readonly<Record<string, unknown>>, key: string): string[] {
  if (event[key] === undefined) return [];
  return [`  ${sign} ${String(event["kind"])}.${key} ${printable(cutText(JSON.stringify(event[key]), MAX_VALUE))}`];
}

const MAX_VALUE = 200;
