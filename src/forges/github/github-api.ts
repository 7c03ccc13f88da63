import { setTimeout as sleep } from "node:timers/promises";
import { ForgeError } from "../../ports/forge.ts";
import { isRecord } from "../../shared/json-value.ts";

interface GithubApiOptions {
  readonly api: string;
  readonly token: string;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the API, with every part encoded: see `pathOf`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Statuses that are answers; 200 unless given. */
  readonly accepts?: readonly number[];
}

interface ApiAnswer {
  readonly status: number;
  readonly data: unknown;
}

const MAX_ANSWER_TIME = 30_000;
const MAX_ANSWER = 8 * 1024 * 1024;
const MAX_TRIES = 4;
const FIRST_PAUSE = 500;
/** Who has to wait longer is better started again later. */
const MAX_PAUSE = 60_000;
const MAX_PAGES = 20;
const PAGE = 100;

/** GitHub's REST API. The token goes to the address that the workflow names, and never along a redirect. */
export class GithubApi {
  readonly #api: string;
  readonly #token: string;

  constructor({ api, token }: GithubApiOptions) {
    this.#api = api.replace(/\/+$/, "");
    this.#token = token;
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    for (let tries = 1, pause = FIRST_PAUSE; ; tries += 1, pause *= 2) {
      const answer = await this.#ask(request, tries);
      if (answer instanceof Response && !isPassing(answer)) return readAnswer(request, answer);
      const wait = askedPause(answer) ?? pause;
      if (tries >= MAX_TRIES || wait > MAX_PAUSE || !mayRepeat(request, answer)) throw givingUp(request, answer);
      if (answer instanceof Response) await answer.body?.cancel();
      await sleep(wait);
    }
  }

  /** All pages of a list; `items` finds it in an answer that is a record. */
  async list(request: ApiRequest, items: (data: unknown) => unknown = (data) => data): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const query = { ...request.query, per_page: String(PAGE), page: String(page) };
      const list = items((await this.request({ ...request, query })).data);
      if (!Array.isArray(list)) throw new ForgeError(`${nameOf(request)} was answered without a list`);
      found.push(...(list as unknown[]));
      if (list.length < PAGE) break;
    }
    return found;
  }

  /** An error for what the network did. */
  async #ask({ method, path, query, body }: ApiRequest, tries: number): Promise<Response | Error> {
    const search = query === undefined ? "" : `?${new URLSearchParams(query).toString()}`;
    try {
      return await fetch(`${this.#api}${path}${search}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(MAX_ANSWER_TIME),
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.#token}`,
          "user-agent": "baton-handoff",
          "x-github-api-version": "2022-11-28",
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      return error instanceof Error ? error : new Error(`try ${tries}: ${String(error)}`);
    }
  }
}

/** A part of a path that comes from elsewhere. */
export function apiPath(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.map((part, index) => part + encode(values[index])).join("");
}

function encode(value: string | number | undefined): string {
  if (value === undefined) return "";
  const text = String(value);
  // These mean a place instead of a name, encoded or not.
  if (text.split("/").some((part) => part === "" || part === "." || part === ".."))
    throw new ForgeError(`"${text.slice(0, 80)}" cannot be part of an address`);
  return text.split("/").map(encodeURIComponent).join("/");
}

function isPassing(response: Response): boolean {
  if (response.status === 429 || response.status >= 500) return true;
  if (response.status !== 403) return false;
  return response.headers.has("retry-after") || response.headers.get("x-ratelimit-remaining") === "0";
}

/** A request that creates something may have succeeded: the caller looks for it before asking again. */
function mayRepeat({ method }: ApiRequest, answer: Response | Error): boolean {
  return method !== "POST" || (answer instanceof Response && answer.status < 500);
}

function askedPause(answer: Response | Error): number | null {
  if (!(answer instanceof Response)) return null;
  const { headers } = answer;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const reset = Number(headers.get("x-ratelimit-reset") ?? Number.NaN);
  return headers.get("x-ratelimit-remaining") === "0" && Number.isFinite(reset)
    ? Math.max(reset * 1000 - Date.now(), 0)
    : null;
}

async function readAnswer(request: ApiRequest, response: Response): Promise<ApiAnswer> {
  const data = parse(await readLimited(request, response));
  if ((request.accepts ?? [200]).includes(response.status)) return { status: response.status, data };
  if (response.status >= 300 && response.status < 400)
    throw new ForgeError(
      `${nameOf(request)} was sent elsewhere (${response.status}): the repository was renamed, or the address of the API is wrong`,
    );
  throw new ForgeError(`${nameOf(request)} was refused (${response.status}): ${messageOf(data)}${hintFor(response)}`);
}

function hintFor({ status }: Response): string {
  if (status === 401) return ". The token is not valid";
  if (status === 403 || status === 404) return ". The token may lack the permission: contents, issues, pull requests";
  return "";
}

async function readLimited(request: ApiRequest, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_ANSWER) throw new ForgeError(`${nameOf(request)} was answered with more than 8 MB`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    throw new ForgeError(`${nameOf(request)}: the answer broke off`, true, { cause: error });
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function messageOf(data: unknown): string {
  const message = isRecord(data) ? data["message"] : null;
  return typeof message === "string" ? message.slice(0, 300) : "no reason given";
}

function givingUp(request: ApiRequest, answer: Response | Error): ForgeError {
  const reason = answer instanceof Response ? `status ${answer.status}` : causeOf(answer);
  return new ForgeError(`${nameOf(request)} failed: ${reason}`, true);
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function nameOf({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}
