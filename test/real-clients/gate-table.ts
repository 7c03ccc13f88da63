import type { HookClient } from "../../src/runtime/hooks/hook-call.ts";

/**
 * What Baton can do about a missing, invalid or untrue handoff, by client and kind of agent. The guides print this table
 * (`test/docs/gate-table.test.ts`), and each cell is shown with the real client (`gates.test.ts`).
 */
export interface Cell {
  readonly client: HookClient;
  readonly agent: AgentKind;
  readonly is: Gated;
  /** What the guide of the client says besides; empty when there is nothing more to say. */
  readonly note: string;
}

/** How the tables of the guides call them. */
export const AGENT_KINDS = {
  main: "main agent",
  subagent: "subagent, while its parent waits",
  background: "subagent in the background",
  nested: "subagent of a subagent",
  workflow: "subagent of a dynamic workflow",
  schema: "agent that answers by a schema",
} as const;
export type AgentKind = keyof typeof AGENT_KINDS;

export const GATED = {
  "sent-back": "sent back",
  "parent-told": "its parent is told",
  recorded: "only recorded",
  none: "there is none",
} as const;
type Gated = keyof typeof GATED;

/** What each of these means in each case: missing, invalid, untrue, mended, given up. */
export const CASES: Readonly<Record<Exclude<Gated, "none">, readonly string[]>> = {
  "sent-back": [
    "sent back, with how to write one",
    "sent back, with each problem",
    "sent back, with the evidence",
    "passes",
    "passes after `blocks` times; the run fails",
  ],
  "parent-told": [
    "its parent is told how to write one",
    "its parent is told each problem",
    "its parent is told the evidence",
    "passes",
    "its parent is told nothing more after `blocks` times; the run fails",
  ],
  recorded: ["the run fails", "the run fails", "the run fails", "passes in a later turn", "at once"],
};

export const CLIENT_NAMES: Readonly<Record<HookClient, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  copilot: "Copilot CLI",
  opencode: "OpenCode",
};

/** When a client lets an agent be given what is known, and how to hand over. */
export const CONTEXT: Readonly<Record<HookClient, string>> = {
  claude: "when the session starts, with each prompt, and when a subagent starts",
  codex: "when the session starts, with each prompt, and when a subagent starts",
  gemini: "with the first prompt, with each prompt, and in the prompt of a subagent",
  copilot: "when the session starts, with each prompt, and when a subagent starts",
  opencode: "with each prompt, and when a subagent starts",
};

/** Where a person sees that an agent was given up, besides `baton status` and the page. */
export const SHOWN_TO_PERSON: Readonly<Record<HookClient, string>> = {
  claude: "in the terminal; with `-p` not at all",
  codex: "in the terminal; with `exec` not at all",
  gemini: "in the terminal, also with `-p`",
  copilot: "not at all",
  opencode: "in the terminal; with `run` in its log only",
};

const NO_WORKFLOWS = "only Claude Code has dynamic workflows";

export const GATE_TABLE: readonly Cell[] = [
  ...cells("claude", {
    main: [
      "sent-back",
      "at the end of each turn. While agents that it has started work in the background, a turn may end without a handoff; the session may not",
    ],
    subagent: ["sent-back", ""],
    background: ["sent-back", "this is how Claude Code starts subagents unless its model says otherwise"],
    nested: ["sent-back", ""],
    workflow: ["sent-back", "its type is `workflow-subagent`"],
    schema: [
      "recorded",
      "with `--json-schema`, or in a dynamic workflow: its structured answer is judged; Claude Code ends it whatever a hook says",
    ],
  }),
  ...cells("codex", {
    main: ["sent-back", "once you have trusted the hooks"],
    subagent: ["sent-back", "without a role its type is `default`"],
    background: [
      "sent-back",
      "as long as its parent works: Codex cuts it off when the session ends, and then its handoff is recorded as missing",
    ],
    nested: ["sent-back", "where you allow them: `max_depth = 2` or more under `[agents]` in `config.toml`"],
    workflow: ["none", NO_WORKFLOWS],
    schema: [
      "sent-back",
      "with `--output-schema`: its answer is the handoff, so the schema must allow one of a JSON format",
    ],
  }),
  ...cells("gemini", {
    main: ["sent-back", "at the end of each turn"],
    subagent: [
      "sent-back",
      'at the tool `complete_task`, with which it hands its result over. Gemini does not tell its type, so name `"*"`. One that never calls the tool is ended by Gemini with an error to its parent, and Baton does not hear of it',
    ],
    background: ["none", "Gemini waits for each of them"],
    nested: ["none", "subagents are not given the tool that starts one"],
    workflow: ["none", NO_WORKFLOWS],
    schema: ["none", "Gemini has no option for it"],
  }),
  ...cells("copilot", {
    main: [
      "sent-back",
      "Copilot does not tell its last message: it is read from the transcript, which is written a moment later. When it is not there within a second, the agent passes, and its handoff is recorded as unread",
    ],
    subagent: ["sent-back", ""],
    background: ["sent-back", "its parent is woken when it has ended"],
    nested: ["sent-back", ""],
    workflow: ["none", NO_WORKFLOWS],
    schema: ["none", "Copilot has no option for it"],
  }),
  ...cells("opencode", {
    main: [
      "recorded",
      "OpenCode has no hook that could send it back; what is wrong is shown to you. Let Baton drive it instead: `run: { acp: [opencode, acp] }` in a workflow ([how](../4-workflows.md))",
    ],
    subagent: ["parent-told", "in the result of the tool `task`; whether it asks again is up to its model"],
    background: [
      "parent-told",
      "where you allow them (`OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS=true`), in the message that tells of its end. `opencode run` cuts it off when the main agent ends, and then its handoff is recorded as missing",
    ],
    nested: [
      "parent-told",
      "where you allow them: `subagent_depth` of 2 or more in `opencode.json`, and `permission: { task: allow }` for the agent that starts it",
    ],
    workflow: ["none", NO_WORKFLOWS],
    schema: ["none", "OpenCode has no option for it"],
  }),
];

function cells(client: HookClient, row: Readonly<Record<AgentKind, readonly [Gated, string]>>): Cell[] {
  return Object.entries(row).map(([agent, [is, note]]) => ({ client, agent: agent as AgentKind, is, note }));
}
