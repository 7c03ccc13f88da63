import { hasShape } from "../../protocol/find-mismatch.ts";
import { DIALECT_NAMES, type DialectName } from "../../protocol/handoff-words.ts";
import { type Infer, shape } from "../../protocol/shape.ts";
import { isRecord, ownValue } from "../../shared/json-value.ts";
import { may, must } from "./file-field.ts";

/**
 * The section `sessions` of `baton.yaml`: which agents owe a handoff while they work inside their own client. It is read
 * at every stop of an agent, so it has a file of its own, which needs little of the rest of the workflow file.
 */

const SESSION_DEFAULTS = { blocks: 3, verify: true, record: true, context: true } as const;

/** Clients let an agent go after eight blocks: the last word must be ours. */
const MAX_BLOCKS = 7;

const sessionAgentShape = shape.record({
  format: may(
    shape.words(DIALECT_NAMES),
    "The format in which it hands over: one of the five, or one of your own. Without it, that of the agent in `workflow`.",
  ),
  as: may(shape.filledText(), "The agent of `workflow` that it is; the one with its own name unless given."),
});

export const sessionsShape = shape.record({
  agents: may(
    shape.map(sessionAgentShape),
    "Subagents that owe a handoff, by the type that the client calls them by; `*` for every other one. Without it, others are not asked.",
  ),
  main: may(sessionAgentShape, "The main agent owes a handoff, too, at the end of each of its turns."),
  blocks: may(
    shape.number({ integer: true, minimum: 0, maximum: MAX_BLOCKS }),
    "How often an agent is sent back in one turn. Then it passes, and its handoff is recorded as missing, invalid or untrue.",
    SESSION_DEFAULTS.blocks,
  ),
  verify: may(shape.boolean(), "Whether claims are judged against the repository.", SESSION_DEFAULTS.verify),
  record: may(
    shape.boolean(),
    "Whether sessions are recorded as runs. Without it handoffs are only checked.",
    SESSION_DEFAULTS.record,
  ),
  context: may(shape.boolean(), "Whether agents are given what is known when they start.", SESSION_DEFAULTS.context),
  workflow: may(
    shape.filledText(),
    "The workflow whose expectations hold: a file, or one that comes with baton. Deviations are reported; nothing is started.",
  ),
});

/** A `baton.yaml` may hold this section alone. */
export const sessionsFileShape = shape.record({
  baton: must(shape.number({ integer: true, minimum: 1, maximum: 1 }), "Version of this file format: 1."),
  sessions: must(sessionsShape, "Agents that hand over inside their own clients, such as Claude Code or Codex."),
});

/** What one agent owes. */
export interface SessionAgent {
  /** Null where the workflow says it. */
  readonly format: DialectName | null;
  /** The name of the agent in the workflow. */
  readonly as: string;
}

export interface SessionsSection {
  readonly agents: Readonly<Record<string, SessionAgent>>;
  readonly main: SessionAgent | null;
  readonly blocks: number;
  readonly verify: boolean;
  readonly record: boolean;
  readonly context: boolean;
  readonly workflow: string | null;
}

/** Whether a file is about sessions alone, and describes no workflow. */
export function isSessionsFile(file: unknown): boolean {
  return isRecord(file) && Object.hasOwn(file, "sessions") && !WORKFLOW_KEYS.some((key) => Object.hasOwn(file, key));
}

const WORKFLOW_KEYS = ["name", "start", "agents"];

/** The section of a parsed `baton.yaml`; null when it has none, or one that is wrong. */
export function liftSessions(file: unknown): SessionsSection | null {
  const section = isRecord(file) ? ownValue(file, "sessions") : undefined;
  if (!hasShape(sessionsShape, section)) return null;
  const { agents = {}, main, workflow = null } = section;
  const { blocks, verify, record, context } = section;
  return {
    blocks: blocks ?? SESSION_DEFAULTS.blocks,
    verify: verify ?? SESSION_DEFAULTS.verify,
    record: record ?? SESSION_DEFAULTS.record,
    context: context ?? SESSION_DEFAULTS.context,
    agents: Object.fromEntries(
      Object.entries(agents).map(([name, agent]) => [
        name,
        liftAgent(name === EVERY_SUBAGENT ? "subagent" : name, agent),
      ]),
    ),
    main: main === undefined ? null : liftAgent(MAIN_AGENT, main),
    workflow,
  };
}

/** What the main agent of a session is called where the section does not say which agent of the workflow it is. */
export const MAIN_AGENT = "main";

function liftAgent(name: string, { format, as = name }: Infer<typeof sessionAgentShape>): SessionAgent {
  return { format: format ?? null, as };
}

/** Every agent of the section that owes a handoff. */
export function sessionAgents({ agents, main }: SessionsSection): SessionAgent[] {
  return [...Object.values(agents), ...(main === null ? [] : [main])];
}

/** What an agent owes; null when nothing. `type` is null for the main agent of a session that is no agent of a file. */
export function owedBy({ agents, main }: SessionsSection, type: string | null, isMain: boolean): SessionAgent | null {
  const named = type === null ? undefined : (ownValue(agents, type) ?? ownValue(agents, withoutPlugin(type)));
  return named ?? (isMain ? main : (ownValue(agents, EVERY_SUBAGENT) ?? null));
}

/** Gemini does not tell the type of a subagent. */
const EVERY_SUBAGENT = "*";

/** Agents of a plugin are called `plugin:agent`. */
function withoutPlugin(type: string): string {
  return type.slice(type.lastIndexOf(":") + 1);
}
