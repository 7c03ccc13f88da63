import type { FilesRead } from "../workflow/attempt-record.ts";
import type { AttemptEnded, Event } from "../workflow/event.ts";

/**
 * What it cost one attempt to take the work over. Null is not known, which is not zero: figures of tokens are the
 * client's own, and the one that is estimated says so.
 */
export interface TakeoverView {
  readonly task: string;
  readonly step: string;
  readonly agent: string;
  readonly attempt: string;
  readonly ended_at: number;
  /** The part of the prompt that told what is known; null when there was none. */
  readonly packet: {
    readonly bytes: number;
    readonly estimated_tokens: number;
    /** Ids of the facts in it. */
    readonly facts: readonly string[];
    readonly text: string;
  } | null;
  /** The whole prompt, which is composed again from the log when somebody looks at it. */
  readonly prompt: { readonly bytes: number; readonly sha256: string };
  /** Its last message: SHA-256 of the text that is kept. */
  readonly output: { readonly bytes: number; readonly text: string } | null;
  readonly first_input_tokens: number | null;
  readonly input_tokens: number | null;
  readonly input_tokens_before_change: number | null;
  readonly changes: number | null;
  readonly files_read: FilesRead | null;
}

/** Of every attempt that was watched to its end, in their order. */
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

/** What taking over cost an agent in all its attempts, each sum with how many of them it is known of. */
export interface AgentTakeover {
  readonly agent: string;
  readonly attempts: number;
  /** Attempts whose prompt had a packet, and an estimate of what these packets held. */
  readonly packets: number;
  readonly packet_bytes: number;
  readonly packet_estimated_tokens: number;
  readonly first_input_tokens: KnownSum;
  readonly input_tokens_before_change: KnownSum;
  readonly files_named: KnownSum;
  /** Files that no packet had named. */
  readonly files_unnamed: KnownSum;
}

export interface KnownSum {
  /** Null when it is known of none. */
  readonly sum: number | null;
  readonly known: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends KnownSum ? Mutable<KnownSum> : T[K] };

/** Adds up one after the other: there may be more of them than fit into the memory. */
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

  /** By their names. */
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
