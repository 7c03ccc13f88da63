import { relative, isAbsolute } from "node:path";
import type { ObservedUsage, OtherWork, SessionUsage } from "../../workflow/input.ts";
import { recordIn } from "./find-message.ts";
import type { HookCall } from "./hook-call.ts";
import { readEnd } from "./read-end.ts";
import { type CountedUsage, keepCounted, readCounted } from "./session-folder.ts";
import { TRANSCRIPT_USAGE, type UsageEntry, claudeChanges, claudeSessionCost } from "./transcript-usage.ts";

/** Requests that may be written again behind others. */
const MAX_KEPT = 50;

/**
 * What an agent has used so far, by the transcript of its client; undefined where that does not say. What was counted
 * before is kept with the place up to which it was, so that a long transcript is read once, a part at each stop. It can
 * only be too little when something was passed over, which it says.
 */
export function countUsage(stateFolder: string, call: HookCall): ObservedUsage | undefined {
  const path = transcriptOf(call);
  const client = TRANSCRIPT_USAGE[call.client];
  if (path === null || client === null) return undefined;
  const kept = readCounted(stateFolder, call);
  const before = kept?.path === path ? kept : { path, offset: 0, tokens: 0, last: [] };
  const end = readEnd(path, before.offset);
  if (end === null) return undefined;
  const start = end.end < before.offset ? { ...before, tokens: 0, last: [] } : before;
  const records = end.lines.filter((line) => client.marks.some((mark) => line.includes(mark))).flatMap(recordIn);
  const entries = records.flatMap((record) => client.entry(record, call) ?? []);
  const counted = { ...start, ...added(start, entries), offset: end.end };
  const isSum = client.tells === "sum";
  if (counted.tokens === 0 && entries.length === 0) return undefined;
  keepCounted(stateFolder, call, counted);
  const isWhole = client.isWhole(records, call) && (isSum ? entries.length > 0 : !end.hasGap);
  return { tokens: counted.tokens, ...(!isWhole && { isPart: true }) };
}

/** Each request once, with its last figure. */
function added({ tokens, last }: CountedUsage, entries: readonly UsageEntry[]): Pick<CountedUsage, "tokens" | "last"> {
  const known = new Map(last.map((entry) => [entry.id, entry.tokens]));
  let sum = tokens;
  for (const { id, tokens: used } of entries) {
    sum += used - (known.get(id) ?? 0);
    known.set(id, used);
  }
  return { tokens: Math.max(0, sum), last: [...known].map(([id, used]) => ({ id, tokens: used })).slice(-MAX_KEPT) };
}

/** A subagent has a transcript of its own, but for Copilot, where it stands in that of the main agent. */
function transcriptOf({ client, moment, transcript, agentTranscript }: HookCall): string | null {
  if (moment !== "agent-stop") return transcript;
  return client === "copilot" ? transcript : agentTranscript;
}

/** What an agent that owes no handoff has done. */
export function countOtherWork(stateFolder: string, root: string, call: HookCall): OtherWork {
  const usage = countUsage(stateFolder, call);
  const files = changedFiles(root, call);
  return { ...(usage !== undefined && { usage }), ...(files !== null && { files }) };
}

const MAX_FILES = 50;

/** Files of the repository; null where it is not known which. */
function changedFiles(root: string, { client, agentTranscript }: HookCall): string[] | null {
  if (client !== "claude" || agentTranscript === null) return null;
  const end = readEnd(agentTranscript, 0);
  if (end === null || end.hasGap) return null;
  const lines = end.lines.filter((line) => line.includes('"tool_use"') || line.includes('"is_error":true'));
  const paths = claudeChanges(lines.flatMap(recordIn)).map((path) => relative(root, path));
  return paths.filter((path) => path !== "" && !path.startsWith("..") && !isAbsolute(path)).slice(0, MAX_FILES);
}

/** What the client says at its end that the session has used; undefined where it says nothing. */
export function countSession(stateFolder: string, call: HookCall): SessionUsage | undefined {
  const end = call.client === "claude" && call.transcript !== null ? readEnd(call.transcript, 0) : null;
  const lines = end?.lines.filter((line) => line.includes('"cost-state"') || line.includes('"type":"assistant"')) ?? [];
  const cost = claudeSessionCost(lines.flatMap(recordIn), call.session);
  if (cost !== null) return { ...cost, covers: "session" };
  const main = countUsage(stateFolder, call);
  return main === undefined ? undefined : { ...main, money: null, covers: "main" };
}
