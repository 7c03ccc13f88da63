import type { AgentReport, AgentSession, ReportedWork } from "../ports/agent.ts";
import { printable } from "../shared/printable.ts";
import type { ProgramEnd } from "./process-group/start-program.ts";

/** What a client told about its work by the time it ended. */
export interface ClientReport {
  readonly lastMessage: string | null;
  readonly tokens: number | null;
  readonly money: number | null;
  readonly session: string | null;
  /** Why the work failed, in the client's own words; null when it says that it did not. */
  readonly problem: string | null;
  /** The last thing on its error output, for when it says nothing else. */
  readonly lastError: string | null;
  /** Of files and tokens on the way; null when it tells nothing of the kind. */
  readonly work: ReportedWork | null;
}

export const EMPTY_CLIENT_REPORT: ClientReport = {
  lastMessage: null,
  tokens: null,
  money: null,
  session: null,
  problem: null,
  lastError: null,
  work: null,
};

const MAX_MESSAGE = 1000;

export function reportEnd(ended: ProgramEnd, report: ClientReport): AgentReport {
  return {
    end: endOf(ended, report),
    message: printable(describe(ended, report).slice(0, MAX_MESSAGE)),
    ...(ended.isMissing === true && { isPermanent: true }),
    lastMessage: report.lastMessage === null || report.lastMessage.trim() === "" ? null : report.lastMessage,
    usage: { milliseconds: Math.round(ended.milliseconds), tokens: report.tokens, money: report.money },
    session: report.session,
    work: report.work,
  };
}

/** For a job that cannot even be tried. */
export function refuseJob(reason: string): AgentSession {
  const message = printable(reason.slice(0, MAX_MESSAGE));
  const usage = { milliseconds: 0, tokens: null, money: null };
  const report: AgentReport = { end: "could-not-start", message, lastMessage: null, usage, session: null };
  return { ended: Promise.resolve(report), stop: () => undefined };
}

function endOf(ended: ProgramEnd, report: ClientReport): AgentReport["end"] {
  if (ended.end === "exited") return ended.exitCode === 0 && report.problem === null ? "finished" : "crashed";
  if (ended.end === "dismissed") return report.problem === null ? "finished" : "crashed";
  return ended.end;
}

function describe(ended: ProgramEnd, report: ClientReport): string {
  const unending = ended.unending.length === 0 ? "" : `; the kernel could not end ${ended.unending.join(", ")}`;
  return `${describeEnd(ended, report)}${unending}`;
}

function describeEnd(ended: ProgramEnd, report: ClientReport): string {
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
      return report.problem ?? "finished";
    case "exited":
      return describeExit(ended, report);
  }
}

function describeExit(ended: ProgramEnd, report: ClientReport): string {
  if (ended.exitCode === 0) return report.problem ?? "finished";
  const how = ended.signal === null ? `exit code ${ended.exitCode}` : `ended by ${ended.signal}`;
  const said = report.problem ?? report.lastError;
  return said === null ? how : `${how}: ${said}`;
}
