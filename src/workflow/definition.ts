import type { DialectName, Outcome } from "../protocol/handoff-words.ts";
import type { ClaimPolicy } from "../evidence/policy.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import type { Condition } from "../shared/condition.ts";

/** A workflow with every default filled in and every duration in milliseconds. */
export interface Workflow {
  readonly name: string;
  readonly description: string;
  /** Hash of the content of its file: a run is pinned to it. */
  readonly hash: string;
  readonly mode: Mode;
  readonly start: string;
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly gates: Readonly<Record<string, GateDefinition>>;
  readonly loop: LoopPolicy;
  /** Actions by reason and by domain of the agent; `default` matches any domain or reason. */
  readonly blocked: Readonly<Record<string, Readonly<Record<string, Action>>>>;
  readonly budget: Budget;
  /** Maximum number of agents at work at once. */
  readonly parallel: number;
  readonly asks: AskPolicy;
  readonly workspace: "in-place" | "worktree";
  /** The answer to refuted claims, for every agent without its own policy. */
  readonly verify: ClaimPolicy | null;
  /** Whether facts are learned from its handoffs. */
  readonly learns: boolean;
  /** What to do with a command from a handoff that is not a gate: ask a person, or never run it. */
  readonly commands: "ask" | "never";
  /** `continue` passes over a route whose condition cannot be decided; otherwise a person is asked before work goes on. */
  readonly unknown?: "continue";
  /** Tasks of the workflow file; others are given when a run starts. */
  readonly tasks: readonly TaskDefinition[];
  /** The team's own formats that agents hand over in, by name: a run is pinned to them. */
  readonly formats?: Readonly<Record<string, PinnedFormat>>;
  /** Where issues and pull requests are kept, for the built-in agents. */
  readonly forge: ForgeDefinition | null;
}

/** A format as the workflow was read with it. */
export interface PinnedFormat {
  /** The files that it was read from, from the root of the repository: trust covers them. */
  readonly files: readonly string[];
  /** What the file says; a schema that it points to stands inside. */
  readonly description: JsonRecord;
}

export type ForgeDefinition =
  /** A folder, relative to the root of the repository. */
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

/** When a person approves: only when asked, at the marked agents, or before every step. */
export type Mode = "autonomous" | "semi" | "supervised";

export interface AgentDefinition {
  readonly name: string;
  readonly runner: Runner;
  readonly dialect: DialectName;
  /** For blocked routing; the part of the name before the first hyphen by default. */
  readonly domain: string;
  readonly phase: string | null;
  readonly prompt: string;
  readonly routes: Readonly<Partial<Record<Outcome, readonly Route[]>>>;
  readonly retry: RetryPolicy;
  /** How often an invalid handoff is sent back. */
  readonly repairs: number;
  readonly timeout: number;
  /** Maximum output in bytes; an agent that exceeds it is stopped. */
  readonly output: number;
  readonly onFailure: FailurePolicy | null;
  /** The answer to a refuted claim of each kind; null when claims are not verified. */
  readonly verify: ClaimPolicy | null;
  /** How much of the known facts it receives; null for nothing. */
  readonly context: ContextPolicy | null;
  /** Gates that must pass before its handoff is routed, in order. */
  readonly gates: readonly string[];
  readonly approve: "before" | "after" | null;
  /** Where questions about its work are answered, whatever `asks` says. */
  readonly asksWhere?: "terminal-or-page";
  readonly loop: LoopPolicy;
  /** What must be known before it starts, and what its handoffs must contain, by outcome. */
  readonly needs: ContentRule | null;
  readonly gives: Readonly<Partial<Record<Outcome, ContentRule>>>;
  /** Maximum cost of one attempt; null when it is not known. */
  readonly cost: { readonly tokens: number | null; readonly money: number | null };
  /** File of its handoff, relative to the workspace; null when the handoff is its last message. */
  readonly file: string | null;
  /** True for an agent that delegates: agents that it sends work to return to it. */
  readonly hub: boolean;
  /** Whether it may change tests that are there; by default its name and phase tell. */
  readonly writesTests?: boolean;
}

export interface ContextPolicy {
  /** Maximum number of tokens (estimated); by default it depends on the model. */
  readonly tokens: number;
  /** How much is included beyond the facts that the work depends on. */
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
  /** A built-in agent, which needs no model. */
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
  /** The agent that the handoff requests, if it is one of these. */
  | { readonly kind: "choose"; readonly from: readonly string[]; readonly otherwise: Action }
  | { readonly kind: "loop"; readonly to: string }
  | { readonly kind: "retry"; readonly most: number; readonly then: Action }
  /** Returns to the agent that delegated; ends the task if there is none. */
  | { readonly kind: "return" }
  | { readonly kind: "end" }
  | { readonly kind: "person" }
  | { readonly kind: "fail" };

interface RetryPolicy {
  readonly most: number;
  /** Delay before the first retry; it doubles with each further one. */
  readonly delay: number;
}

export interface LoopPolicy {
  /** Maximum number of rounds of a task, the first included; every loop of the task starts one, whoever asks for it. */
  readonly limit: number;
  /** Severities that block. */
  readonly blocking: readonly string[];
  /** What to do when a closed issue is open again, or two rounds in a row brought no progress. */
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
  /** Empty for a gate that only has a requirement. */
  readonly command: readonly string[];
  /** Condition that must hold after the command passed; null when there is none. */
  readonly require: Requirement | null;
  /** Claims that its exit code proves: `tests`, `lint`, `build`, ... */
  readonly proves: readonly string[];
  /** Machine-readable reports that it writes, relative to its folder. */
  readonly reports: readonly string[];
  /** Where it runs: in a clean copy of the claimed state, or in the workspace. */
  readonly place: "copy" | "workspace";
  /** Folders ignored by git that it needs; it cannot change them. */
  readonly bring: readonly string[];
  readonly limits: GateLimits;
  readonly timeout: number;
  /** How many runs of it must pass. */
  readonly times: number;
  /** `base`: it runs with the files that define gates as they were before the work. */
  readonly definitions?: "base";
  readonly failed: Action;
}

export interface GateLimits {
  readonly network: boolean;
  /** Bytes. */
  readonly memory: number;
  readonly processes: number;
  /** Maximum number of bytes it may write. */
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

/** Limits that a person raised. */
export type RaisedBudget = Readonly<Partial<Record<keyof Budget, number>>>;

interface AskPolicy {
  /** Null waits without a limit. */
  readonly timeout: number | null;
  /** No answer never counts as an approval. */
  readonly silence: "remind" | "reject" | "fail";
  /** Absent: a person may also answer in a client of their own. */
  readonly where?: "terminal-or-page";
}

export interface TaskDefinition {
  readonly id: string;
  readonly name: string;
  readonly priority: Priority;
  readonly dependsOn: readonly string[];
  /** The agent it starts with; the start of the workflow by default. */
  readonly start: string | null;
  readonly brief: string;
  /** The file it was read from, to which its progress is written back. */
  readonly source?: TaskSource;
}

export interface TaskSource {
  readonly format: "task-file" | "task-master" | "spec-kit" | "beads";
  /** Relative to the root of the repository. */
  readonly path: string;
  /** The id in the file. */
  readonly id: string;
  /** The list within a Task Master file, which can hold several. */
  readonly tag: string | null;
}

export type Priority = "critical" | "high" | "medium" | "low";

/** A small subset of JSON Schema, applied to the canonical handoff. */
export type ContentRule = JsonRecord;
