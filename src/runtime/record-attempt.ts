import { hash } from "node:crypto";
import { factsIn, splitReads } from "../knowledge/packet-contents.ts";
import type { Packet } from "../knowledge/packet.ts";
import type { AgentReport, ToldWork } from "../ports/agent.ts";
import { markOf } from "../ports/knowledge-store.ts";
import type { Redact } from "../shared/redact.ts";
import type { AttemptRecord, GivenPrompt, KeptText, Takeover } from "../workflow/attempt-record.ts";

/** What an agent was given. */
export interface Given {
  readonly prompt: string;
  readonly nonce: string;
  /** What of it is known, and as it stands in the prompt; null when nothing does. */
  readonly packet: { readonly packet: Packet; readonly text: string } | null;
}

export interface Recorded {
  readonly record: AttemptRecord;
  /** What the record names: masked, and to be kept with it. */
  readonly texts: readonly string[];
}

/** The record of an attempt, whose last message is masked already. */
export function recordAttempt(redact: Redact, given: Given, report: AgentReport): Recorded {
  const { lastMessage: said, work = null } = report;
  const packet = given.packet === null ? null : keep(redact(given.packet.text));
  const output = said === null ? null : keep(said);
  const record: AttemptRecord = {
    prompt: markPrompt(given),
    packet:
      packet === null || given.packet === null
        ? null
        : {
            ...packet.named,
            estimatedTokens: Math.ceil(packet.named.bytes / BYTES_OF_TOKEN),
            facts: factsIn(given.packet.packet).map(({ id, text }) => ({ id, said: markOf(text) })),
          },
    output: output?.named ?? null,
    takeover: takeoverOf(given.packet?.packet ?? null, work),
  };
  const texts = [packet, output].flatMap((kept) => (kept === null ? [] : [kept.text]));
  return { record, texts };
}

/** As the budget of a packet counts them: an estimate. */
const BYTES_OF_TOKEN = 4;
/** More than this is no prompt, and no message, that anybody reads. */
const LONGEST_TEXT = 1 << 20;

function markPrompt({ prompt, nonce }: Given): GivenPrompt {
  return { nonce, sha256: hash("sha256", prompt, "hex"), bytes: Buffer.byteLength(prompt) };
}

function keep(whole: string): { readonly text: string; readonly named: KeptText } {
  const text = whole.slice(0, LONGEST_TEXT);
  const named = { text: hash("sha256", text, "hex"), bytes: Buffer.byteLength(whole), isCut: text !== whole };
  return { text, named };
}

/** What the client does not tell stays unknown. */
function takeoverOf(packet: Packet | null, work: ToldWork | null): Takeover {
  if (work === null) return NOTHING_TOLD;
  const { firstInput, input, inputBeforeChange, changes, reads, moreReads: more, readsElsewhere: elsewhere } = work;
  return { firstInput, input, inputBeforeChange, changes, reads: { ...splitReads(packet, reads), more, elsewhere } };
}

const NOTHING_TOLD: Takeover = { firstInput: null, input: null, inputBeforeChange: null, changes: null, reads: null };
