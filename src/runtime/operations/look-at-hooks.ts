import { type HeardCall, readFailedCalls, readHeard } from "../hooks/heard-of.ts";
import { type HookMoment, momentOf } from "../hooks/hook-call.ts";
import { type FoundRules, findRules } from "../hooks/session-rules.ts";
import { sessionAgents } from "../../workflow/file/sessions-section.ts";

export interface HookStatus {
  /** The last call of each client and event, the newest first. */
  readonly heard: readonly HeardCall[];
  /** The last call of each client that failed. */
  readonly failed: readonly HeardCall[];
  /** What keeps handoffs from being checked, in sentences for the operator; empty when nothing does. */
  readonly notes: readonly string[];
}

interface HooksPlace {
  readonly root: string;
  readonly mark: string;
  readonly stateFolder: string;
  readonly configFolder: string;
}

/** Which hooks of clients were heard of. Clients go on in silence where a hook is missing, not trusted or broken. */
export async function lookAtHooks({ stateFolder, ...place }: HooksPlace): Promise<HookStatus> {
  const [heard, failed] = [readHeard(stateFolder), readFailedCalls(stateFolder)];
  const found = await findRules({ ...place, mark: () => place.mark });
  return { heard, failed, notes: [...notesOn(found, heard), ...failed.flatMap((call) => failureNote(call, heard))] };
}

function notesOn(found: FoundRules, heard: readonly HeardCall[]): string[] {
  switch (found.is) {
    case "absent":
      return [];
    case "wrong":
      return [`Handoffs of sessions are not checked: ${found.why}.`];
    case "not-trusted":
      return [
        "Handoffs of sessions are not checked: baton.yaml, or the workflow that it names, is not trusted. See `baton check`, then `baton trust`.",
      ];
    case "trusted":
      return sessionAgents(found.rules.section).length === 0 ? [] : silentGates(heard);
  }
}

function silentGates(heard: readonly HeardCall[]): string[] {
  if (heard.length === 0) return ["No hook of any client was heard of: agents are not checked. `baton doctor` helps."];
  const clients = [...new Set(heard.map(({ client }) => client))];
  return clients
    .filter((client) => !heard.some((call) => call.client === client && isStop(call)))
    .map((client) => `The hooks of ${client} were heard of, but never at the end of an agent.`);
}

const STOPS: readonly (HookMoment | null)[] = ["stop", "agent-stop"];

function isStop({ event }: HeardCall): boolean {
  return STOPS.includes(momentOf(event));
}

/** A failure is told until the same event went well. */
function failureNote(failed: HeardCall, heard: readonly HeardCall[]): string[] {
  const { client, event, at, says } = failed;
  if (heard.some((call) => call.client === client && call.event === event && call.at > at)) return [];
  return [`The hook ${event} of ${client} could not be answered at ${new Date(at).toISOString()}: ${says}.`];
}
