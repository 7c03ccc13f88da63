import { findRun, sendInput } from "../../runtime/operations/send-input.ts";
import { parseDuration, readBudget, type BudgetLimits } from "../../runtime/operations/read-budget.ts";
import { personOf } from "../../runtime/request-source.ts";
import { printJsonLines, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { printDuration } from "../paint.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "budget",
  summary: "Show what a run may use, or raise it",
  usage: "[RUN]",
  details: [
    "Without RUN: the newest run. Without a limit: what the run may use and what it has used.",
    "A limit can only be raised, of a run that is under way or has failed; the workflow file stays as it is.",
    "A failed run goes on with `baton retry RUN`.",
    "Exit code: 0 shown, or the new limits are saved; 2 wrong usage, or no limit would be raised; 3 an agent asked to raise one.",
  ],
  options: {
    steps: { value: "N", about: "Steps of the run." },
    tokens: { value: "N", about: "Tokens of all agents together." },
    money: { value: "USD", about: "Cost of all agents together, in US dollars." },
    agent: { value: "TIME", about: "Time of all agents together: 90m, 2h." },
    wall: { value: "TIME", about: "From start to end, waiting included: 4h, 1d." },
    json: { about: "Print JSON." },
    ...HELP_OPTION,
  },
  run: budget,
};

async function budget(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "Name one run only.");
  const wanted = limitsOf(invocation);
  const raises = Object.keys(wanted).length > 0;
  const by = raises ? personOf(await terminal.requestSource(), "`baton budget`") : "";
  const engine = await terminal.openExisting();
  try {
    const { ports } = engine;
    const row = await findRun(ports, invocation.operands[0]);
    const { limits, used } = await readBudget(ports, row);
    if (raises) {
      refuse(row.status, limits, wanted);
      await sendInput(ports, row.run, { kind: "raise-budget", by, budget: wanted });
    }
    const raised = { ...limits, ...wanted };
    if (invocation.has("json")) terminal.out(printJsonLines({ run: row.run, limits: raised, used }));
    else for (const name of NAMES) terminal.out(line(name, raised[name], used[name], wanted[name] !== undefined));
    if (raises) say(terminal, `${printable(whatNext(row.run, row.status))}\n`);
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

const NAMES = ["steps", "tokens", "money", "agent", "wall"] as const;
type Name = (typeof NAMES)[number];

function whatNext(run: string, status: string): string {
  const then = status === "failed" ? `\`baton retry ${run}\` goes on.` : "It counts from the next step on.";
  return `Saved. ${then}`;
}

function limitsOf(invocation: Invocation): Partial<Record<Name, number>> {
  const given = NAMES.flatMap((name) => {
    const text = invocation.text(name);
    return text === undefined ? [] : [[name, readLimit(name, text)] as const];
  });
  return Object.fromEntries(given);
}

function readLimit(name: Name, text: string): number {
  const isTime = name === "agent" || name === "wall";
  const limit = isTime ? parseDuration(text) : /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : null;
  const isWhole = name === "money" || Number.isInteger(limit);
  if (limit === null || !isWhole)
    throw usage(command, `--${name} takes ${isTime ? "a time such as 90m or 2h" : "a number"}; found "${text}".`);
  return limit;
}

function refuse(status: string, limits: BudgetLimits, wanted: Partial<Record<Name, number>>): void {
  if (status === "completed" || status === "cancelled") throw usage(command, `The run is ${status}.`);
  for (const name of NAMES) {
    const [now, then] = [limits[name], wanted[name]];
    if (then === undefined) continue;
    if (now === null) throw usage(command, `The run has no limit of ${name}.`, `Leave --${name} out.`);
    if (then <= now) throw usage(command, `A limit can only be raised: ${name} is ${show(name, now)} already.`);
  }
}

function line(name: Name, limit: number | null, used: number, isNew: boolean): string {
  const of = limit === null ? "no limit" : `of ${show(name, limit)}${isNew ? " (new)" : ""}`;
  return `${name.padEnd(6)}  ${show(name, used)} used, ${of}\n`;
}

function show(name: Name, value: number): string {
  if (name === "agent" || name === "wall") return printDuration(value);
  return name === "money" ? `${value.toFixed(2)} USD` : String(value);
}
