import type { ObservedUsage, OtherWork, SessionUsage } from "../input.ts";
import { type FieldsOf, stored } from "./describe.ts";

const { isTrue, list, number, optional, orNull, record, text, words } = stored;

/** What a client says that an agent of a session has used. */
export const observedUsage = record<ObservedUsage>({ tokens: number, isPart: optional(isTrue) });

export const otherWork: FieldsOf<OtherWork> = { usage: optional(observedUsage), files: optional(list(text)) };

export const sessionUsage = record<SessionUsage>({
  tokens: orNull(number),
  money: orNull(number),
  covers: words({ session: true, main: true }),
  isPart: optional(isTrue),
});
