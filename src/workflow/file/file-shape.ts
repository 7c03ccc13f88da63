import { relativePath } from "../../protocol/format.ts";
import { DIALECT_NAMES, OUTCOMES } from "../../protocol/handoff-words.ts";
import { type Field, type Shape, shape } from "../../protocol/shape.ts";
import { AGENT_KIND_NAMES, type AgentKind } from "../agent-kinds.ts";
import { BUILTIN_NAMES } from "../definition.ts";
import { DEFAULTS, DEFAULT_LOOP } from "./defaults.ts";
import { may, must } from "./file-field.ts";
import { schedulesShape } from "./read-schedules.ts";
import { sessionsShape } from "./sessions-section.ts";
import {
  workflowAgentName,
  anyText,
  apiAddress,
  branchName,
  duration,
  durationOrNone,
  folderPath,
  moduleFunction,
  repositoryName,
  size,
  taskId,
  variableName,
} from "./words.ts";

/**
 * The workflow file. The check of its fields, the JSON Schema and the help in editors are derived from this shape.
 * Values with several forms (routes, the blocked table, content rules) are declared as `anything`: a separate reader
 * checks them, and the schema refers to them by name.
 */

/** Separate instances, because the schema recognizes them by identity. */
export const routesShape = shape.anything();
export const actionShape = shape.anything();
export const blockedShape = shape.anything();
export const verifyShape = shape.anything();
export const contextShape = shape.anything();
export const conditionShape = shape.anything();
export const contentRuleShape = shape.freeMap();

const name = shape.formatted(workflowAgentName);
const time = shape.formatted(duration);
const command = shape.list(shape.formatted(anyText), { minimum: 1 });
const count = (minimum: number, maximum: number): Shape<number> => shape.number({ integer: true, minimum, maximum });

const outcomeFields = <T>(of: Shape<T>, about: string) =>
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, may(of, `${about} \`${outcome}\`.`)]));

/** Severities of the formats that have issues; `important` is 001's word for `high`. */
const SEVERITIES = ["critical", "high", "important", "medium", "low"] as const;

const loopEnd = shape.oneOf(["person", "continue", "fail"]);
const loop = shape.record({
  limit: may(count(1, 100), "Most rounds of a task: the first, and one for every loop.", DEFAULT_LOOP.limit),
  blocking: may(shape.list(shape.oneOf(SEVERITIES)), "Severities of issues that keep a loop going.", [
    ...DEFAULT_LOOP.blocking,
  ]),
  stuck: may(
    loopEnd,
    "What follows when a loop gets nowhere: an issue came back, or their number did not fall.",
    "person",
  ),
  capped: may(loopEnd, "What follows at the limit.", "person"),
});

const budget = shape.record({
  wall: may(time, "Most time from start to end, waiting included."),
  agent: may(time, "Most time of all agents together."),
  tokens: may(count(1, Number.MAX_SAFE_INTEGER), "Most tokens of all agents together."),
  money: may(shape.number({ minimum: 0 }), "Most money of all agents together, in US dollars."),
  steps: may(count(1, 100_000), "Most steps of a run. It bounds what a hub may send around.", DEFAULTS.steps),
});

const ASK_PLACES = ["anywhere", "terminal-or-page"] as const;

const asks = shape.record({
  timeout: may(shape.formatted(durationOrNone), "How long a question to a person waits.", DEFAULTS.asks.timeout),
  silence: may(
    shape.oneOf(["remind", "reject", "fail"]),
    "What no answer means. Silence is never consent.",
    DEFAULTS.asks.silence,
  ),
  where: may(
    shape.oneOf(ASK_PLACES),
    "Where a person answers: also in a coding agent's own client, or in a terminal or on the page only.",
    DEFAULTS.asks.where,
  ),
});

export const gateShape = shape.record({
  command: may(command, "Program and arguments. It passes when it ends with 0."),
  require: may(conditionShape, "A condition that must hold, after the command if there is one: claims.refuted == 0."),
  proves: may(shape.list(shape.filledText()), "Claims that it is the answer to; without it, its name says so."),
  reports: may(
    shape.list(shape.formatted(relativePath)),
    "Reports it writes: JUnit XML, TAP, Vitest or Jest JSON, lcov, Cobertura, Istanbul. Test counts and coverage come from them.",
  ),
  place: may(
    shape.oneOf(["copy", "workspace"]),
    "Where it runs: in a clean copy of the claimed state, or in the workspace itself.",
    DEFAULTS.gate.place,
  ),
  bring: may(
    shape.list(shape.formatted(relativePath)),
    "Folders that git ignores and that it needs in the copy. It cannot change them: what it writes there ends with it.",
    [...DEFAULTS.gate.bring],
  ),
  network: may(shape.boolean(), "Whether it may use the network.", false),
  memory: may(shape.formatted(size), "Most memory of all its processes together.", DEFAULTS.gate.memory),
  processes: may(count(1, 100_000), "Most processes at once.", DEFAULTS.gate.processes),
  disk: may(shape.formatted(size), "Most it may write.", DEFAULTS.gate.disk),
  env: may(shape.map(shape.formatted(anyText)), "Variables that are set for it."),
  inherit: may(shape.list(shape.formatted(variableName)), "Variables it gets from the operator."),
  timeout: may(time, "How long it may take.", DEFAULTS.gate.timeout),
  times: may(count(1, 100), "How many runs of it must pass, all of them.", DEFAULTS.gate.times),
  definitions: may(
    shape.oneOf(["work", "base"]),
    "Whose files define it: scripts, settings of runners, CI files as the agent left them, or as they were before.",
    DEFAULTS.gate.definitions,
  ),
  failed: may(actionShape, "Where the work goes when it does not pass.", {
    retry: DEFAULTS.gate.retry,
    then: "person",
  }),
});

/** Options of each kind of agent. */
const kinds = {
  process: may(command, "Any program: it and its arguments."),
  claude: may(shape.freeMap(), "Claude Code, with its options, for example `{ model: opus }`."),
  codex: may(shape.freeMap(), "Codex, with its options."),
  acp: may(command, "A client of the Agent Client Protocol: program and arguments."),
  function: may(shape.formatted(moduleFunction), "A function of a module, `./file.mjs#name`."),
  builtin: may(shape.oneOf(BUILTIN_NAMES), "An agent that comes along and needs no model."),
  human: may(shape.boolean(), "A person does it: `true`."),
} satisfies Readonly<Record<AgentKind, Field>>;

const run = shape.record({
  ...kinds,
  prompt: may(shape.oneOf(["stdin", "file", "argument"]), "With `process`: how it gets its prompt.", "stdin"),
  env: may(shape.map(shape.formatted(anyText)), "With `process`: variables that are set for it."),
  inherit: may(shape.list(shape.formatted(variableName)), "With `process`: variables it gets from the operator."),
  command: may(command, "With `claude` or `codex`: what to start instead of the program of that name."),
  options: may(shape.freeMap(), "With `acp` or `builtin`: its options."),
});

const onFailure = shape.record({
  retry: may(count(0, 100), "How many failures are answered by `route_to`, or without it by another try.", 0),
  route_to: may(name, "The agent that mends it and returns the work."),
  notify: may(name, "An agent that is told of it when it runs next."),
  escalate_after: may(
    count(1, 100),
    "The failure at which whoever delegated gets the work back; without it, `routes.failed` is asked when `retry` is used up.",
  ),
  context: may(shape.filledText(), "What the one who takes over should know."),
  may_route_to: may(shape.list(name), "Agents that a handoff may name in its own `on_failure.route_to`."),
});

export const agentShape = shape.record({
  run: must(run, `What runs: one of ${AGENT_KIND_NAMES.map((kind) => `\`${kind}\``).join(", ")}.`),
  dialect: must(shape.words(DIALECT_NAMES), "The format in which it hands over: one of the five, or one of your own."),
  routes: must(
    shape.record(outcomeFields(routesShape, "Where the work goes after the outcome")),
    "Where the work goes, by outcome. `done` must be there.",
  ),
  prompt: may(
    shape.formatted(anyText),
    "What it is told, besides the last handoff and the instructions of its dialect.",
  ),
  file: may(shape.formatted(relativePath), "The file it writes its handoff to; without it, its last message counts."),
  phase: may(shape.filledText(), "The phase its work belongs to."),
  domain: may(shape.filledText(), "Its column in `blocked`; without it, its name up to the first hyphen."),
  gates: may(shape.list(shape.filledText()), "Gates that must pass before its handoff goes on, in order."),
  verify: may(verifyShape, "Overrides the workflow's `verify` for this agent's handoffs."),
  context: may(contextShape, "Overrides the workflow's `context` for this agent."),
  approve: may(shape.oneOf(["before", "after"]), "When a person must agree, unless the mode is autonomous."),
  asks: may(
    shape.record({ where: may(shape.oneOf(ASK_PLACES), "Where a person answers; it can only be narrower.") }),
    "Overrides the workflow's `asks` for questions about this agent's work.",
  ),
  retry: may(
    shape.record({
      most: may(count(0, 20), "Retries after a crash or a transient error.", DEFAULTS.agent.retry.most),
      delay: may(time, "Wait before the first; doubled for each one after it.", DEFAULTS.agent.retry.delay),
    }),
    "What happens after a crash, a timeout or a transient error.",
  ),
  repairs: may(count(0, 10), "How often an unusable handoff is sent back.", DEFAULTS.agent.repairs),
  timeout: may(time, "How long one attempt may take.", DEFAULTS.agent.timeout),
  output: may(shape.formatted(size), "Largest output; beyond it the agent is stopped.", DEFAULTS.agent.output),
  on_failure: may(onFailure, "What happens when it fails, before `routes.failed` is asked."),
  loop: may(loop, "Overrides the workflow's `loop` for loops that this agent asks for."),
  needs: may(contentRuleShape, "What a handoff to it must hold: a small JSON Schema."),
  gives: may(
    shape.record(outcomeFields(contentRuleShape, "A small JSON Schema for handoffs with the outcome")),
    "What its handoffs must hold, by outcome.",
  ),
  cost: may(
    shape.record({
      tokens: may(count(0, Number.MAX_SAFE_INTEGER), "Most tokens of one attempt."),
      money: may(shape.number({ minimum: 0 }), "Most money of one attempt, in US dollars."),
    }),
    "The most that one attempt may cost. Budgets are refused before the spend by this.",
  ),
  hub: may(shape.boolean(), "It delegates: agents that it sends work to `return` to it.", false),
  writes_tests: may(shape.boolean(), "Whether it may change existing tests; without it, its name and phase tell."),
});

const task = shape.record({
  id: must(shape.formatted(taskId), "Its id, unique in the file."),
  name: may(shape.filledText(), "What it is called; its id unless given."),
  priority: may(shape.oneOf(["critical", "high", "medium", "low"]), "Which ready task goes first.", DEFAULTS.priority),
  depends_on: may(shape.list(shape.formatted(taskId)), "Tasks that must be done before it starts."),
  start: may(name, "The agent it starts with; the workflow's `start` unless given."),
  brief: may(shape.formatted(anyText), "What is to be done."),
});

const forge = shape.record({
  local: may(shape.formatted(folderPath), "A folder with a bare repository, issues and pull requests; made if absent."),
  github: may(shape.formatted(repositoryName), "A repository on GitHub, `owner/name`."),
  api: may(shape.formatted(apiAddress), "With `github`: where its API is.", DEFAULTS.forge.api),
  token: may(
    shape.formatted(variableName),
    "With `github`: the environment variable that holds the token.",
    DEFAULTS.forge.token,
  ),
  base: may(
    shape.formatted(branchName),
    "The branch that pull requests are merged into; the forge's own unless given.",
  ),
});

export const workflowShape = shape.record({
  baton: must(count(1, 1), "Version of this file format: 1."),
  name: must(name, "What the workflow is called."),
  description: may(shape.formatted(anyText), "What it is for."),
  mode: may(
    shape.oneOf(["autonomous", "semi", "supervised"]),
    "When a person is asked for approval: never, at agents marked `approve`, or before every step.",
    DEFAULTS.mode,
  ),
  start: must(name, "The agent that begins."),
  parallel: may(count(1, 64), "Most agents at work at once.", DEFAULTS.parallel),
  workspace: may(
    shape.oneOf(["in-place", "worktree"]),
    "Where agents work: in the repository, or in a git worktree of the run, which its tasks share.",
    DEFAULTS.workspace,
  ),
  budget: may(budget, "What a run may use. It is refused before the spend."),
  asks: may(asks, "How long questions to a person wait, and what silence means."),
  loop: may(loop, "When loops end."),
  verify: may(
    verifyShape,
    "What a refuted claim leads to: refuse, ask, warn, record, for all kinds or each; or `off`.",
  ),
  context: may(
    contextShape,
    "How much of what is known each agent is given: { tokens, complexity }; or `off`, and nothing is learned either.",
  ),
  unknown: may(
    shape.oneOf(["person", "continue"]),
    "A condition that cannot be decided and whose route would have stopped the work: ask a person, or take the next route.",
    DEFAULTS.unknown,
  ),
  commands: may(
    shape.oneOf(["ask", "never"]),
    "A command that a handoff brings and that is no gate: ask a person, or never run it.",
    DEFAULTS.commands,
  ),
  gates: may(shape.map(gateShape), "What must pass before work goes on, by name."),
  agents: must(shape.map(agentShape), "The agents, by name."),
  blocked: may(shape.map(blockedShape), "Where blocked work goes: by reason, then by domain of the agent."),
  tasks: may(shape.list(task), "Tasks of every run; others may come with its start."),
  forge: may(forge, "Where issues and pull requests live, for `builtin` agents: `local` or `github`."),
  schedules: may(schedulesShape, "Times at which `baton serve` starts runs of this workflow, by name."),
  sessions: may(sessionsShape, "Agents that hand over inside their own clients, such as Claude Code or Codex."),
});

/** Larger workflows are not readable, and would make the checks slow. */
export const MAX_OF: Readonly<Record<string, number>> = {
  agents: 300,
  gates: 100,
  tasks: 2000,
  blocked: 100,
  schedules: 100,
};
export const MAX_CHOICES = 50;
