import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOOK_CLIENTS, type HookClient } from "../../src/runtime/hooks/hook-call.ts";
import { projectRoot } from "../cli/run-baton.ts";
import {
  AGENT_KINDS,
  type AgentKind,
  CASES,
  CLIENT_NAMES,
  CONTEXT,
  type Cell,
  GATED,
  GATE_TABLE,
  SHOWN_TO_PERSON,
} from "../real-clients/gate-table.ts";

/** The guides print the table of what can be gated, which is shown with the real clients (test/real-clients). */
const GUIDES: Readonly<Record<HookClient, string>> = {
  claude: "claude-code",
  codex: "codex",
  gemini: "gemini",
  copilot: "copilot",
  opencode: "opencode",
};

const KINDS = Object.keys(AGENT_KINDS) as AgentKind[];

function guide(path: string): string {
  return readFileSync(join(projectRoot, "docs/guide", path), "utf8");
}

function table(...rows: readonly (readonly string[])[]): string {
  const [head = [], ...others] = rows;
  return [head, head.map(() => "---"), ...others]
    .map((row) => (row.includes("---") ? `|${row.join("|")}|` : `| ${row.join(" | ")} |`))
    .map((line) => line.replaceAll(/^\| {2}\|/g, "| |"))
    .join("\n");
}

function cellOf(client: HookClient, agent: AgentKind): Cell {
  const [cell, ...others] = GATE_TABLE.filter((one) => one.client === client && one.agent === agent);
  if (cell === undefined || others.length > 0) throw new Error(`${client}, ${agent}: not one cell`);
  return cell;
}

it("has one cell for each client and kind of agent", () => {
  expect(GATE_TABLE).toHaveLength(HOOK_CLIENTS.length * KINDS.length);
});

describe("the guide to clients", () => {
  const text = guide("13-inside-your-client.md");

  it("prints what each client lets Baton do about each kind of agent", () => {
    const rows = HOOK_CLIENTS.map((client) => [
      CLIENT_NAMES[client],
      ...KINDS.map((agent) => GATED[cellOf(client, agent).is]),
    ]);
    expect(text).toContain(table(["client", ...KINDS.map((kind) => AGENT_KINDS[kind])], ...rows));
  });

  it("prints what this means in each case", () => {
    const head = ["", "missing", "invalid", "untrue", "mended", "given up"];
    const rows = Object.entries(CASES).map(([is, cases]) => [GATED[is as keyof typeof CASES], ...cases]);
    expect(text).toContain(table(head, ...rows));
  });

  it("prints what agents are given, and where a person sees that one was given up", () => {
    const head = ["client", "agents are given what is known", "you see that an agent was given up"];
    const rows = HOOK_CLIENTS.map((client) => [CLIENT_NAMES[client], CONTEXT[client], SHOWN_TO_PERSON[client]]);
    expect(text).toContain(table(head, ...rows));
  });
});

describe.each(HOOK_CLIENTS)("the guide to %s", (client) => {
  it("prints its cells with what there is to know about them", () => {
    const rows = KINDS.map((agent) => {
      const { is, note } = cellOf(client, agent);
      return [AGENT_KINDS[agent], note === "" ? GATED[is] : `${GATED[is]}: ${note}`];
    });
    expect(guide(`clients/${GUIDES[client]}.md`)).toContain(table(["agent", "checked"], ...rows));
  });
});
