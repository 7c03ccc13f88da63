import { type Infer, data } from "../protocol/shape.ts";
import { utcOf } from "../shared/utc-time.ts";

/** What became of a call of a hook. */
const HOOK_RESULTS = [
  /** The agent owes no handoff, or the event has none. */
  "passed",
  "accepted",
  "sent-back",
  /** The agent was sent back as often as allowed, and passed without a valid handoff. */
  "given-up",
  /** The message of the agent could not be read: it passed. */
  "unread",
  /** The section `sessions`, or a format in it, is not trusted: nothing was done. */
  "not-trusted",
  /** The input of the hook was empty, cut off or of an event that is not known. */
  "unusable",
  "failed",
] as const;
export type HookOutcome = (typeof HOOK_RESULTS)[number];

export const heardCallShape = data.record({
  client: data.text({ maxLength: 40 }),
  /** As the client calls it. */
  event: data.text({ maxLength: 80 }),
  /** Milliseconds since 1970. */
  at: data.count(),
  result: data.oneOf(HOOK_RESULTS),
  says: data.text({ maxLength: 500 }),
});
/** One call of a hook. */
export type HeardCall = Infer<typeof heardCallShape>;

const hookNoticeShape = data.record({
  /** The client that it is about; null for all. */
  client: data.nullable(data.text()),
  says: data.text(),
  /** What mends it: a command in backticks, or what the user has to do. */
  fix: data.text(),
});
/** One thing that keeps handoffs from being checked, for every surface. */
type HookNotice = Infer<typeof hookNoticeShape>;

export const hookStatusShape = data.record({
  /** Whether agents of this repository owe handoffs in their own clients. */
  is_wanted: data.boolean(),
  /** The last call of each client and event, the newest first. */
  heard: data.list(heardCallShape),
  /** The last call of each client that failed. */
  failed: data.list(heardCallShape),
  /** What keeps handoffs from being checked; empty when nothing does. */
  notices: data.list(hookNoticeShape),
});
/**
 * Which hooks of clients were heard of. Every client goes on in silence where a hook is missing, not trusted or broken.
 */
export type HookStatus = Infer<typeof hookStatusShape>;

/** What the repository says about sessions, as far as notices depend on it. */
export type SessionsStanding =
  | { readonly is: "absent" }
  | { readonly is: "wrong"; readonly why: string }
  | { readonly is: "not-trusted" }
  /** `owes` says whether any agent owes a handoff. */
  | { readonly is: "trusted"; readonly owes: boolean };

/** The hooks of Baton in the settings of a client. */
export interface NamedHooks {
  readonly client: string;
  /** What the client is called. */
  readonly title: string;
  readonly file: string;
  /** What the user has still to do before the client runs them; null when nothing. */
  readonly toTrust: string | null;
  /** The program that they name and that is not there; null when it is, or where that is not known. */
  readonly dead: string | null;
}

interface Heard {
  readonly heard: readonly HeardCall[];
  readonly failed: readonly HeardCall[];
  /** What an event comes at the end of, whatever the client calls it. */
  readonly endOf: (event: string) => "agent" | "session" | null;
  readonly now: number;
  /** Clients that have hooks of Baton in their settings. */
  readonly named: readonly NamedHooks[];
}

export function hookStatus(sessions: SessionsStanding, { heard, failed, named, ...at }: Heard): HookStatus {
  const isChecking = sessions.is === "trusted" && sessions.owes;
  const notices = [
    ...standingNotices(sessions),
    ...(isChecking ? [...named.flatMap((hooks) => settingNotices(hooks, heard)), ...silentHooks(heard, at)] : []),
    ...failed.flatMap((call) => failureNotice(call, heard)),
  ];
  return { is_wanted: sessions.is !== "absent", heard: [...heard], failed: [...failed], notices };
}

function standingNotices(sessions: SessionsStanding): HookNotice[] {
  const notice = (says: string, fix: string): HookNotice[] => [{ client: null, says, fix }];
  switch (sessions.is) {
    case "wrong":
      return notice(`Handoffs of sessions are not checked: ${sessions.why}.`, "`baton check` says what is wrong.");
    case "not-trusted":
      return notice(
        "Handoffs of sessions are not checked: baton.yaml, or the workflow that it names, is not trusted.",
        "Look at it with `baton check`, then `baton trust`.",
      );
    case "absent":
    case "trusted":
      return [];
  }
}

/** A hook that its client skips, or whose program is gone. One that was heard of since may be given in another way. */
function settingNotices({ client, title, file, toTrust, dead }: NamedHooks, heard: readonly HeardCall[]): HookNotice[] {
  const notice = (says: string, fix: string): HookNotice[] => [{ client, says, fix }];
  if (dead !== null)
    return notice(
      `The hooks of ${title} in ${file} name ${dead}, which is not there: ${title} goes on in silence.`,
      "Name the installed program there, or install the plugin: `baton doctor` says how.",
    );
  if (toTrust === null || heard.some((call) => call.client === client)) return [];
  return notice(
    `The hooks of ${title} in ${file} are not trusted by ${title}, which skips them in silence: its agents are not checked.`,
    `To trust them, ${toTrust}.`,
  );
}

/** After this time, agents of a session have come to an end. */
const FIRST_END = 15 * 60_000;

/** A client whose hooks were heard of at other events calls some hooks and not those that check. */
function silentHooks(heard: readonly HeardCall[], { endOf, now }: Pick<Heard, "endOf" | "now">): HookNotice[] {
  const doctor = "`baton doctor` says which client calls no hooks, and why.";
  if (heard.length === 0)
    return [
      {
        client: null,
        says: "No hook of any client was heard of: the handoffs of agents are not checked.",
        fix: `${doctor} After the first session of a client here, look again.`,
      },
    ];
  const clients = [...new Set(heard.map(({ client }) => client))];
  return clients.flatMap((client) => {
    const own = heard.filter((call) => call.client === client);
    const isOver = own.some(({ event, at }) => endOf(event) === "session" || now - at > FIRST_END);
    if (!isOver || own.some(({ event }) => endOf(event) === "agent")) return [];
    const last = Math.max(...own.map(({ at }) => at));
    const says = `Hooks of ${client} were heard of, the last one at ${moment(last)}, but none at the end of an agent: no handoff of ${client} was checked.`;
    return [{ client, says, fix: "`baton doctor` looks at its hooks; where they are new, start it again." }];
  });
}

/** A failure is told until the same event went well. */
function failureNotice({ client, event, at, says }: HeardCall, heard: readonly HeardCall[]): HookNotice[] {
  if (heard.some((call) => call.client === client && call.event === event && call.at > at)) return [];
  const what = `The hook ${event} of ${client} could not be answered at ${moment(at)}, and the agent was let pass: ${says}.`;
  return [{ client, says: what, fix: "`baton doctor` looks at what it needs." }];
}

function moment(at: number): string {
  return `${utcOf(at).slice(0, 16).replace("T", " ")} UTC`;
}
