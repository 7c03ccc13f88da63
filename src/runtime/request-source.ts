import { AppError } from "../shared/app-error.ts";

/** Where a request comes from: a command, the page, a program that uses the library. */
export interface RequestSource {
  /** The account of the operating system that it runs as. */
  readonly account: string;
  /** The attempt whose agent made the request, and what shows that; null when nothing does. */
  readonly attempt: { readonly id: string | null; readonly shownBy: string } | null;
  /** The client, a coding agent's own program, below which the request was made, and what shows that. */
  readonly client?: { readonly name: string; readonly shownBy: string; readonly isDirect: boolean };
  /** The attempt whose token the process of the request has, or one above it: proof that it works for it. */
  readonly proven?: { readonly run: string; readonly attempt: string };
}

/**
 * The account for the log, where a person is needed: for all that counts as consent, raises a limit or takes evidence
 * away. `request` is what was asked for. The name is given out here only, so that no surface can leave the check out.
 */
export function personOf(source: RequestSource, request: string): string {
  const { client } = source;
  const account = personWhoAsks(source, request);
  if (client === undefined) return account;
  throw belowClient(client, request);
}

function belowClient({ name, shownBy }: NonNullable<RequestSource["client"]>, request: string): AppError {
  return new AppError(
    "not-a-person",
    `${request} comes from a command that ${name} has started (shown by ${shownBy}), and only a person can ask for it: nothing was changed.`,
    "A person must do it: in a terminal of their own, or on the page of `baton serve`. A question of a run is also answered in the client, through `baton mcp`.",
  );
}

/** No agent of a run; it may be one that a person has started. */
function personWhoAsks({ account, attempt }: RequestSource, request: string): string {
  if (attempt === null) return account;
  const which = attempt.id === null ? "an attempt of an agent" : `attempt ${attempt.id} of an agent`;
  throw new AppError(
    "not-a-person",
    `${request} comes from ${which} (shown by ${attempt.shownBy}), and only a person can ask for it: nothing was changed.`,
    "A person must do it: in a terminal that no agent has started, or on the page of `baton serve`.",
  );
}

/** The account for the log, where an agent may ask too. */
export function accountOf({ account, attempt, client }: RequestSource): string {
  if (attempt === null) return client === undefined ? account : `agent in ${client.name}, as ${account}`;
  return attempt.id === null ? `agent, as ${account}` : `agent of attempt ${attempt.id}, as ${account}`;
}

/**
 * The account for the log, where a person has answered in a client of their own: the client is named, for what it says
 * of the person is all that is known. Not below an attempt, where the client's person is an agent, and not from a
 * command of the client's agent, which could play the client.
 */
export function personThrough(source: RequestSource, request: string, named: string): string {
  const account = personWhoAsks(source, request);
  if (source.client?.isDirect === false) throw belowClient(source.client, request);
  return `${account}, through ${named}`;
}
