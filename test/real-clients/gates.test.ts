import { afterAll, describe, expect, it } from "vitest";
import { CLAUDE, CODEX, OPENCODE } from "./clients.ts";
import { AGENT_KINDS, type AgentKind, type Cell, GATED, GATE_TABLE } from "./gate-table.ts";
import { removeRunFolders, whyAbsent } from "./offline-runs.ts";
import { type Plan, SAYS } from "./plan.ts";
import {
  type Asked,
  PLUGIN_CLIENTS,
  type PluginClient,
  type Session,
  type SessionSetting,
  session,
} from "./plugin-clients.ts";

/** Each cell of the table of what can be gated, with the real client and a model that plays a plan. */
afterAll(removeRunFolders);

const MAIN = "  main: { format: task-yaml }\n";
const SUBAGENTS = '  agents: { "*": { format: task-yaml } }\n';

/** Missing, invalid, untrue, and mended at last. */
const IN_TURN: Plan = { says: [SAYS.missing, SAYS.invalid, SAYS.untrue, SAYS.mended] };
const NEVER: Plan = { says: [SAYS.missing] };

/** What is said in each case, wherever it is said. */
const TOLD = [
  "you end without a handoff",
  'must be one of completed, partial, failed, blocked; found "finished with luck"',
  "Not true: The file made.txt was created",
];

/** The plan of the person's agent under which an agent of this kind has the plan `own`. */
function planFor(kind: AgentKind, own: Plan, retries: boolean): Plan {
  switch (kind) {
    case "main":
    case "schema":
      return own;
    case "nested":
      return { how: "wait", start: { how: "wait", start: own, retries, says: [SAYS.mended] } };
    case "subagent":
      return { how: "wait", start: own, retries };
    case "background":
    case "workflow":
      return { how: kind, start: own, retries };
  }
}

/** What a client needs besides, so that it has agents of this kind at all. */
function needs({ client, agent }: Pick<Cell, "client" | "agent">): Partial<SessionSetting> {
  if (client === "codex" && agent === "nested")
    return {
      files: {
        "home/.codex/config.toml": `${CODEX.files?.["home/.codex/config.toml"] ?? ""}[agents]\nmax_depth = 2\n`,
      },
    };
  if (client === "opencode" && agent === "background")
    return { variables: ["OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS=true"] };
  if (client !== "opencode" || agent !== "nested") return {};
  const config = JSON.parse(OPENCODE.files?.["proj/opencode.json"] ?? "{}") as object;
  const allowed = { ...config, subagent_depth: 3, agent: { general: { permission: { task: "allow" } } } };
  return { files: { "proj/opencode.json": JSON.stringify(allowed) } };
}

function run(tested: PluginClient, cell: Pick<Cell, "client" | "agent">, own: Plan, retries = false): Session {
  const sessions = cell.agent === "main" ? MAIN : SUBAGENTS;
  return session(tested, { sessions, plans: [{ plan: planFor(cell.agent, own, retries) }], ...needs(cell) });
}

/** How each kind of cell is shown. */
const SHOWN: Readonly<Record<Cell["is"], (tested: PluginClient, cell: Cell) => void>> = {
  "sent-back": (tested, cell) => {
    const { asked, runs, log, printed } = run(tested, cell, IN_TURN);
    const own = asked.filter(({ plan }) => plan.start === undefined);
    expect(toldIn(own), printed).toEqual(TOLD);
    expectMended({ runs, log, printed });
    expectGivenUp(run(tested, cell, NEVER));
  },
  "parent-told": (tested, cell) => {
    const { asked, runs, log, printed } = run(tested, cell, IN_TURN, true);
    const [parents, own] = [asked.filter(({ plan }) => plan.retries), asked.filter(({ plan }) => !plan.start)];
    expect(toldIn(parents), printed).toEqual(TOLD);
    expect(toldIn(own), printed).toEqual([]);
    expectMended({ runs, log, printed });
    expectGivenUp(run(tested, cell, NEVER, true));
  },
  recorded: (tested, cell) => {
    const why = ["There is no handoff", ...TOLD.slice(1)];
    for (const [at, says] of [SAYS.missing, SAYS.invalid, SAYS.untrue].entries()) {
      const { asked, runs, log, printed } = run(tested, cell, { says: [says] });
      expect(JSON.stringify(asked)).not.toContain("Baton sends you back");
      expect(runs, printed).toMatchObject([{ status: "failed" }]);
      expect(runs[0]?.reason).toContain("cannot send it back");
      expect(log).toContain(why[at]);
    }
    expect(run(tested, cell, { says: [SAYS.mended] }).runs).toMatchObject([{ status: "completed", done: 1 }]);
  },
  none: (tested, cell) => {
    const tried: Cell = cell.agent === "workflow" ? { ...cell, agent: "subagent" } : cell;
    const { asked, printed } = run(tested, tried, NEVER);
    expect(asked.length, printed).toBeGreaterThan(0);
    if (cell.agent === "background") {
      // The parent is asked again only when the subagent has ended.
      const order = asked.map(({ plan }) => (plan.start === undefined ? "subagent" : "parent"));
      return expect(order.join(" ")).toMatch(/^parent (?:subagent )+parent$/);
    }
    const starting = asked.filter(({ plan }) => plan.start !== undefined);
    const ofSubagents = starting.filter(({ plan }) => plan.says !== undefined);
    const without = cell.agent === "nested" ? ofSubagents : starting;
    const forbidden = cell.agent === "nested" ? STARTS : /^Workflow$/;
    expect(without.length, printed).toBeGreaterThan(0);
    expect(without.flatMap(({ tools }) => tools).filter((tool) => forbidden.test(tool))).toEqual([]);
  },
};

/** Tools that start agents, in any client. */
const STARTS = /^(?:Agent|Workflow|task|invoke_agent|.*spawn_agent)$/;

for (const tested of PLUGIN_CLIENTS) {
  const absence = whyAbsent(tested.client);
  const place = `${tested.client.name}${absence === null ? "" : ` (${absence})`}`;
  describe.skipIf(absence !== null)(`what ${place} lets Baton do`, () => {
    for (const cell of GATE_TABLE.filter(({ client }) => client === tested.name)) {
      // An option that a client has not cannot be shown; for those that have it, see below.
      if (cell.agent !== "schema")
        it(`${AGENT_KINDS[cell.agent]}: ${GATED[cell.is]}`, { timeout: 600_000 }, () => SHOWN[cell.is](tested, cell));
    }
  });
}

function toldIn(asked: readonly Asked[]): string[] {
  const messages = asked.flatMap((one) => one.messages);
  const texts = messages.flatMap(({ text, toolResults }) => [text, ...toolResults.map((result) => result.text)]);
  const all = plainText(texts.join("\n"));
  return all.includes("Baton sends you back") ? TOLD.filter((told) => all.includes(told)) : [];
}

/** Some clients escape what they pass on. */
function plainText(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll('\\"', '"');
}

function expectMended({ runs, log, printed }: Pick<Session, "runs" | "log" | "printed">): void {
  expect(runs, printed).toMatchObject([{ status: "completed" }]);
  expect(log.match(/handoff refused/g)).toHaveLength(3);
  expect(log).toContain("claims 0 confirmed, 1 refuted");
  expect(log).toContain("claims 1 confirmed, 0 refuted");
}

/** It passes after three times, below the eight of the clients; the run has failed, and says why. */
function expectGivenUp({ runs, log, printed }: Session): void {
  expect(runs, printed).toMatchObject([{ status: "failed" }]);
  expect(runs[0]?.reason).toContain("ended without a valid handoff (it was sent back 3 times)");
  expect(log.match(/asked to write the handoff again/g)).toHaveLength(3);
}

describe.skipIf(whyAbsent(CLAUDE) !== null)("an agent of Claude Code that answers by a schema", () => {
  const claude = clientOf("claude");
  const sessions = "  agents: { workflow-subagent: { format: pipeline-json } }\n";
  const handoffOf = (more: object): object => ({ ...JSON.parse(PIPELINE), ...more });
  const made = { type: "source_file", path: "made.txt", purpose: "Shows it", priority: "high" };

  it("is judged and recorded, and not sent back", { timeout: 300_000 }, () => {
    const answers = [
      { nothing: "of a handoff" },
      handoffOf({ status: "LUCK" }),
      handoffOf({ artifacts: [made] }),
      handoffOf({}),
    ];
    const start = answers.map((answer): Plan => ({ says: [answer] }));
    const { asked, runs, log, printed } = session(claude, { sessions, plans: [{ plan: { how: "schema", start } }] });
    expect(JSON.stringify(asked)).not.toContain("Baton sends you back");
    expect(runs, printed).toMatchObject([{ status: "failed", done: 1 }]);
    expect(runs[0]?.reason?.match(/it answers by a schema and cannot be sent back/g)).toHaveLength(3);
    expect(log).toContain("claims 0 confirmed, 1 refuted");
  });
});

describe.skipIf(whyAbsent(CODEX) !== null)("an agent of Codex that answers by a schema", () => {
  it("is sent back until its answer is a handoff", { timeout: 300_000 }, () => {
    const says = [JSON.stringify({ status: "LUCK" }), PIPELINE];
    const { asked, runs, printed } = session(clientOf("codex"), {
      sessions: "  main: { format: pipeline-json }\n",
      plans: [{ plan: { says } }],
      more: "--output-schema ../schema.json",
      files: { "schema.json": JSON.stringify({ type: "object" }) },
    });
    expect(JSON.stringify(asked), printed).toContain("Baton sends you back: your handoff was refused");
    expect(runs).toMatchObject([{ status: "completed", done: 1 }]);
  });
});

describe.each(PLUGIN_CLIENTS.filter(({ name }) => name === "codex" || name === "opencode"))(
  "a subagent in the background of $client.name",
  (tested) => {
    it.skipIf(whyAbsent(tested.client) !== null)("that is cut off leaves a failed run", { timeout: 120_000 }, () => {
      const needed = needs({ client: tested.name, agent: "background" });
      const plan: Plan = { how: "leave", start: { says: [SAYS.missing, SAYS.mended] } };
      const { runs, printed } = session(tested, { sessions: SUBAGENTS, plans: [{ plan }], ...needed });
      expect(runs, printed).toMatchObject([{ status: "failed", reason: expect.stringContaining("handed over") }]);
    });
  },
);

function clientOf(name: Cell["client"]): PluginClient {
  const found = PLUGIN_CLIENTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no client ${name}`);
  return found;
}

const PIPELINE = JSON.stringify({
  from_agent: "subagent",
  to_agent: "COMPLETE",
  timestamp: "2026-03-09T14:05:00.000Z",
  status: "PASS",
  iteration: 1,
  loop_required: false,
  loop_target: null,
  loop_reason: null,
  artifacts: [],
  context: {},
  validation: { command: "npm test", expected_result: "all pass", checklist: ["Totals are exact"] },
});
