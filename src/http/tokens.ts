import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const COOKIE = "baton_session";

/** Takes as long for a token that is wrong from its first letter as for one that is nearly right. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** What a browser keeps: made from the token, and no way back to it. */
export function sessionOf(token: string): string {
  return createHmac("sha256", token).update("baton session").digest("base64url");
}

/** What an agent is given to hand in over HTTP: good for this one attempt only. */
export function attemptToken(secret: string, run: string, attempt: string): string {
  return createHmac("sha256", secret).update(`baton attempt\n${run}\n${attempt}`).digest("base64url");
}

/** The value of our cookie; null when it is not there, or there twice. */
export function cookieIn(header: string | undefined): string | null {
  const values = (header ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && pair.slice(0, at).trim() === COOKIE ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? (values[0] ?? null) : null;
}

export function bearerIn(header: string | undefined): string | null {
  return /^Bearer ([\w.~+/=-]{1,512})$/.exec(header ?? "")?.[1] ?? null;
}
