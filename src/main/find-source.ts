import { userInfo } from "node:os";
import { environmentsAbove, findOuterAttempt } from "../agents/process-group/outer-attempt.ts";
import { findOuterClient } from "../agents/process-group/outer-client.ts";
import { type LocalConnection, findPeer } from "../agents/process-group/peer-process.ts";
import { isSame } from "../http/tokens.ts";
import type { RequestSource } from "../runtime/request-source.ts";
import { tokenOfAttempt } from "./submission.ts";

/** Where a request of this process comes from, or of another one. */
export function findSource(stateFolder: string, pid = process.pid): RequestSource {
  const attempt = findOuterAttempt(stateFolder, pid);
  const proven = attempt === null ? null : findProven(stateFolder, pid);
  const client = attempt === null ? findOuterClient(pid) : null;
  return { account: accountName(), attempt, ...(client !== null && { client }), ...(proven !== null && { proven }) };
}

/**
 * The attempt whose token a process has, or one above it. What an environment says is not believed without the token
 * that belongs to it: an agent can start programs with the name of another attempt.
 */
function findProven(stateFolder: string, pid: number): NonNullable<RequestSource["proven"]> | null {
  for (const environment of environmentsAbove(pid)) {
    const [, run, attempt] = /^([\w-]{1,64})\.(s\d{1,9}\.\d{1,9})$/.exec(environment.get("BATON_ATTEMPT") ?? "") ?? [];
    const token = environment.get("BATON_SUBMIT_TOKEN");
    if (run === undefined || attempt === undefined || token === undefined) continue;
    if (isSame(token, tokenOfAttempt(stateFolder, run, attempt))) return { run, attempt };
  }
  return null;
}

/**
 * Where a request to the server of this process comes from. An agent can read the token of the server, so its process
 * is looked for. A sender that does not wait for the answer could not be found any more, so it is not believed.
 */
export function findSender(stateFolder: string, connection: LocalConnection): RequestSource {
  // A client may have started the server for its person, who then opens the page: that does not make them an agent.
  const { client: _client, ...own } = findSource(stateFolder);
  const peer = own.attempt === null ? findPeer(connection) : null;
  if (peer === null) return own;
  if (peer === "hidden") return { ...own, attempt: { id: null, shownBy: "a sender that cannot be looked into" } };
  if (peer === "gone") return { ...own, attempt: { id: null, shownBy: "a connection that was closed at once" } };
  const sources = peer.map((pid) => findSource(stateFolder, pid));
  return sources.find(({ attempt }) => attempt !== null) ?? sources.find(({ client }) => client !== undefined) ?? own;
}

/** By the system: USER and LOGNAME can say anything, or nothing. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // No entry for the account, as in containers that are started with any number.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
