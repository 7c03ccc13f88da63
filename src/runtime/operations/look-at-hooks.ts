import { CLIENT_SETUPS } from "../doctor/client-setups.ts";
import type { SettingsMachine } from "../doctor/doctor-machine.ts";
import { readFailedCalls, readHeard } from "../hooks/heard-of.ts";
import { momentOf } from "../hooks/hook-call.ts";
import { type FoundRules, findRules } from "../hooks/session-rules.ts";
import { type HookStatus, type NamedHooks, type SessionsStanding, hookStatus } from "../../views/hook-notices.ts";
import { sessionAgents } from "../../workflow/file/sessions-section.ts";

export type { HookStatus } from "../../views/hook-notices.ts";

interface HooksPlace {
  /** The settings of clients are looked at only where agents owe handoffs. */
  readonly settings: () => SettingsMachine | Promise<SettingsMachine>;
  readonly root: string;
  readonly mark: string;
  readonly stateFolder: string;
  readonly configFolder: string;
}

/** Which hooks of clients were heard of, and what keeps handoffs from being checked. */
export async function lookAtHooks({ stateFolder, settings, ...place }: HooksPlace): Promise<HookStatus> {
  const found = await findRules({ ...place, mark: () => place.mark });
  const [heard, failed] = [readHeard(stateFolder), readFailedCalls(stateFolder)];
  const named = found.is === "trusted" ? namedHooks(await settings()) : [];
  return hookStatus(standingOf(found), { heard, failed, named, endOf, now: Date.now() });
}

function namedHooks(machine: SettingsMachine): NamedHooks[] {
  return CLIENT_SETUPS.flatMap((setup) => {
    const { client, title } = setup;
    const { file, toTrust, dead } = setup.hooks(machine);
    return file === null ? [] : [{ client, title, file, toTrust, dead }];
  });
}

function endOf(event: string): "agent" | "session" | null {
  const moment = momentOf(event);
  if (moment === "session-end") return "session";
  return moment === "stop" || moment === "agent-stop" ? "agent" : null;
}

function standingOf(found: FoundRules): SessionsStanding {
  if (found.is === "trusted") return { is: found.is, owes: sessionAgents(found.rules.section).length > 0 };
  return found.is === "wrong" ? { is: found.is, why: found.why } : { is: found.is };
}
