import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { type HookRoom, hookRooms, taskHandoff } from "./hook-room.ts";

/**
 * Codex publishes JSON Schemas of what its hooks are given and may answer (`codex-rs/hooks/schema/generated` of its
 * repository). With BATON_CODEX_SCHEMAS naming a copy of that folder, our samples of the one and our answers of every
 * kind are compared with them; without it the same calls are made and only their answers are looked at.
 */
const schemas = process.env["BATON_CODEX_SCHEMAS"];

const room = hookRooms();
const SESSION = "0199a213-81c0-7800-8aa1-bbab2a035a53";

const SECTION = `baton: 1
sessions:
  blocks: 1
  main: { format: task-yaml }
  agents: { reviewer: { format: task-yaml } }
`;

/** A call of a hook as Codex makes it. */
interface Call {
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const EVENTS = ["SessionStart", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "SessionEnd"] as const;
type Event = (typeof EVENTS)[number];

function callOf(made: HookRoom, event: Event, more: Readonly<Record<string, unknown>> = {}): Call {
  const transcript_path = join(made.root, "rollout.jsonl");
  const common = { session_id: SESSION, transcript_path, cwd: made.root, hook_event_name: event };
  const turn = { model: "gpt-6-sol", permission_mode: "default", turn_id: "0199a213-turn" };
  const agent = { agent_id: "0199a213-agent", agent_type: "reviewer" };
  const stop = { stop_hook_active: false, last_assistant_message: "done" };
  const inputs: Readonly<Record<Event, object>> = {
    SessionStart: { model: turn.model, permission_mode: turn.permission_mode, source: "startup" },
    UserPromptSubmit: { ...turn, prompt: "Review it." },
    SubagentStart: { ...turn, ...agent },
    SubagentStop: { ...turn, ...agent, ...stop, agent_transcript_path: transcript_path },
    Stop: { ...turn, ...stop },
    SessionEnd: { reason: "other" },
  };
  return { event, input: { ...common, ...inputs[event], ...more } };
}

interface Answered extends Call {
  readonly answer: Readonly<Record<string, unknown>>;
}

/** A whole session: context at its start, a block, giving up, passing; then one that is not trusted, and one that fails. */
async function everyAnswer(): Promise<Answered[]> {
  const made = room({ "baton.yaml": SECTION });
  const answered: Answered[] = [];
  const call = async (at: HookRoom, event: Event, more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    const made_ = callOf(at, event, more);
    const { answer } = await at.hook(event, "codex", made_.input);
    answered.push({ ...made_, answer });
  };
  await call(made, "Stop");
  await made.run("trust");
  await call(made, "SessionStart");
  await call(made, "UserPromptSubmit");
  await call(made, "SubagentStart");
  await call(made, "UserPromptSubmit", { agent_id: "0199a213-agent", agent_type: "reviewer" });
  for (const last_assistant_message of [null, "done", "done", taskHandoff()])
    await call(made, "SubagentStop", { last_assistant_message });
  for (const last_assistant_message of ["done", "done", taskHandoff()])
    await call(made, "Stop", { last_assistant_message, stop_hook_active: true });
  await call(made, "SessionEnd");
  const wrong = room({ "baton.yaml": "baton: 1\nsessions: { agents: [1] }\n" });
  for (const event of EVENTS) await call(wrong, event);
  return answered;
}

const session = everyAnswer();

it("every kind of answer is given to Codex", async () => {
  const kinds = (await session).map(({ answer }) => Object.keys(answer).sort().join());
  expect(new Set(kinds)).toEqual(new Set(["", "decision,reason", "hookSpecificOutput", "systemMessage"]));
});

const why = schemas === undefined ? " (BATON_CODEX_SCHEMAS names no folder with them)" : "";
describe.skipIf(schemas === undefined)(`the published schemas of Codex${why}`, () => {
  it("allow what we take for its calls, and what we answer", async () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    const problems = (await session).flatMap(({ event, input, answer }) => [
      ...problemsOf(ajv, fileOf(event, "input"), input),
      ...problemsOf(ajv, fileOf(event, "output"), answer),
    ]);
    expect(problems).toEqual([]);
  });

  it("refuse a call of another event, so that this test can fail", async () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    const [stop] = (await session).filter(({ event }) => event === "Stop");
    expect(problemsOf(ajv, fileOf("SubagentStop", "input"), stop?.input)).not.toEqual([]);
    expect(problemsOf(ajv, fileOf("Stop", "output"), { decision: "deny" })).not.toEqual([]);
  });
});

function fileOf(event: string, side: "input" | "output"): string {
  const name = event.replaceAll(/[A-Z]/g, (letter, at) => `${at === 0 ? "" : "-"}${letter.toLowerCase()}`);
  return join(schemas ?? "", `${name}.command.${side}.schema.json`);
}

/** At the end of a session Codex takes no answer: there is no schema, and we must have nothing to say. */
function problemsOf(ajv: Ajv, path: string, value: unknown): string[] {
  if (!existsSync(path) && path.includes("session-end.command.output"))
    return JSON.stringify(value) === "{}" || isMessage(value) ? [] : [`${path}: ${JSON.stringify(value)}`];
  const validate = ajv.compile(JSON.parse(readFileSync(path, "utf8")) as object);
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${path}${error.instancePath}: ${error.message}`);
}

/** It is not shown there, and does no harm. */
function isMessage(value: unknown): boolean {
  return Object.keys(value as object).join() === "systemMessage";
}
