import type { Engine } from "../engine.ts";
import type { Problem } from "../../workflow/input.ts";
import { type SessionsSection, MAIN_AGENT, owedBy, sessionAgents } from "../../workflow/file/sessions-section.ts";
import type { RunState } from "../../workflow/state.ts";
import { AppError } from "../../shared/app-error.ts";
import { readRun } from "../read-run.ts";
import type { HookCall, HookClient } from "./hook-call.ts";
import { Observer, runOfSession } from "./observer.ts";
import { readStopped } from "./read-stopped.ts";
import { keepSubmitted, readBaseOfTask } from "./session-folder.ts";
import { type SessionRules, findRules } from "./session-rules.ts";

/** A session of a client, by the client's own id of it. */
export interface SessionName {
  readonly client: HookClient;
  readonly session: string;
}

interface Submitting {
  readonly root: string;
  readonly mark: () => string;
  readonly configFolder: string;
  readonly in: SessionName;
  /** The type of the agent, as its client calls it, or its name in the run; the only one at work unless given. */
  readonly agent: string | undefined;
  /** The run that it believes to work for, or the beginning of its id. */
  readonly claimed: string | undefined;
  readonly text: string;
}

type Submitted =
  | { readonly is: "taken"; readonly place: SubmittedPlace; readonly dialect: string; readonly outcome: string }
  | { readonly is: "refused"; readonly place: SubmittedPlace; readonly problems: readonly Problem[] };

interface SubmittedPlace {
  readonly run: string;
  readonly agent: string;
  /** Null where nothing was heard of its beginning. */
  readonly attempt: string | null;
}

/**
 * Takes the handoff of an agent of an observed session. It is checked like a last message, and counts when the agent
 * stops: then it is checked once more, against what the files are by then, and recorded.
 */
export async function submitInSession(engine: Engine, submitting: Submitting): Promise<Submitted> {
  const { ports, stateFolder } = engine;
  const rules = await trustedRules(submitting);
  const { section } = rules;
  const run = runOfSession(submitting.in);
  if (submitting.claimed !== undefined && !run.startsWith(submitting.claimed))
    throw refusal(
      `Your session is run ${run}: a handoff for another run is not taken from you.`,
      "Leave out `run`, or name your own.",
    );
  const row = await ports.log.run(run);
  if (row === null || row.finished || row.sequence === 0) throw notHeardOf(submitting.in, row !== null);
  const { state } = await readRun(ports, row);
  const own = chooseAgent(section, state, submitting.agent);
  const place = { run, agent: own.agent, attempt: state.tasks[own.task]?.step?.attempt ?? null };
  const agents = sessionAgents(section).map(({ as }) => as);
  const options = { format: own.format, agents, formats: rules.formats };
  const masked = ports.redact(submitting.text);
  const { handoff, problems } = readStopped(masked, options);
  if (handoff === null) return { is: "refused", place, problems };
  const untrue = section.verify ? await refuted(engine, submitting, { rules, own, handoff }) : [];
  if (untrue.length > 0) return { is: "refused", place, problems: untrue };
  keepSubmitted(stateFolder, submitting.in, own.task, masked);
  return { is: "taken", place, dialect: handoff.dialect, outcome: handoff.outcome };
}

async function trustedRules({ root, mark, configFolder }: Submitting): Promise<SessionRules> {
  const found = await findRules({ root, mark, configFolder });
  if (found.is === "absent") throw refusal("No agent of this repository owes a handoff in its own client.");
  if (found.is === "wrong") throw refusal(`Handoffs of sessions are not checked here: ${found.why}.`);
  if (found.is === "not-trusted")
    throw refusal("Handoffs of sessions are not checked here: baton.yaml is not trusted. A person does `baton trust`.");
  if (!found.rules.section.record) throw refusal("Sessions are not recorded here, so there is no run to hand in for.");
  return found.rules;
}

const LAST_MESSAGE = "End your last message with the handoff: it is checked when you stop.";

function refusal(why: string, hint = LAST_MESSAGE): AppError {
  return new AppError("conflict", `${why} Nothing was taken.`, hint);
}

function notHeardOf({ client, session }: SessionName, wasThere: boolean): AppError {
  const which = `session ${session.slice(0, 100)} of ${client}`;
  return wasThere
    ? refusal(`The ${which} has ended, as far as Baton has heard.`)
    : refusal(
        `Baton has not heard of a ${which} in this repository.`,
        `${LAST_MESSAGE} \`baton doctor\` looks at hooks.`,
      );
}

interface OwnAgent {
  readonly task: string;
  readonly agent: string;
  readonly format: string;
}

type AtWork = readonly [task: string, agent: string];

/** Agents that owe a handoff and are at work; the main agent is, as long as the session is open. */
function owingAgents({ main }: SessionsSection, { tasks }: RunState): AtWork[] {
  const heard = Object.values(tasks).flatMap(({ id, step }): AtWork[] => (step === null ? [] : [[id, step.agent]]));
  const hasMain = main === null || heard.some(([task]) => task === MAIN_AGENT);
  return hasMain ? heard : [...heard, [MAIN_AGENT, main.as]];
}

/** Which agent hands in: the client tells no server which of its agents has called it. */
function chooseAgent(section: SessionsSection, state: RunState, named: string | undefined): OwnAgent {
  const owing = owingAgents(section, state);
  const others = Object.values(state.others ?? {});
  const names = [...owing.map(([, agent]) => agent), ...others].join(", ");
  if (named === undefined && owing.length + others.length > 1)
    throw refusal(`Several agents of this session are at work: ${names}.`, "Name yours with `agent`.");
  const as = named === undefined ? null : (owedBy(section, named, named === MAIN_AGENT)?.as ?? named);
  const found = owing.filter(([task, agent]) => as === null || agent === as || task === as);
  const [own, ...more] = found;
  if (own === undefined) throw refusal(whyNone(named, others, names));
  if (more.length > 0)
    throw refusal(`${found.length} agents ${as ?? ""} of this session are at work: which one you are cannot be told.`);
  const [task, agent] = own;
  return { task, agent, format: formatOf(section, agent) };
}

function formatOf(section: SessionsSection, agent: string): string {
  const format = sessionAgents(section).find(({ as }) => as === agent)?.format ?? null;
  if (format === null) throw refusal(`It is not said in which format ${agent} hands over.`);
  return format;
}

function whyNone(named: string | undefined, others: readonly string[], names: string): string {
  if (named !== undefined && others.includes(named)) return `${named} owes no handoff in this repository.`;
  const which =
    named === undefined ? "No agent of this session that owes a handoff" : `No agent ${named} of this session`;
  return `${which} is at work${names === "" ? "" : `; at work: ${names}`}.`;
}

/** What of the handoff is not true as the files are now. */
async function refuted(
  { ports, stateFolder, root }: Engine,
  { in: session }: Submitting,
  { rules, own, handoff }: { rules: SessionRules; own: OwnAgent; handoff: Parameters<Observer["verify"]>[0] },
): Promise<readonly Problem[]> {
  const observer = new Observer(ports, root, { call: callOf(session), rules, stateFolder, task: own.task });
  const base = readBaseOfTask(stateFolder, session, own.task);
  const { judgements, problems } = await observer.verify(handoff, { agent: own.agent, base });
  return [...problems, ...observer.refusals(judgements, own.agent)];
}

/** The session alone: nothing else of a call is known. */
function callOf({ client, session }: SessionName): HookCall {
  return {
    client,
    session,
    event: "submit_handoff",
    moment: "stop",
    directory: null,
    agentType: null,
    agentId: null,
    calledAt: null,
    turn: null,
    message: null,
    waitsForAgents: false,
    transcript: null,
    agentTranscript: null,
    prompt: null,
    toolInput: null,
  };
}
