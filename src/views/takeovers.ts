import { type Infer, data } from "../protocol/shape.ts";
import { filesReadShape } from "../workflow/attempt-record.ts";
import type { AttemptEnded, Event } from "../workflow/event.ts";

export const takeoverShape = data.record({
  task: data.text(),
  step: data.text(),
  agent: data.text(),
  attempt: data.text(),
  ended_at: data.count(),
  /** The part of the prompt that holds what is known; null when there was none. */
  packet: data.nullable(
    data.record({
      bytes: data.count(),
      estimated_tokens: data.count(),
      /** Ids of the facts in the packet. */
      facts: data.list(data.text()),
      text: data.sha256(),
    }),
  ),
  /** The whole prompt, which is composed again from the log when it is shown. */
  prompt: data.record({ bytes: data.count(), sha256: data.sha256() }),
  /** The last message: SHA-256 of the kept text. */
  output: data.nullable(data.record({ bytes: data.count(), text: data.sha256() })),
  first_input_tokens: data.nullable(data.number()),
  input_tokens: data.nullable(data.number()),
  input_tokens_before_change: data.nullable(data.number()),
  changes: data.nullable(data.number()),
  files_read: data.nullable(filesReadShape),
});
/**
 * What it cost one attempt to take the work over. Null means unknown, not zero. Token figures are the client's own; the
 * estimated one is marked as an estimate.
 */
export type TakeoverView = Infer<typeof takeoverShape>;

/** Collects the takeovers of all attempts that were observed to their end, in order. */
export class Takeovers {
  readonly #steps = new Map<string, Pick<TakeoverView, "step" | "agent">>();
  readonly #found: TakeoverView[] = [];

  note(event: Event): void {
    if (event.kind === "step-started") this.#steps.set(event.task, { step: event.step, agent: event.agent });
    const step = event.kind === "attempt-ended" ? this.#steps.get(event.task) : undefined;
    if (event.kind === "attempt-ended" && step !== undefined) this.#found.push(...takeoverOf(event, step));
  }

  views(): TakeoverView[] {
    return [...this.#found];
  }
}

export function takeoversOf(events: readonly Event[]): TakeoverView[] {
  const takeovers = new Takeovers();
  for (const event of events) takeovers.note(event);
  return takeovers.views();
}

function takeoverOf(event: AttemptEnded, step: Pick<TakeoverView, "step" | "agent">): TakeoverView[] {
  const { task, attempt, record, at } = event;
  if (record === undefined) return [];
  const { prompt, packet, output, takeover } = record;
  const given = packet === null ? null : packetView(packet);
  return [
    {
      task,
      ...step,
      attempt,
      ended_at: at,
      packet: given,
      prompt: { bytes: prompt.bytes, sha256: prompt.sha256 },
      output: output === null ? null : { bytes: output.bytes, text: output.text },
      first_input_tokens: takeover.firstInput,
      input_tokens: takeover.input,
      input_tokens_before_change: takeover.inputBeforeChange,
      changes: takeover.changes,
      files_read: takeover.reads,
    },
  ];
}

type Record = NonNullable<AttemptEnded["record"]>;

function packetView({ bytes, estimatedTokens, facts, text }: NonNullable<Record["packet"]>): TakeoverView["packet"] {
  return { bytes, estimated_tokens: estimatedTokens, facts: facts.map(({ id }) => id), text };
}

/** What taking over cost an agent over all its attempts. Each sum has the number of attempts for which it is known. */
export interface AgentTakeover {
  readonly agent: string;
  readonly attempts: number;
  /** Attempts whose prompt had a packet, and an estimate of the tokens in these packets. */
  readonly packets: number;
  readonly packet_bytes: number;
  readonly packet_estimated_tokens: number;
  readonly first_input_tokens: KnownSum;
  readonly input_tokens_before_change: KnownSum;
  readonly files_named: KnownSum;
  /** Files that were read and that no packet had named. */
  readonly files_unnamed: KnownSum;
}

export interface KnownSum {
  /** Null when it is known for no attempt. */
  readonly sum: number | null;
  readonly known: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends KnownSum ? Mutable<KnownSum> : T[K] };

/** Adds up takeovers one by one, because all of them together may not fit into memory. */
export class TakeoverSums {
  readonly #agents = new Map<string, Mutable<AgentTakeover>>();

  add({ agent, packet, files_read: read, ...told }: TakeoverView): void {
    const sums = this.#agents.get(agent) ?? newSums(agent);
    this.#agents.set(agent, sums);
    sums.attempts++;
    if (packet !== null) {
      sums.packets++;
      sums.packet_bytes += packet.bytes;
      sums.packet_estimated_tokens += packet.estimated_tokens;
    }
    addKnown(sums.first_input_tokens, told.first_input_tokens);
    addKnown(sums.input_tokens_before_change, told.input_tokens_before_change);
    addKnown(sums.files_named, read === null ? null : read.named.length);
    addKnown(sums.files_unnamed, read === null ? null : read.unnamed.length + read.more);
  }

  /** Sorted by name. */
  agents(): AgentTakeover[] {
    return [...this.#agents.values()].sort((left, right) => (left.agent < right.agent ? -1 : 1));
  }
}

function newSums(agent: string): Mutable<AgentTakeover> {
  const nothing = { attempts: 0, packets: 0, packet_bytes: 0, packet_estimated_tokens: 0 };
  const unknown = (): KnownSum => ({ sum: null, known: 0 });
  return {
    agent,
    ...nothing,
    first_input_tokens: unknown(),
    input_tokens_before_change: unknown(),
    files_named: unknown(),
    files_unnamed: unknown(),
  };
}

function addKnown(sums: Mutable<KnownSum>, figure: number | null): void {
  if (figure === null) return;
  sums.sum = (sums.sum ?? 0) + figure;
  sums.known++;
}
