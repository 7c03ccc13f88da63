import type { JsonRecord } from "../shared/json-value.ts";
import { toUtc } from "../shared/utc-time.ts";
import { headlineOf, sayParts } from "./dialects/say-parts.ts";
import { kebabCase, present } from "./dialects/lift-and-lower.ts";
import { withNamedParts } from "./dialects/phase-yaml/named-context.ts";
import { type Handoff, type Outcome, groupsOf } from "./handoff.ts";
import { writeJson } from "./syntax/json.ts";
import type { WriteNote, WriteOptions, Written } from "./write-handoff.ts";

/** The name of this target of `convert`. It is no dialect: such a task is written for other programs, and never read. */
export const A2A = "a2a";

/** The extension of A2A by which a program knows that a data part is a canonical handoff. */
const EXTENSION = "urn:baton:handoff:1";

/** What may go on is completed, what must stop waits for input with its reason. */
const STATES: Readonly<Record<Outcome, string>> = {
  done: "TASK_STATE_COMPLETED",
  "done-with-warnings": "TASK_STATE_COMPLETED",
  "needs-review": "TASK_STATE_INPUT_REQUIRED",
  "needs-fixes": "TASK_STATE_INPUT_REQUIRED",
  failed: "TASK_STATE_FAILED",
  blocked: "TASK_STATE_INPUT_REQUIRED",
  "in-progress": "TASK_STATE_WORKING",
  pending: "TASK_STATE_SUBMITTED",
  skipped: "TASK_STATE_COMPLETED",
};

/** Outcomes that a state says as they are. */
const EXACT: ReadonlySet<Outcome> = new Set(["done", "failed", "blocked", "in-progress", "pending"]);

/** Writes a handoff as a task of the A2A protocol 1.0: a state with its reason, the handoff as data, each file as an artifact. */
export function writeA2aTask(stated: Handoff, options: WriteOptions = {}): Written {
  const handoff = withNamedParts(stated);
  const notes: WriteNote[] = [];
  const from = handoff.from ?? options.from;
  const at = handoff.at ?? options.now;
  const id = taskId(handoff, from, at, notes);
  const contextId = contextOf(handoff, options) ?? id;
  const message = statusMessage(handoff, id, contextId);
  const document = present({
    id,
    contextId,
    status: present({ state: STATES[handoff.outcome], message, timestamp: at === undefined ? at : timestampOf(at) }),
    artifacts: [...(options.carry === false ? [] : [handoffArtifact(stated, from)]), ...fileArtifacts(handoff)],
  });
  if (!EXACT.has(handoff.outcome)) notes.push(outcomeNote(handoff));
  if (options.carry === false) notes.push(lostNote());
  return { text: writeJson(document), document, notes };
}

/** In UTC and with seconds, as the protocol has its timestamps; a text that is no time is left to the handoff itself. */
function timestampOf(at: string): string | undefined {
  return toUtc(at)?.replace(/T(\d{2}:\d{2})Z$/, "T$1:00Z");
}

/** A task must have an id; the time of the handoff tells those of one agent apart. */
function taskId(handoff: Handoff, from: string | undefined, at: string | undefined, notes: WriteNote[]): string {
  if (handoff.task?.id !== undefined) return handoff.task.id;
  const id = [kebabCase(from ?? "handoff"), at].filter((part) => part !== undefined).join("-");
  const message = `\`id\` was filled in with ${JSON.stringify(id)}: the source names no task.`;
  notes.push({ code: "filled", severity: "warning", part: "id", message });
  return id;
}

function contextOf({ issue }: Handoff, options: WriteOptions): string | undefined {
  const number = issue?.number ?? options.issue;
  return number === undefined ? undefined : `issue-${number}`;
}

/** What the state means here: the reason why it waits, what failed, or the remark of completed work. */
function statusMessage(handoff: Handoff, id: string, contextId: string): JsonRecord | undefined {
  const headline = headlineOf(handoff);
  const reasons = [
    ...sayParts(handoff, ["remark", "loop", "onFailure", "blockedReason", "blockers", "error"], headline),
    ...sayParts(handoff, ["issues", "failures", "questions", "attempted"], headline),
  ];
  const text = [headline, ...reasons].filter((line) => line !== undefined && line.trim() !== "").join("\n");
  if (text === "") return undefined;
  const parts = [{ text, mediaType: "text/plain" }];
  return { messageId: `${id}-status`, contextId, taskId: id, role: "ROLE_AGENT", parts };
}

function handoffArtifact(handoff: Handoff, from: string | undefined): JsonRecord {
  return {
    artifactId: "handoff",
    name: from === undefined ? "Handoff" : `Handoff of ${from}`,
    parts: [{ data: { ...handoff }, mediaType: "application/json" }],
    extensions: [EXTENSION],
  };
}

function fileArtifacts(handoff: Handoff): JsonRecord[] {
  const { work } = groupsOf(handoff);
  const files = [
    ...(work.artifacts ?? []).map(({ path, purpose }) => ({ path, about: purpose })),
    ...[...(work.created ?? []), ...(work.modified ?? [])]
      .filter((file) => file.change_type !== "delete")
      .map(({ path, purpose, description }) => ({ path, about: purpose ?? description })),
  ];
  const named = new Map(files.flatMap((file) => (file.path === undefined ? [] : [[file.path, file.about] as const])));
  return [...named].map(([path, description], at) =>
    present({
      artifactId: `file-${at + 1}`,
      name: path,
      description,
      parts: [{ url: urlOf(path), filename: path.split("/").at(-1) ?? path }],
    }),
  );
}

/** A path from the project root as a relative URL: a space, `#` or `?` in a name is none of the URL's own. */
function urlOf(path: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) return path;
  return path.replaceAll(LONE_SURROGATE, "\uFFFD").split("/").map(encodeURIComponent).join("/");
}

const LONE_SURROGATE = /\p{Cs}/gu;

function outcomeNote({ outcome }: Handoff): WriteNote {
  const message = `\`outcome\` reads as ${STATES[outcome]} instead of "${outcome}" in ${A2A}; its message says more.`;
  return { code: "loss", severity: "warning", part: "outcome", message };
}

function lostNote(): WriteNote {
  const message = `The handoff itself is left out: of it, ${A2A} has the state, its message and the files.`;
  return { code: "loss", severity: "warning", part: "handoff", message };
}
