import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { RunView } from "../../../src/views/run-view.ts";
import type { Event } from "../../../src/workflow/event.ts";
import { type Run, baton } from "../../cli/run-baton.ts";
import { ofKind } from "./repository.ts";

const room = mkdtempSync(join(tmpdir(), "baton-fixes-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const LOGIN = `${Array.from({ length: 60 }, (_, at) => `export const line${at + 1} = ${at + 1};`).join("\n")}\n`;

/** The reviewer finds an issue in the rounds it is told to; the fixer runs a command and claims its places. */
const AGENT = `import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";
const me = process.env.BATON_AGENT;
const round = process.env.BATON_ITERATION;
const play = JSON.parse(readFileSync("play.json", "utf8"));
const turn = play[me][round] ?? {};
if (turn.runs) execSync(turn.runs);
const element = (name, text) => "<" + name + ">" + text + "</" + name + ">";
const issues = (turn.finds ?? []).map(([severity, place]) =>
  '<issue severity="' + severity + '" location="' + place + '">It does not hold at ' + place + "</issue>").join("");
const fixes = (turn.fixes ?? []).map((place) => '<fix location="' + place + '">Mended</fix>').join("");
const common = element("pr_url", "https://example.org/8") + element("branch", "main");
const [status, to, data] = me === "fixer"
  ? ["ready-for-re-review", "reviewer", element("fixes_applied", fixes) + element("commits_added", 1)]
  : issues === ""
    ? ["success", "validator", element("review_status", "approved") + element("critical_count", 0) + element("important_count", 0) + element("suggestion_count", 0)]
    : ["blocked", "fixer", element("review_status", "changes_requested") + element("critical_count", turn.finds.filter(([severity]) => severity === "critical").length) +
        element("important_count", turn.finds.filter(([severity]) => severity === "important").length) + element("suggestion_count", 0) + element("blocking_issues", issues)];
if (turn.says) console.log(JSON.stringify({ from_agent: me, to_agent: to, timestamp: new Date().toISOString(), status: "PASS",
  iteration: Number(round), loop_required: false, loop_target: null, loop_reason: null, artifacts: [], context: {},
  test_requirements: { coverage: 0, critical_paths: [], edge_cases_to_test: [] },
  validation: { command: "npm test", expected_result: "passes", checklist: [] }, ...turn.says }));
else console.log(element("handoff", element("from", me) + element("to", to) + element("timestamp", new Date().toISOString()) +
  element("issue_number", 7) + element("pr_number", 8) + element("status", status) + element("summary", "Round " + round) + element("data", common + data)));
`;

const WORKFLOW = `baton: 1
name: review
start: reviewer
loop: { limit: 5, blocking: [critical], stuck: person, capped: person }
agents:
  reviewer:
    run: { process: [node, agent.mjs] }
    dialect: issue-xml
    routes: { done: end, needs-fixes: FIXER }
  fixer:
    run: { process: [node, agent.mjs] }
    dialect: issue-xml
    routes: { done: NEXT }
`;

interface Turn {
  readonly finds?: readonly (readonly [severity: string, place: string])[];
  readonly runs?: string;
  readonly fixes?: readonly string[];
  /** Makes it a handoff in pipeline-json. */
  readonly says?: object;
}
type Play = Readonly<Record<"reviewer" | "fixer", Readonly<Record<number, Turn>>>>;

async function run(play: Play, [fixer, next]: readonly [string, string] = ["{ loop: fixer }", "reviewer"]) {
  const folder = mkdtempSync(join(room, "run-"));
  const home = mkdtempSync(join(room, "home-"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/login.js"), LOGIN);
  writeFileSync(join(folder, "src/other.js"), LOGIN);
  writeFileSync(join(folder, "agent.mjs"), AGENT);
  writeFileSync(join(folder, "play.json"), JSON.stringify(play));
  const isJson = Object.values(play.fixer).some(({ says }) => says !== undefined);
  const workflow = isJson ? WORKFLOW.replace(/(?<=fixer:[^]*)issue-xml/, "pipeline-json") : WORKFLOW;
  writeFileSync(join(folder, "review.yaml"), workflow.replace("FIXER", fixer).replace("NEXT", next));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "ada");
  git("config", "user.email", "ada@example.org");
  git("add", "-A");
  git("commit", "-qm", "feat: begin");
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: join(home, ".state"), USER: "ada" };
  const command = (...args: string[]): Promise<Run> => baton(args, { cwd: folder, env });
  await command("trust", "review.yaml");
  const { code } = await command("run", "review.yaml");
  const events = (await command("log", "--json")).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; data: Event })
    .flatMap(({ kind, data }) => (kind === "input" ? [] : [data]));
  const list = JSON.parse((await command("status", "--json")).stdout) as { runs: { run: string }[] };
  const id = list.runs[0]?.run ?? "";
  const view = JSON.parse((await command("status", id, "--json")).stdout) as RunView;
  expect(await command("replay")).toMatchObject({ code: 0 });
  const fixes = ofKind(events, "claims-verified")
    .flatMap(({ judgements }) => judgements)
    .filter(({ where }) => /^findings\.(?:fixes|issues\.\d+\.status|resolved)/.test(where))
    .map(({ kind, verdict, evidence }) => `${kind} ${verdict}: ${evidence}`);
  return { code, events, view, fixes, status: (await command("status", id)).stdout };
}

const NOTES = "echo mended > NOTES.txt && git add . && git commit -qm 'fix: login'";
const mend = (line: number) =>
  `sed -i '${line}s/.*/export const mended = 1;/' src/login.js && git commit -qam 'fix: login'`;
const CRITICAL = { finds: [["critical", "src/login.js:2"]] } as const;

describe.concurrent("a fix in a run", () => {
  it("is refuted, and the handoff refused, when its fixer commits NOTES.txt only", async () => {
    const { code, events, view, fixes } = await run({
      reviewer: { 1: CRITICAL },
      fixer: { 2: { runs: `test -f NOTES.txt || (${NOTES})`, fixes: ["src/login.js:2"] } },
    });
    expect(fixes[0]).toMatch(/^fix refuted: The file has not changed since the issue was found\./);
    expect(ofKind(events, "handoff-refused")[0]?.problems[0]).toMatchObject({
      message: expect.stringContaining("Not true: An issue was fixed at src/login.js:2."),
    });
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: "waiting", issues: [{ status: "open" }] });
  });

  it("is confirmed near the place, and the reviewer closes the issue", async () => {
    const { code, view, fixes } = await run({
      reviewer: { 1: CRITICAL },
      fixer: { 2: { runs: mend(4), fixes: ["src/login.js:2"] } },
    });
    expect(fixes[0]).toMatch(/^fix confirmed: The file changed near the place\./);
    expect(code).toBe(0);
    expect(view).toMatchObject({ status: "completed", remarks: [], issues: [{ status: "fixed" }] });
  });

  it("counts from the last time the issue was found, and may have been made in an earlier step", async () => {
    const { fixes } = await run({
      reviewer: {
        1: {
          finds: [
            ["critical", "src/login.js:2"],
            ["critical", "src/other.js:9"],
          ],
        },
        2: { finds: [["critical", "src/other.js:9"]] },
        3: { finds: [["critical", "src/other.js:9"]] },
      },
      fixer: {
        2: { runs: mend(2), fixes: ["src/login.js:2"] },
        3: { runs: NOTES, fixes: ["src/login.js:2"] },
        4: { fixes: ["src/other.js:9"] },
      },
    });
    expect(fixes.map((fix) => fix.split(":")[0])).toEqual([
      "fix confirmed",
      "fix confirmed",
      "fix refuted",
      "fix refuted",
      "fix refuted",
    ]);
  });

  it("of an issue that does not block is told as not true, and sends nothing back", async () => {
    const { code, events, fixes, view } = await run({
      reviewer: { 1: { finds: [["important", "src/login.js:2"]] } },
      fixer: { 2: { runs: NOTES, fixes: ["src/login.js:2"] } },
    });
    expect(fixes).toEqual([expect.stringMatching(/^ledger refuted: /)]);
    expect(ofKind(events, "handoff-refused")).toEqual([]);
    expect(code).toBe(0);
    expect(view.remarks).toMatchObject([
      { kind: "refuted" },
      { kind: "undeclared", text: expect.stringContaining("NOTES.txt") },
    ]);
  });

  const ID = "reviewer-1";
  const LISTED = {
    id: ID,
    severity: "critical",
    category: "bug",
    location: "src/login.js:2",
    description: "It does not hold",
    remediation: "Mend it",
    status: "fixed",
  };
  const NOTED = { artifacts: [{ path: "NOTES.txt", type: "source_file", purpose: "Notes", priority: "high" }] };

  it("is one, too, when its issue is listed as fixed at a place", async () => {
    const says = { issues: [LISTED], issues_resolved: [ID] };
    const lie = { runs: `test -f NOTES.txt || (${NOTES})`, says: { ...says, ...NOTED } };
    const { code, view, fixes } = await run({ reviewer: { 1: CRITICAL }, fixer: { 2: lie } });
    expect(fixes.slice(0, 2)).toEqual([
      expect.stringMatching(/^ledger unverifiable: /),
      expect.stringMatching(/^fix refuted: The file has not changed since the issue was found\./),
    ]);
    expect(code).toBe(1);
    expect(view).toMatchObject({ status: "waiting", issues: [{ status: "open" }] });
    const honest = await run({ reviewer: { 1: CRITICAL }, fixer: { 2: { runs: mend(2), says } } });
    expect(honest.fixes).toContainEqual(expect.stringMatching(/^fix confirmed: The file changed near the place\./));
    expect(honest.code).toBe(0);
  });

  it("is not there when its issue is called resolved and nothing has changed", async () => {
    const { fixes } = await run({ reviewer: { 1: CRITICAL }, fixer: { 2: { says: { issues_resolved: [ID] } } } });
    expect(fixes[0]).toMatch(/^fix refuted: No file has changed since the issue was found\./);
    const elsewhere = { runs: NOTES, says: { issues_resolved: [ID], ...NOTED } };
    const other = await run({ reviewer: { 1: CRITICAL }, fixer: { 2: elsewhere } });
    expect(other.fixes).toEqual([expect.stringMatching(/^ledger unverifiable: The run has this issue/)]);
  });

  it("ends the run with an open issue when the reviewer never looks again", async () => {
    const { code, view, status } = await run(
      { reviewer: { 1: CRITICAL }, fixer: { 1: { runs: mend(2), fixes: ["src/login.js:2"] } } },
      ["fixer", "end"],
    );
    expect(code).toBe(1);
    expect(view.remarks).toEqual([
      {
        kind: "open",
        text: expect.stringMatching(
          /^critical issue \S+ is open: fixer says that it is fixed, and reviewer has not looked again: /,
        ),
      },
    ]);
    expect(status).toContain("issues: 1 open (1 said to be fixed), 0 closed");
    expect(status).toContain("(said to be fixed by fixer)");
  });
});
