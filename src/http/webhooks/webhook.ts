import { createHmac } from "node:crypto";
import { describeMismatch, findMismatch } from "../../protocol/find-mismatch.ts";
import { type Infer, data } from "../../protocol/shape.ts";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { NOTIFICATION_KINDS, type Notification } from "../../runtime/operations/list-notifications.ts";

const webhookShape = data.record({
  url: data.text(),
  /** The key that notifications are signed with. */
  secret: data.text(),
  kinds: data.list(data.oneOf(NOTIFICATION_KINDS)),
});
/** A program that wants to be notified. */
export type Webhook = Infer<typeof webhookShape>;

const MIN_SECRET = 16;

/** `[{ "url": "https://…", "secret": "…", "kinds": ["ask", "end"] }]`; all kinds unless some are named. */
export function readWebhooks(text: string, path: string): Webhook[] {
  const items = parseJson(text);
  if (!Array.isArray(items)) throw wrong(path, "it is not a JSON list");
  return items.map((item: unknown, index) => {
    const given: unknown = isRecord(item) ? { kinds: NOTIFICATION_KINDS, ...item } : item;
    const mismatch = findMismatch(webhookShape, given);
    // A secret is never shown, also not one of the wrong type.
    if (mismatch?.path[0] === "secret" || (isSecretive(given) && given.secret.length < MIN_SECRET))
      throw wrong(path, `item ${index + 1} needs a secret of at least ${MIN_SECRET} characters`);
    if (mismatch !== null) throw wrong(path, `in item ${index + 1}, ${describeMismatch(mismatch)}`);
    const { url, secret, kinds } = given as Webhook;
    if (kinds.length === 0 || new Set(kinds).size < kinds.length)
      throw wrong(path, `item ${index + 1} names no kind, or one of them twice`);
    return { url: checkedUrl(url), secret, kinds };
  });
}

function isSecretive(item: unknown): item is { readonly secret: string } {
  return isRecord(item) && typeof item["secret"] === "string";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function checkedSecret(secret: string): string {
  if (secret.length >= MIN_SECRET) return secret;
  throw new AppError(
    "wrong-usage",
    "BATON_WEBHOOK_SECRET is too short to sign with.",
    `Give it at least ${MIN_SECRET} characters.`,
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

/** Progress is kept by address: a second webhook with the same address would miss what the first was sent. */
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
  news: Notification,
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
