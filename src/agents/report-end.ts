import type { AgentReport, AgentSession, ToldWork } from "../ports/agent.ts";
import { printable } from "../shared/printable.ts";
import type { ProgramEnd } from "./process-group/start-program.ts";

/** What a client told about its work by the time it ended. */
export interface Told {
  readonly lastMessage: string | null;
  readonly tokens: number | null;
  readonly money: number | null;
  readonly session: string | null;
  /** Why the work failed, in the client's own words; null when it says that it did not. */
  readonly problem: string | null;
  /** The last thing on its error output, for when it says nothing else. */
  readonly lastError: string | null;
  /** Of files and tokens on the way; null when it tells nothing of the kind. */
  readonly work: ToldWork | null;
}

export const NOTHING_TOLD: Told = {
  lastMessage: null,
  tokens: null,
  money: null,
  session: null,
  problem: null,
  lastError: null,
  work: null,
};

const LONGEST_MESSAGE = 1000;

export function reportEnd(ended: ProgramEnd, told: Told): AgentReport {
  return {
    end: endOf(ended, told),
    message: printable(describe(ended, told).slice(0, LONGEST_MESSAGE)),
    ...(ended.isMissing === true && { isPermanent: true }),
    lastMessage: told.lastMessage === null || told.lastMessage.trim() === "" ? null : told.lastMessage,
    usage: { milliseconds: Math.round(ended.milliseconds), tokens: told.tokens, money: told.money },
    session: told.session,
    work: told.work,
  };
}

/** For a job that cannot even be tried. */
export function refuseJob(reason: string): AgentSession {
  const message = printable(reason.slice(0, LONGEST_MESSAGE));
  const usage = { milliseconds: 0, tokens: null, money: null };
  const report: AgentReport = { end: "could-not-start", message, lastMessage: null, usage, session: null };
  return { ended: Promise.resolve(report), stop: () => undefined };
}

function endOf(ended: ProgramEnd, told: Told): AgentReport["end"] {
  if (ended.end === "exited") return ended.exitCode === 0 && told.problem === null ? "finished" : "crashed";
  if (ended.end === "dismissed") return told.problem === null ? "finished" : "crashed";
  return ended.end;
}

function describe(ended: ProgramEnd, told: Told): string {
  const unending = ended.unending.length === 0 ? "" : `; the kernel could not end ${ended.unending.join(", ")}`;
  return `${describeEnd(ended, told)}${unending}`;
}

function describeEnd(ended: ProgramEnd, told: Told): string {
  switch (ended.end) {
    case "could-not-start":
      return ended.problem ?? "it could not be started";
    case "timed-out":
      return `no end after ${(ended.milliseconds / 1000).toFixed(1)} s`;
    case "flooded":
      return "it printed more than its limit";
    case "stopped":
      return "it was stopped";
    case "dismissed":
      return told.problem ?? "finished";
    case "exited":
      return describeExit(ended, told);
    default:
      return ended.end satisfies never;
  }
}

function describeExit(ended: ProgramEnd, told: Told): string {
  if (ended.exitCode === 0) return told.problem ?? "finished";
  const how = ended.signal === null ? `exit code ${ended.exitCode}` : `ended by ${ended.signal}`;
  const said = told.problem ?? told.lastError;
  return said === null ? how : `${how}: ${said}`;
}
