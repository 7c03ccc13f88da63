import { createHmac } from "node:crypto";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { NEWS_KINDS, type News, type NewsKind } from "../../runtime/operations/list-news.ts";

/** Somebody who wants to be told. */
export interface Webhook {
  readonly url: string;
  /** With which the news are signed. */
  readonly secret: string;
  readonly kinds: readonly NewsKind[];
}

const SHORTEST_SECRET = 16;

/** `[{ "url": "https://…", "secret": "…", "kinds": ["ask", "end"] }]`; all kinds unless some are named. */
export function readWebhooks(text: string, path: string): Webhook[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = null;
  }
  if (!Array.isArray(parsed)) throw wrong(path, "it is no JSON list");
  return parsed.map((item: unknown) => {
    if (!isRecord(item)) throw wrong(path, "an item is no object");
    const { url, secret, kinds = [...NEWS_KINDS] } = item;
    if (typeof url !== "string" || typeof secret !== "string" || secret.length < SHORTEST_SECRET)
      throw wrong(path, `each item needs a url, and a secret of at least ${SHORTEST_SECRET} characters`);
    return { url: checkedUrl(url), secret, kinds: checkedKinds(kinds, path) };
  });
}

function checkedKinds(kinds: unknown, path: string): NewsKind[] {
  const known = NEWS_KINDS.filter((kind) => Array.isArray(kinds) && kinds.includes(kind));
  if (!Array.isArray(kinds) || known.length !== kinds.length || known.length === 0)
    throw wrong(path, `kinds are some of ${NEWS_KINDS.join(", ")}`);
  return known;
}

export function checkedSecret(secret: string): string {
  if (secret.length >= SHORTEST_SECRET) return secret;
  throw new AppError(
    "wrong-usage",
    "BATON_WEBHOOK_SECRET is too short to sign with.",
    `Give it at least ${SHORTEST_SECRET} characters.`,
  );
}

export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    url.username !== "" ||
    url.password !== ""
  )
    throw new AppError(
      "wrong-usage",
      "A webhook is an http or https address without a name or password in it.",
      "baton serve --webhook https://example.org/baton",
    );
  return url.href;
}

/** How far a receiver was told is kept by its address: a second one of the same would miss what the first was told. */
export function checkedApart(webhooks: readonly Webhook[]): readonly Webhook[] {
  const twice = webhooks.find(({ url }, index) => webhooks.findIndex((other) => other.url === url) < index);
  if (twice === undefined) return webhooks;
  throw new AppError(
    "wrong-usage",
    `Two webhooks have one address, at ${new URL(twice.url).host}.`,
    "Name it once, in webhooks.json or with --webhook, with all the kinds that it wants.",
  );
}

function wrong(path: string, why: string): AppError {
  return new AppError("cannot-read", `${path} cannot be used: ${why}.`, "docs/spec/http.md shows one.");
}

/** What is sent: the receiver computes the same HMAC over `timestamp.body`, and refuses old timestamps. */
export function signedRequest(
  { secret }: Webhook,
  news: News,
  now: number,
): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(news);
  const timestamp = String(Math.floor(now / 1_000));
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "baton",
      "baton-delivery": news.id,
      "baton-timestamp": timestamp,
      "baton-signature": `v1=${signature}`,
    },
  };
}
