import { type AgentReport, type AgentTruth, reportAgents, sinceBy } from "../../runtime/operations/report-agents.ts";
import { printJson, printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { paint } from "../paint.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "report",
  summary: "Show how true the handoffs of each agent are",
  usage: "[RUN]",
  details: [
    "Per agent: handoffs accepted and sent back, and what became of its claims. All runs, or one.",
    "A claim is unverifiable until a procedure has judged it: that is neither true nor false.",
  ],
  options: {
    since: { value: "AGE", about: "Only what happened since then: 12h, 7d." },
    json: { about: "As JSON." },
    ...HELP_OPTION,
  },
  run: report,
};

async function report(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "One run at a time.");
  const age = invocation.text("since");
  const since = age === undefined ? 0 : sinceBy(age, Date.now());
  if (since === null) throw usage(command, `--since takes an age such as 12h or 7d; found "${age ?? ""}".`);
  const engine = await terminal.openEngine();
  try {
    const found = await reportAgents(engine.machine, invocation.operands[0] ?? null, since);
    if (invocation.has("json")) terminal.out(`${printJson(found)}\n`);
    else if (found.agents.length === 0)
      terminal.note("No agent has handed over anything yet. `baton run` starts a run.\n");
    else terminal.out(printReport(found, terminal.colour.out));
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

const COLUMNS = ["runs", "handoffs", "repairs", "claims", "confirmed", "refuted", "unverifiable"] as const;

function printReport({ agents, runs }: AgentReport, colour: boolean): string {
  const width = Math.max(...agents.map(({ agent }) => printable(agent).length), "agent".length);
  const head = ["agent".padEnd(width), ...COLUMNS.map((name) => name.padStart(cellWidth(name)))].join("  ");
  const rows = agents.map((each) => printAgent(each, width, colour));
  return [paint(head, "quiet", colour), ...rows, "", describe(agents, runs), ""].join("\n");
}

function cellWidth(name: string): number {
  return Math.max(name.length, 6);
}

function printAgent(each: AgentTruth, width: number, colour: boolean): string {
  const cells = COLUMNS.map((name) => {
    const cell = String(each[name]).padStart(cellWidth(name));
    return name === "refuted" && each.refuted > 0 ? paint(cell, "bad", colour) : cell;
  });
  const kinds = Object.entries(each.refuted_kinds).map(([kind, count]) => `${kind} ${count}`);
  const lies = kinds.length === 0 ? "" : `  ${paint(`(${kinds.join(", ")})`, "quiet", colour)}`;
  return `${printable(each.agent).padEnd(width)}  ${cells.join("  ")}${lies}`;
}

function describe(agents: readonly AgentTruth[], runs: number): string {
  const sum = (name: "confirmed" | "refuted" | "claims"): number =>
    agents.reduce((total, each) => total + each[name], 0);
  const judged = sum("confirmed") + sum("refuted");
  const share =
    judged === 0
      ? "none could be judged"
      : `${Math.floor((100 * sum("confirmed")) / judged)} % of ${judged} that could be judged are true`;
  return `${runs} ${runs === 1 ? "run" : "runs"}, ${sum("claims")} claims: ${share}`;
}
