import type { ClaimKind, Verdict } from "../evidence/claim.ts";
import type { Event } from "../workflow/event.ts";

/** How true an agent's handoffs are. */
export interface AgentTruth {
  readonly agent: string;
  readonly runs: number;
  /** Handoffs that were accepted. */
  readonly handoffs: number;
  /** Times that a handoff was sent back, for its form or for what it claimed. */
  readonly repairs: number;
  /** Of every attempt: a claim that is made again in a repair is another one. */
  readonly claims: number;
  readonly confirmed: number;
  readonly refuted: number;
  readonly unverifiable: number;
  /** Refuted claims by their kind. */
  readonly refuted_kinds: Readonly<Partial<Record<ClaimKind, number>>>;
}

/** Folds whole runs, one after the other, into what they show of each agent. */
export class AgentTruths {
  readonly #agents = new Map<string, Tally>();

  addRun(events: readonly Event[]): void {
    const seen = new Map<string, Sight>();
    const agents = new Set<string>();
    for (const event of events) {
      if (!("agent" in event) || !COUNTED.has(event.kind)) continue;
      agents.add(event.agent);
      if (event.kind === "handoff-accepted") this.#tally(event.agent).handoffs++;
      else if (event.kind === "handoff-refused") this.#tally(event.agent).repairs++;
      else if (event.kind === "claims-verified") noteClaims(seen, event);
    }
    for (const agent of agents) this.#tally(agent).runs++;
    for (const { agent, kind, verdict } of seen.values()) {
      const tally = this.#tally(agent);
      tally[verdict]++;
      if (verdict === "refuted") tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
    }
  }

  /** Whoever said most that is not true comes first. */
  all(): AgentTruth[] {
    return [...this.#agents]
      .map(([agent, { kinds, ...tally }]) => ({
        agent,
        ...tally,
        claims: tally.confirmed + tally.refuted + tally.unverifiable,
        refuted_kinds: Object.fromEntries([...kinds].sort(([left], [right]) => (left < right ? -1 : 1))),
      }))
      .sort((left, right) => right.refuted - left.refuted || (left.agent < right.agent ? -1 : 1));
  }

  #tally(agent: string): Tally {
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    const tally: Tally = {
      runs: 0,
      handoffs: 0,
      repairs: 0,
      confirmed: 0,
      refuted: 0,
      unverifiable: 0,
      kinds: new Map(),
    };
    this.#agents.set(agent, tally);
    return tally;
  }
}

interface Tally extends Record<Verdict, number> {
  runs: number;
  handoffs: number;
  repairs: number;
  readonly kinds: Map<ClaimKind, number>;
}

interface Sight {
  readonly agent: string;
  readonly kind: ClaimKind;
  readonly verdict: Verdict;
}

const COUNTED = new Set<Event["kind"]>(["step-started", "handoff-accepted", "handoff-refused", "claims-verified"]);

/** A gate may settle what was unverifiable before it ran: it is still one claim, and the last word on it counts. */
function noteClaims(seen: Map<string, Sight>, event: Extract<Event, { kind: "claims-verified" }>): void {
  const { agent, attempt, judgements } = event;
  for (const { kind, where, says, verdict } of judgements) {
    const key = JSON.stringify([attempt, kind, where, says]);
    if (verdict !== "unverifiable" || !seen.has(key)) seen.set(key, { agent, kind, verdict });
  }
}
