import { DEFAULT_POLICY } from "../../src/evidence/policy.ts";
import { describe, expect, it } from "vitest";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";

function read(text: string) {
  const { workflow, diagnostics } = readWorkflow(text, { path: "workflow.yaml", hash: "the hash" });
  expect(diagnostics).toEqual([]);
  return workflow!;
}

const PERSON = { kind: "person" };
const always = (action: unknown) => [{ when: null, action }];

describe("readWorkflow", () => {
  it("fills in every default", () => {
    const workflow = read(
      "baton: 1\nname: w\nstart: a-b\nagents:\n  a-b: { run: { process: [x] }, dialect: task-yaml, routes: { done: end } }\n",
    );
    const loop = { limit: 3, blocking: ["critical", "high"], stuck: "person", capped: "person" };
    expect(workflow).toEqual({
      name: "w",
      description: "",
      hash: "the hash",
      mode: "semi",
      start: "a-b",
      gates: {},
      loop,
      blocked: {
        missing_requirements: { default: PERSON },
        out_of_scope: { default: PERSON },
        unknown: { default: PERSON },
        default: { default: PERSON },
      },
      budget: { wall: null, agent: null, tokens: null, money: null, steps: 100 },
      parallel: 1,
      asks: { timeout: 86_400_000, silence: "remind" },
      workspace: "in-place",
      commands: "never",
      verify: DEFAULT_POLICY,
      learns: true,
      tasks: [],
      forge: null,
      agents: {
        "a-b": {
          name: "a-b",
          runner: { kind: "process", command: ["x"], prompt: "stdin", environment: {}, inherit: [] },
          dialect: "task-yaml",
          domain: "a",
          phase: null,
          prompt: "",
          routes: {
            done: always({ kind: "end" }),
            "done-with-warnings": always({ kind: "end" }),
            "needs-review": always({ kind: "end" }),
            skipped: always({ kind: "end" }),
            "needs-fixes": always(PERSON),
            failed: always(PERSON),
            "in-progress": always({ kind: "retry", most: 3, then: PERSON }),
            pending: always({ kind: "retry", most: 3, then: PERSON }),
          },
          retry: { most: 3, delay: 1000 },
          repairs: 2,
          timeout: 1_800_000,
          output: 16_777_216,
          onFailure: null,
          verify: DEFAULT_POLICY,
          context: { tokens: 4000, complexity: "normal" },
          gates: [],
          approve: null,
          loop,
          needs: null,
          gives: {},
          cost: { tokens: null, money: null },
          file: null,
          hub: false,
        },
      },
    });
  });

  it("takes a decimal number for one, however many zeros end it, and an identifier for a text", () => {
    const workflow = read(`
baton: 1
name: w
start: a
budget: { money: 0.50 }
agents:
  a:
    run: { process: [npx, tool, --level, 1.10], env: { NODE: 22.10 } }
    dialect: phase-yaml
    cost: { tokens: 10, money: 0.10 }
    gives: { done: { properties: { metrics: { properties: { score: { minimum: 7.0 } } } } } }
    routes: { done: end }
tasks: [{ id: 1.10 }, { id: 1.2x, depends_on: [1.10] }]
`);
    expect(workflow).toMatchObject({
      budget: { money: 0.5 },
      agents: {
        a: {
          runner: { command: ["npx", "tool", "--level", "1.10"], environment: { NODE: "22.10" } },
          cost: { money: 0.1 },
          gives: { done: { properties: { metrics: { properties: { score: { minimum: 7 } } } } } },
        },
      },
      tasks: [{ id: "1.10" }, { dependsOn: ["1.10"] }],
    });
  });

  it("reads every key", () => {
    const workflow = read(`
baton: 1
name: full
description: |
  Everything at once.
mode: semi
start: back-a
parallel: 4
workspace: worktree
budget: { wall: 2h, agent: 500ms, tokens: 1000, money: 2.5, steps: 7 }
asks: { timeout: 2d, silence: reject }
loop: { limit: 5, blocking: [critical], stuck: fail, capped: continue }
gates:
  lint: { command: [npm, run, lint], timeout: 5m, times: 2, failed: { to: person } }
blocked:
  test_failures: { back: b, default: fail }
  default: end
agents:
  back-a:
    run: { process: [x, "{y}"], prompt: file, env: { A: b }, inherit: [HOME] }
    dialect: pipeline-json
    prompt: Do it.
    file: out/{task}/handoff.json
    phase: Building
    gates: [lint]
    approve: after
    retry: { most: 1, delay: 250ms }
    repairs: 0
    timeout: 90s
    output: 64KB
    loop: { limit: 2 }
    needs: { required: [issue] }
    gives: { done: { required: [work] } }
    cost: { tokens: 10, money: 0.5 }
    hub: true
    on_failure: { retry: 2, route_to: b, notify: b, escalate_after: 3, context: Why, may_route_to: [b] }
    routes:
      done: { choose: [b, end], otherwise: { retry: 2, then: fail } }
      needs-fixes: [{ when: "open.low > 1", loop: back-a }, b]
      blocked: person
  b:
    run: { function: ./x.mjs#go }
    dialect: issue-xml
    domain: front
    cost: { tokens: 1, money: 1 }
    routes: { done: return, skipped: end }
tasks:
  - { id: t1, name: First, priority: high, brief: Do. }
  - { id: t2, depends_on: [t1], start: b }
`);
    expect(workflow).toMatchObject({
      description: "Everything at once.\n",
      mode: "semi",
      parallel: 4,
      workspace: "worktree",
      budget: { wall: 7_200_000, agent: 500, tokens: 1000, money: 2.5, steps: 7 },
      asks: { timeout: 172_800_000, silence: "reject" },
      gates: { lint: { name: "lint", timeout: 300_000, times: 2, failed: PERSON } },
      blocked: {
        test_failures: { back: { kind: "go", to: "b" }, default: { kind: "fail" } },
        unknown: { default: PERSON },
        default: { default: { kind: "end" } },
      },
      tasks: [
        { id: "t1", name: "First", priority: "high", dependsOn: [], start: null, brief: "Do." },
        { id: "t2", name: "t2", priority: "medium", dependsOn: ["t1"], start: "b", brief: "" },
      ],
    });
    expect(workflow.agents["back-a"]).toMatchObject({
      runner: { command: ["x", "{y}"], prompt: "file", environment: { A: "b" }, inherit: ["HOME"] },
      domain: "back",
      retry: { most: 1, delay: 250 },
      timeout: 90_000,
      output: 65_536,
      loop: { limit: 2, blocking: ["critical"], stuck: "fail", capped: "continue" },
      onFailure: { retry: 2, routeTo: "b", notify: "b", escalateAfter: 3, context: "Why", mayRouteTo: ["b"] },
      routes: {
        done: always({
          kind: "choose",
          from: ["b", "end"],
          otherwise: { kind: "retry", most: 2, then: { kind: "fail" } },
        }),
        "needs-fixes": [{ when: { kind: "compare" }, action: { kind: "loop", to: "back-a" } }, { when: null }],
        blocked: always(PERSON),
      },
    });
    expect(workflow.agents["b"]).toMatchObject({
      runner: { kind: "function", module: "./x.mjs", name: "go" },
      routes: { done: always({ kind: "return" }), skipped: always({ kind: "end" }) },
    });
    expect(workflow.agents["b"]?.routes.blocked).toBeUndefined();
  });

  it.each([
    ["claude: {}", { kind: "claude", command: ["claude"], options: {} }],
    [
      "claude: { model: opus }, command: [npx, claude]",
      { kind: "claude", command: ["npx", "claude"], options: { model: "opus" } },
    ],
    ["codex: { sandbox: read-only }", { kind: "codex", command: ["codex"], options: { sandbox: "read-only" } }],
    ["acp: [gemini, --acp], options: { a: 1 }", { kind: "acp", command: ["gemini", "--acp"], options: { a: 1 } }],
    ["human: true", { kind: "human" }],
  ])("reads run: { %s }", (run, runner) => {
    const text = `baton: 1\nname: w\nstart: a\nagents:\n  a: { run: { ${run} }, dialect: task-yaml, routes: { done: end } }\n`;
    expect(read(text).agents["a"]?.runner).toEqual(runner);
  });

  it("reads an agent that comes along, with its options, and the forge", () => {
    const agent = "{ run: { builtin: prep, options: { build: [make] } }, dialect: issue-xml, routes: { done: end } }";
    const text = (forge: string): string =>
      `baton: 1\nname: w\nstart: a\nforge: { ${forge} }\nagents:\n  a: ${agent}\n`;
    const { agents, forge } = read(text("local: ../forge, base: trunk"));
    expect(agents["a"]?.runner).toEqual({ kind: "builtin", name: "prep", options: { build: ["make"] } });
    expect(forge).toEqual({ kind: "local", folder: "../forge", base: "trunk" });
    expect(read(text("github: octo/shop")).forge).toEqual({
      kind: "github",
      repository: "octo/shop",
      api: "https://api.github.com",
      token: "GITHUB_TOKEN",
      base: null,
    });
    expect(read(text("github: a/b, api: 'http://127.0.0.1:99/api', token: T")).forge).toMatchObject({
      api: "http://127.0.0.1:99/api",
      token: "T",
    });
  });

  it("takes agents called like members of every object for agents", () => {
    const agent = "{ run: { human: true }, dialect: task-yaml, routes: { done: valueOf } }";
    const last = agent.replace("valueOf", "end");
    const workflow = read(`baton: 1\nname: w\nstart: toString\nagents:\n  toString: ${agent}\n  valueOf: ${last}\n`);
    expect(Object.keys(workflow.agents)).toEqual(["toString", "valueOf"]);
  });
});

describe("what is wrong with the graph", () => {
  const told = (more: string, agent = "") => {
    const lonely = "  lonely: { run: { process: [x] }, dialect: task-yaml, routes: { done: end } }\n";
    const first = `  first: { run: { process: [x] }, dialect: task-yaml, routes: { done: end }${agent} }\n`;
    const text = `baton: 1\nname: w\nstart: first\n${more}agents:\n${first}${lonely}`;
    const { diagnostics } = readWorkflow(text, { path: "workflow.yaml", hash: "the hash" });
    return diagnostics.map(({ message }) => message).join(" ");
  };

  it.each([
    ["", ", verify: maybe"],
    ["", ", context: { tokens: -1 }"],
    ["", ", timeout: soon"],
    ["gates: { lint: { command: [x], memory: lots } }\n", ", gates: [lint]"],
    ["gates: { lint: { require: 5 } }\n", ", gates: [lint]"],
    ["asks: { silence: never }\n", ""],
  ])("is told together with a mistake beside it: %s%s", (more, agent) => {
    expect(told(more, agent)).toMatch(/^(?!Nothing leads).*Nothing leads to `lonely`\.$/);
  });

  it.each([
    ["", ", rotues: { failed: lonely }"],
    ["", ", gates: [lint]"],
    ["gates: { lint: { command: [x], failed: lonly } }\n", ", gates: [lint]"],
  ])("is not guessed at where a mistake may be the reason: %s%s", (more, agent) => {
    expect(told(more, agent)).not.toBe("");
    expect(told(more, agent)).not.toContain("Nothing leads");
  });

  it("is a circle also where a handoff may choose it", () => {
    const text =
      "baton: 1\nname: w\nstart: a\nagents:\n" +
      "  a: { run: { process: [x] }, dialect: task-yaml, routes: { done: b } }\n" +
      "  b: { run: { process: [x] }, dialect: task-yaml, routes: { done: { choose: [a, end], otherwise: person } } }\n";
    const { diagnostics } = readWorkflow(text, { path: "workflow.yaml", hash: "the hash" });
    expect(diagnostics.map(({ message }) => message)).toEqual(["Work can go round without a bound: a -> b -> a."]);
  });
});
