import { describe, expect, it } from "vitest";
import { printRun } from "../../src/cli/print-run.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { instructionsFor } from "../../src/protocol/instructions.ts";
import { migrationPrompt } from "../../src/protocol/migrate-notes.ts";
import { runView } from "../../src/views/run-view.ts";
import { composePrompt } from "../../src/workflow/compose-prompt.ts";
import type { Workflow } from "../../src/workflow/definition.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";
import type { RunState, StepReason } from "../../src/workflow/state.ts";
import { Random } from "../simulation/random.ts";
import { HandDrivenRun } from "../workflow/build-workflow.ts";
import {
  INJECTIONS,
  MARK,
  NONCE,
  type Twins,
  type Words,
  anyTwins,
  harmlessWords,
  hostileWords,
  wishing,
} from "./hostile-handoffs.ts";
import { expectNoLogCommand, expectVisible, openPrompt } from "./opened-prompt.ts";

const workflows = Object.entries(READY_WORKFLOWS).map(([name, { text }]): Workflow => {
  const { workflow } = readWorkflow(text, { path: name, hash: name });
  if (workflow === null) throw new Error(name);
  // Gates and approvals stand before the route; here the route itself is looked at.
  const agents = Object.fromEntries(
    Object.entries(workflow.agents).map(([key, agent]) => [key, { ...agent, gates: [], approve: null }]),
  );
  return { ...workflow, agents, mode: "autonomous" };
});

const turnOf = <T>(list: readonly T[], at: number): T => {
  const item = list[at % list.length];
  if (item === undefined) throw new Error("nothing to take turns with");
  return item;
};

const MAX_STEPS = 5;

/** What became of a run in which every agent hands in what it is told to, and people say the first thing they may. */
class Course {
  readonly run: HandDrivenRun;
  readonly trace: unknown[] = [];

  constructor(workflow: Workflow, words: Words) {
    this.run = new HandDrivenRun(workflow, { brief: words.text() });
  }

  get agent(): string | null {
    const step = this.run.state.tasks["main"]?.step ?? null;
    return step === null || step.phase !== "working" ? null : step.agent;
  }

  handIn(handoff: Handoff, words: Words): void {
    this.#note(() => this.run.handIn(handoff));
    const [ask] = Object.values(this.run.state.asks);
    if (ask !== undefined) this.#note(() => this.run.answer(ask.choices[0] ?? "", words.text()));
  }

  #note(tell: () => void): void {
    const before = this.run.state.tasks["main"]?.step?.agent ?? null;
    tell();
    const { started, state } = this.run;
    for (const agent of started) expect(reachable(this.run.workflow, before, state)).toContain(agent);
    const asks = Object.values(state.asks).map(({ kind, agent, choices }) => [kind, agent, choices]);
    const kinds = this.run.kinds().filter((kind) => kind !== "wish-overruled");
    this.trace.push({ started, status: state.status, asks, kinds, step: state.tasks["main"]?.step?.agent });
  }
}

/** A hostile run and a harmless one, side by side; after some steps, or when they have ended, the next two. */
class Pair {
  readonly workflow: Workflow;
  readonly #random: Random;
  readonly #words: readonly [Words, Words];
  #courses: readonly [Course, Course];
  #steps = 0;

  constructor(workflow: Workflow, random: Random) {
    this.workflow = workflow;
    this.#random = random;
    this.#words = [hostileWords(random), harmlessWords()];
    this.#courses = this.#begin();
  }

  /** Gives who handed it in. */
  handIn(twins: Twins): string {
    if (this.#steps === MAX_STEPS || this.#courses[0].agent === null) this.#courses = this.#begin();
    const [evil, good] = this.#courses;
    const from = evil.agent;
    if (from === null) throw new Error("nobody began");
    const { hostile, harmless } = wishing(twins, from, Object.keys(this.workflow.agents));
    evil.handIn(hostile, this.#words[0]);
    good.handIn(harmless, this.#words[1]);
    expect(evil.trace).toEqual(good.trace);
    this.#steps += 1;
    return from;
  }

  #begin(): readonly [Course, Course] {
    this.#steps = 0;
    return [new Course(this.workflow, hostileWords(this.#random)), new Course(this.workflow, harmlessWords())];
  }
}

/** Whoever the workflow's own file names as a way on from an agent, and those that have worked already. */
function reachable({ agents, blocked, gates }: Workflow, from: string | null, { tasks }: RunState): Set<string> {
  const own = from === null ? undefined : agents[from];
  const named = new Set<string>(tasks["main"]?.trail.slice(0, -1) ?? []);
  if (from !== null) named.add(from);
  const collect = (value: unknown): void => {
    if (typeof value === "string") named.add(value);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) if (key !== "kind") collect(inner);
  };
  collect([own?.routes, own?.onFailure, blocked, Object.values(gates).map(({ failed }) => failed)]);
  return named;
}

describe("words of an agent", () => {
  it(`never change the route: ${INJECTIONS} injections in each of the five workflows`, { timeout: 3_600_000 }, () => {
    const random = new Random(11);
    const seen = new Set<string>();
    const pairs = workflows.map((workflow) => new Pair(workflow, random));
    for (let at = 0; at < INJECTIONS; at += 1) {
      const twins = anyTwins(random, at);
      for (const pair of pairs) seen.add(`${pair.workflow.name} ${pair.handIn(twins)}`);
    }
    // The way was not always the same one.
    expect(seen.size).toBeGreaterThan(workflows.length * 2);
  });

  const KINDS: readonly StepReason["kind"][] = [
    "first",
    "forward",
    "loop",
    "retry",
    "repair",
    "failure",
    "unblock",
    "return",
    "gate",
    "person",
  ];

  it(`never leave their envelope: ${INJECTIONS} injections in every kind of prompt`, { timeout: 3_600_000 }, () => {
    const random = new Random(7);
    const titles = new Set<string>();
    for (let at = 0; at < INJECTIONS; at += 1) {
      const workflow = spoken(turnOf(workflows, at), at);
      const twins = anyTwins(random, at);
      const evil = agentInput(workflow, twins.hostile, hostileWords(random));
      const good = agentInput(workflow, twins.harmless, harmlessWords());
      for (const kind of KINDS) {
        const [hostile, harmless] = [evil(kind), good(kind)].map((prompt) => openPrompt(prompt));
        if (hostile === undefined || harmless === undefined) throw new Error("there are two");
        expect(hostile.outside).toBe(harmless.outside);
        expect(hostile.outside).not.toContain(MARK);
        for (const { title, body } of hostile.envelopes) {
          expectVisible(body);
          expect(body.length).toBeLessThan(25_000);
          if (body.startsWith("{") || body.startsWith("[\n")) expectWhole(title, body);
          titles.add(title.replace(/ of .*/, ""));
        }
      }
    }
    expect([...titles].toSorted()).toEqual([
      "answers",
      "context",
      "handoff",
      "issues",
      "notices",
      "problems",
      "reason",
      "what is known",
    ]);
  });

  it(`make no order of a task: ${INJECTIONS} names and briefs that open and close no envelope`, () => {
    const random = new Random(5);
    const [workflow] = workflows;
    if (workflow === undefined) throw new Error("no workflow");
    for (let at = 0; at < INJECTIONS; at += 1) {
      const words = hostileWords(random);
      const task = { id: "task-1", priority: "high", dependsOn: [], start: null } as const;
      const tasks = [{ ...task, name: words.text(), brief: words.text() }];
      const run = new HandDrivenRun(workflow, { brief: words.text(), tasks });
      const state = run.state.tasks["task-1"];
      if (state?.step === undefined || state.step === null) throw new Error("nothing runs");
      const options = { nonce: NONCE, file: null, packet: "" };
      const prompt = composePrompt(workflow, run.state, state, state.step.reason, options);
      expectVisible(prompt);
      expect(openPrompt(prompt).envelopes).toEqual([]);
      expect(prompt.split("\n").filter((line) => line.startsWith("Task task-1: "))).toHaveLength(1);
    }
  });

  it(`stay in the envelope of the prompt that structures notes: ${INJECTIONS} notes`, () => {
    const random = new Random(3);
    const harmless = openPrompt(migrationPrompt("plain words", NONCE));
    for (let at = 0; at < INJECTIONS; at += 1) {
      const words = hostileWords(random);
      const { text } = at % 2 === 0 ? anyTwins(random, at) : { text: words.text() };
      const prompt = migrationPrompt(text, NONCE);
      expectVisible(prompt);
      expect(openPrompt(prompt).outside).toBe(harmless.outside);
    }
  });

  it("are not asked for in the instructions of any dialect, which are made of our own words", () => {
    for (const dialect of DIALECT_NAMES) expectVisible(instructionsFor(dialect, { from: "One" }));
  });

  it(`reach people as one line each: ${INJECTIONS} runs that ask`, { timeout: 3_600_000 }, () => {
    const random = new Random(13);
    const kinds = new Set<string>();
    for (let at = 0; at < INJECTIONS; at += 1) {
      const workflow = { ...turnOf(workflows, at), commands: "ask" as const };
      const twins = anyTwins(random, at);
      const isLast = at % 3 === 0;
      const [hostile, harmless] = [twins.hostile, twins.harmless].map((handoff) => {
        const checks = isLast ? { checks: { command: handoff.summary?.slice(0, 2_000) ?? "" } } : {};
        return new HandDrivenRun(workflow).handIn({ ...handoff, from: workflow.start, ...checks });
      });
      if (hostile === undefined || harmless === undefined) throw new Error("there are two");
      for (const { kind } of Object.values(hostile.state.asks)) kinds.add(kind);
      const printed = [hostile, harmless].map(({ state, history }) =>
        printRun(runView(workflow, state, history), 2_000_000, { colour: false, width: 80 }),
      );
      expectVisible(printed[0] ?? "");
      expectNoLogCommand(printed[0] ?? "");
      expect(printed[0]?.split("\n").length).toBe(printed[1]?.split("\n").length);
      expect(printed[0]?.length).toBeLessThan(60_000);
    }
    expect(kinds).toContain("command");
    expect(kinds).toContain("question");
  });
});

/** Its agents write one dialect after the other. */
function spoken(workflow: Workflow, at: number): Workflow {
  const agents = Object.entries(workflow.agents).map(([name, agent], index) => [
    name,
    { ...agent, dialect: turnOf(DIALECT_NAMES, at + index), phase: null },
  ]);
  return { ...workflow, agents: Object.fromEntries(agents) };
}

/** JSON that was not cut is whole: no text in it has ended its own place. */
function expectWhole(title: string, body: string): void {
  if (title !== "issues" && !title.startsWith("handoff of ")) return;
  const whole = body.replace(/\n\[left out here: .*\]$/, "");
  if (!/its last \d+ characters\]$/.test(body)) expect(() => JSON.parse(whole) as unknown).not.toThrow();
}

/** An agent about to start in a run where everything was said that can be said to it. */
function agentInput(workflow: Workflow, handoff: Handoff, words: Words): (kind: StepReason["kind"]) => string {
  const run = new HandDrivenRun(workflow, { brief: "Make it." });
  const first = run.state.tasks["main"]?.step ?? null;
  const before = run.handIn({ ...handoff, from: workflow.start }).state.tasks["main"];
  if (before === undefined || first === null) throw new Error("there is no task");
  const last = before.last ?? { agent: workflow.start, step: "s1", text: "0".repeat(64), handoff };
  const agent = turnOf(Object.keys(workflow.agents), before.trail.length);
  const answers = [{ question: words.text(), choice: "answer", text: words.text(), by: "ada" }];
  const known = { branch: { value: words.text(), by: "One" }, "issue.title": { value: words.text(), by: "One" } };
  const state = { ...run.state, known } as RunState;
  const notices = [words.text(), words.text()];
  const session = before.trail.length % 2 === 0 ? null : "session";
  return (kind) => {
    const problems = [
      { message: words.text(), hint: words.text(), where: words.name(), rule: "000-R07" },
      { message: words.text(), hint: null, where: null, rule: null },
    ];
    const reason = { kind, from: "One", note: words.text(), issues: Object.keys(state.ledger), problems };
    const step = { ...first, agent, reason, notices, session: kind === "repair" ? session : null };
    const task = { ...before, last, received: { ...last, agent: "One" }, answers, step };
    const packet = `### Patterns to Follow\n\n- ${words.text()}`;
    return composePrompt(workflow, state, task, reason, { nonce: NONCE, file: null, packet });
  };
}
