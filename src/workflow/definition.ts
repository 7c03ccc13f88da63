import type { DialectName, Outcome } from "../protocol/handoff-words.ts";
import type { ClaimPolicy } from "../evidence/policy.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import type { Condition } from "./condition.ts";

/** A workflow as the core sees it: every default filled in, every duration in milliseconds. */
export interface Workflow {
  readonly name: string;
  readonly description: string;
  /** Content hash of the file it was read from: a run is pinned to it. */
  readonly hash: string;
  readonly mode: Mode;
  readonly start: string;
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly gates: Readonly<Record<string, GateDefinition>>;
  readonly loop: LoopPolicy;
  /** Reason, then domain of the agent, then what to do; `default` stands for any domain or reason. */
  readonly blocked: Readonly<Record<string, Readonly<Record<string, Action>>>>;
  readonly budget: Budget;
  /** Most agents at work at once. */
  readonly parallel: number;
  readonly asks: AskPolicy;
  readonly workspace: "in-place" | "worktree";
  /** What a refuted claim leads to, whoever says it; an agent may have a policy of its own. */
  readonly verify: ClaimPolicy | null;
  /** Whether what its handoffs teach is kept. */
  readonly learns: boolean;
  /** What becomes of a command that a handoff brings and that is no gate: a person is asked, or it never runs. */
  readonly commands: "ask" | "never";
  /** Tasks that are given in the file itself; others come with the start of a run. */
  readonly tasks: readonly TaskDefinition[];
  /** Where issues and pull requests live, for the agents that come along. */
  readonly forge: ForgeDefinition | null;
}

export type ForgeDefinition =
  /** A folder, from the root of the repository. */
  | { readonly kind: "local"; readonly folder: string; readonly base: string | null }
  | {
      readonly kind: "github";
      /** `owner/name`. */
      readonly repository: string;
      readonly api: string;
      /** Name of the environment variable that holds the token. */
      readonly token: string;
      readonly base: string | null;
    };

/** How much a person takes part: never unless asked, at the marked agents, or before every step. */
export type Mode = "autonomous" | "semi" | "supervised";

export interface AgentDefinition {
  readonly name: string;
  readonly runner: Runner;
  readonly dialect: DialectName;
  /** For blocked routing; the part of the name before the first hyphen unless given. */
  readonly domain: string;
  readonly phase: string | null;
  readonly prompt: string;
  readonly routes: Readonly<Partial<Record<Outcome, readonly Route[]>>>;
  readonly retry: RetryPolicy;
  /** How often an unusable handoff is sent back. */
  readonly repairs: number;
  readonly timeout: number;
  /** Most bytes of output that are kept and that are endured. */
  readonly output: number;
  readonly onFailure: FailurePolicy | null;
  /** What a refuted claim of each kind leads to; null when claims are not looked at. */
  readonly verify: ClaimPolicy | null;
  /** How much of what is known it is given; null for nothing. */
  readonly context: ContextPolicy | null;
  /** Gates that must pass before its handoff is routed, in order. */
  readonly gates: readonly string[];
  readonly approve: "before" | "after" | null;
  readonly loop: LoopPolicy;
  /** What its handoffs must hold, by outcome; and what must be known before it starts. */
  readonly needs: ContentRule | null;
  readonly gives: Readonly<Partial<Record<Outcome, ContentRule>>>;
  /** The most one attempt may cost; null is not known. */
  readonly cost: { readonly tokens: number | null; readonly money: number | null };
  /** Where its handoff is written, from the workspace; null for the last message. */
  readonly file: string | null;
  /** Delegates: agents that it sends work to return to it. */
  readonly hub: boolean;
}

export interface ContextPolicy {
  /** Most tokens, estimated; by the model, where the file does not say. */
  readonly tokens: number;
  /** How much is known beside what the work stands on. */
  readonly complexity: "easy" | "normal" | "complex";
}

export type Runner =
  | {
      readonly kind: "process";
      readonly command: readonly string[];
      readonly prompt: "stdin" | "file" | "argument";
      readonly environment: Readonly<Record<string, string>>;
      readonly inherit: readonly string[];
    }
  | { readonly kind: "claude" | "codex"; readonly command: readonly string[]; readonly options: JsonRecord }
  | { readonly kind: "acp"; readonly command: readonly string[]; readonly options: JsonRecord }
  | { readonly kind: "function"; readonly module: string; readonly name: string }
  /** An agent that comes along and needs no model. */
  | { readonly kind: "builtin"; readonly name: BuiltinName; readonly options: JsonRecord }
  | { readonly kind: "human" };

export const BUILTIN_NAMES = ["prep", "validator", "closer"] as const;
export type BuiltinName = (typeof BUILTIN_NAMES)[number];

export interface Route {
  readonly when: Condition | null;
  readonly action: Action;
}

export type Action =
  | { readonly kind: "go"; readonly to: string }
  /** The handoff's own wish, as far as it is one of these. */
  | { readonly kind: "choose"; readonly from: readonly string[]; readonly otherwise: Action }
  | { readonly kind: "loop"; readonly to: string }
  | { readonly kind: "retry"; readonly most: number; readonly then: Action }
  /** To whoever delegated; the end when nobody did. */
  | { readonly kind: "return" }
  | { readonly kind: "end" }
  | { readonly kind: "person" }
  | { readonly kind: "fail" };

export interface RetryPolicy {
  readonly most: number;
  /** Before the first retry; doubled for each one after it. */
  readonly delay: number;
}

export interface LoopPolicy {
  /** Most rounds of a run; every loop back begins one. */
  readonly limit: number;
  /** Severities that block. */
  readonly blocking: readonly string[];
  /** What follows when the same issue is open again, or the number of open ones does not fall. */
  readonly stuck: LoopEnd;
  readonly capped: LoopEnd;
}

export type LoopEnd = "person" | "continue" | "fail";

export interface FailurePolicy {
  readonly retry: number;
  readonly routeTo: string | null;
  readonly notify: string | null;
  readonly escalateAfter: number | null;
  readonly context: string | null;
  /** Agents that a handoff may name in its own `on_failure.route_to`. */
  readonly mayRouteTo: readonly string[];
}

export interface GateDefinition {
  readonly name: string;
  /** Empty when it only requires something. */
  readonly command: readonly string[];
  /** What must hold once the command has passed; null when nothing else must. */
  readonly require: Requirement | null;
  /** Claims that its exit code is the answer to: `tests`, `lint`, `build`, ... */
  readonly proves: readonly string[];
  /** Machine-readable reports that it writes, from its own folder. */
  readonly reports: readonly string[];
  /** Where it runs: in a clean copy of the state that is claimed, or in the workspace itself. */
  readonly place: "copy" | "workspace";
  /** Folders that git ignores and that it needs, mounted so that it cannot change them. */
  readonly bring: readonly string[];
  readonly limits: GateLimits;
  readonly timeout: number;
  /** How many runs of it must pass, all of them. */
  readonly times: number;
  readonly failed: Action;
}

export interface GateLimits {
  readonly network: boolean;
  /** Bytes. */
  readonly memory: number;
  readonly processes: number;
  /** Bytes it may write. */
  readonly disk: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly inherit: readonly string[];
}

export interface Requirement {
  /** As it was written. */
  readonly text: string;
  readonly condition: Condition;
}

export interface Budget {
  readonly wall: number | null;
  readonly agent: number | null;
  readonly tokens: number | null;
  readonly money: number | null;
  readonly steps: number;
}

export interface AskPolicy {
  /** Null waits for ever. */
  readonly timeout: number | null;
  /** Silence is never consent. */
  readonly silence: "remind" | "reject" | "fail";
}

export interface TaskDefinition {
  readonly id: string;
  readonly name: string;
  readonly priority: Priority;
  readonly dependsOn: readonly string[];
  /** Where it starts; the workflow's start unless given. */
  readonly start: string | null;
  readonly brief: string;
  /** Where it was taken from, and its progress is written back to. */
  readonly source?: TaskSource;
}

export interface TaskSource {
  readonly format: "task-file" | "task-master" | "spec-kit" | "beads";
  /** From the root of the repository. */
  readonly path: string;
  /** As the file has it. */
  readonly id: string;
  /** Of Task Master, which has several lists in one file. */
  readonly tag: string | null;
}

export type Priority = "critical" | "high" | "medium" | "low";

/** A small part of JSON Schema, asked of the canonical handoff. */
export type ContentRule = JsonRecord;
