import { CLAIM_KINDS } from "../../evidence/claim.ts";
import { CLAIM_ANSWERS } from "../../evidence/policy.ts";
import { OUTCOMES } from "../../protocol/handoff-words.ts";
import type { Condition, Operand, Sign } from "../../shared/condition.ts";
import {
  type Action,
  type AgentDefinition,
  BUILTIN_NAMES,
  type ForgeDefinition,
  type GateDefinition,
  type LoopEnd,
  type LoopPolicy,
  type Mode,
  type PinnedFormat,
  type Runner,
  type Workflow,
} from "../definition.ts";
import { stored } from "./describe.ts";
import { dialectName, taskDefinition } from "./entry-shapes.ts";

const { boolean, json, list, map, number, oneOf, optional, orNull, partialTable, record, scalar, tagged, text, words } =
  stored;

const texts = list(text);

const operand = tagged<Operand>({ name: { name: text }, literal: { value: scalar } });

const condition = tagged<Condition>((self) => ({
  or: { left: self, right: self },
  and: { left: self, right: self },
  not: { of: self },
  compare: {
    sign: words<Sign>({ "==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true }),
    left: operand,
    right: operand,
  },
  in: { left: operand, list: list(scalar) },
  value: { of: operand },
}));

const action = tagged<Action>((self) => ({
  go: { to: text },
  choose: { from: texts, otherwise: self },
  loop: { to: text },
  retry: { most: number, then: self },
  return: {},
  end: {},
  person: {},
  fail: {},
}));

const client = { command: texts, options: json };

const runner = tagged<Runner>({
  process: {
    command: texts,
    prompt: words({ stdin: true, file: true, argument: true }),
    environment: map(text),
    inherit: texts,
  },
  claude: client,
  codex: client,
  acp: client,
  function: { module: text, name: text },
  builtin: { name: oneOf(BUILTIN_NAMES), options: json },
  human: {},
});

const loopEnd = words<LoopEnd>({ person: true, continue: true, fail: true });
const loopPolicy = record<LoopPolicy>({ limit: number, blocking: texts, stuck: loopEnd, capped: loopEnd });

const claimPolicy = partialTable(CLAIM_KINDS, oneOf(CLAIM_ANSWERS));

const agent = record<AgentDefinition>({
  name: text,
  runner,
  dialect: dialectName,
  domain: text,
  phase: orNull(text),
  prompt: text,
  routes: partialTable(OUTCOMES, list(record({ when: orNull(condition), action }))),
  retry: record({ most: number, delay: number }),
  repairs: number,
  timeout: number,
  output: number,
  onFailure: orNull(
    record({
      retry: number,
      routeTo: orNull(text),
      notify: orNull(text),
      escalateAfter: orNull(number),
      context: orNull(text),
      mayRouteTo: texts,
    }),
  ),
  verify: orNull(claimPolicy),
  context: orNull(record({ tokens: number, complexity: words({ easy: true, normal: true, complex: true }) })),
  gates: texts,
  approve: orNull(words({ before: true, after: true })),
  asksWhere: optional(words({ "terminal-or-page": true })),
  loop: loopPolicy,
  needs: orNull(json),
  gives: partialTable(OUTCOMES, json),
  cost: record({ tokens: orNull(number), money: orNull(number) }),
  file: orNull(text),
  hub: boolean,
  writesTests: optional(boolean),
});

const gate = record<GateDefinition>({
  name: text,
  command: texts,
  require: orNull(record({ text, condition })),
  proves: texts,
  reports: texts,
  place: words({ copy: true, workspace: true }),
  bring: texts,
  limits: record({
    network: boolean,
    memory: number,
    processes: number,
    disk: number,
    environment: map(text),
    inherit: texts,
  }),
  timeout: number,
  times: number,
  definitions: optional(words({ base: true })),
  failed: action,
});

export const pinnedWorkflowShape = record<Workflow>({
  name: text,
  description: text,
  hash: text,
  mode: words<Mode>({ autonomous: true, semi: true, supervised: true }),
  start: text,
  agents: map(agent),
  gates: map(gate),
  loop: loopPolicy,
  blocked: map(map(action)),
  budget: record({
    wall: orNull(number),
    agent: orNull(number),
    tokens: orNull(number),
    money: orNull(number),
    steps: number,
  }),
  parallel: number,
  asks: record<Workflow["asks"]>({
    timeout: orNull(number),
    silence: words({ remind: true, reject: true, fail: true }),
    where: optional(words({ "terminal-or-page": true })),
  }),
  workspace: words({ "in-place": true, worktree: true }),
  verify: orNull(claimPolicy),
  learns: boolean,
  commands: words({ ask: true, never: true }),
  unknown: optional(words({ continue: true })),
  tasks: list(taskDefinition),
  formats: optional(map(record<PinnedFormat>({ files: texts, description: json }))),
  forge: orNull(
    tagged<ForgeDefinition>({
      local: { folder: text, base: orNull(text) },
      github: { repository: text, api: text, token: text, base: orNull(text) },
    }),
  ),
});
