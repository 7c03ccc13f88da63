import type { AttemptRecord, FilesRead, GivenFact, GivenPacket, GivenPrompt, KeptText } from "../attempt-record.ts";
import type { AttemptHeads } from "../input.ts";
import { type FieldsOf, stored } from "./describe.ts";

const { boolean, list, number, optional, orNull, record, text } = stored;

const texts = list(text);

export const givenFact = record<GivenFact>({ id: text, said: text });

const keptText: FieldsOf<KeptText> = { text, bytes: number, isCut: boolean };

/** The commits between which an attempt worked. */
export const attemptHeads = record<AttemptHeads>({ from: text, to: text });

export const attemptRecord = record<AttemptRecord>({
  prompt: record<GivenPrompt>({ nonce: text, sha256: text, bytes: number, rest: optional(text) }),
  packet: orNull(record<GivenPacket>({ ...keptText, estimatedTokens: number, facts: list(givenFact) })),
  output: orNull(record<KeptText>(keptText)),
  takeover: record({
    firstInput: orNull(number),
    input: orNull(number),
    inputBeforeChange: orNull(number),
    changes: orNull(number),
    reads: orNull(record<FilesRead>({ named: texts, unnamed: texts, more: number, elsewhere: number })),
  }),
});
