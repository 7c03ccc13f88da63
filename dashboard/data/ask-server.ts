import type { ErrorAnswer } from "../../src/api/answers.ts";

/** The server said no, or did not answer. Says what to do about it. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly status: number | null;
  readonly code: string;
  readonly hint: string;

  constructor(status: number | null, error: ErrorAnswer["error"]) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
  }
}

type Filter = Readonly<Record<string, string | number | null | undefined>>;

/** Reads a route; `filter` becomes the query, without what is empty. */
export async function read<Answer>(path: string, filter: Filter = {}, signal?: AbortSignal): Promise<Answer> {
  return ask<Answer>(`/api/${path}${queryOf(filter)}`, signal === undefined ? {} : { signal });
}

/** Changes something. The header shows that our own page asks: no other origin may set it. */
export async function write<Answer>(path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> {
  return ask<Answer>(`/api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-baton": "1" },
    body: JSON.stringify(body),
  });
}

export function queryOf(filter: Filter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** One part of a path, whatever is in it. */
export function part(text: string): string {
  return encodeURIComponent(text);
}

async function ask<Answer>(address: string, options: RequestInit): Promise<Answer> {
  const response = await fetch(address, { ...options, credentials: "same-origin", redirect: "error" }).catch(
    (error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new ServerError(null, NOT_REACHED);
    },
  );
  if (response.ok) return (await response.json()) as Answer;
  throw new ServerError(response.status, await errorOf(response));
}

async function errorOf(response: Response): Promise<ErrorAnswer["error"]> {
  const answer: unknown = await response.json().catch(() => null);
  if (isErrorAnswer(answer)) return answer.error;
  return response.status === 401 || response.status === 403
    ? NOT_LET_IN
    : {
        code: `http-${response.status}`,
        message: `The server answered ${response.status}.`,
        hint: "Try again. If it stays so, look at what `baton serve` prints.",
      };
}

function isErrorAnswer(answer: unknown): answer is ErrorAnswer {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return false;
  const { error } = answer;
  return typeof error === "object" && error !== null && "message" in error && typeof error.message === "string";
}

const NOT_REACHED = {
  code: "not-reached",
  message: "The server does not answer.",
  hint: "Start it again with `baton serve`. This page goes on by itself as soon as it is there.",
};

const NOT_LET_IN = {
  code: "not-let-in",
  message: "The server does not know this browser.",
  hint: "Open the link that `baton serve` printed: it carries the token.",
};
