import type { ClaimKind, Verdict } from "../../src/evidence/claim.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import type { JsonRecord, JsonValue } from "../../src/shared/json-value.ts";

/** A claim that is put into a handoff, with what must come of it: known, because we made the world it speaks of. */
export interface Plant {
  readonly kind: ClaimKind;
  readonly name: string;
  readonly isTrue: boolean;
  readonly expect: Verdict;
  /** Two plants of one slot cannot stand in one handoff. */
  readonly slot: string | null;
  /** Files that it declares, as the world names them. */
  readonly declares: readonly string[];
  /** Puts it into the draft and says where the canonical handoff has it. */
  readonly add: (draft: Draft) => string;
}

/** A statement that is neither true nor false yet. */
export type Spec = Omit<Plant, "isTrue" | "expect">;

/** True, and shown to be so. */
export function holds(spec: Spec): Plant {
  return { ...spec, isTrue: true, expect: "confirmed" };
}

/** True, but nobody can know. */
export function holdsUnseen(spec: Spec): Plant {
  return { ...spec, isTrue: true, expect: "unverifiable" };
}

/** False, and shown to be so. */
export function lies(spec: Spec): Plant {
  return { ...spec, isTrue: false, expect: "refuted" };
}

/** False, but no procedure covers it. */
export function liesUnseen(spec: Spec): Plant {
  return { ...spec, isTrue: false, expect: "unverifiable" };
}

/** A handoff in the making. */
export class Draft {
  readonly created: JsonRecord[] = [];
  readonly modified: JsonRecord[] = [];
  readonly artifacts: JsonRecord[] = [];
  readonly commits: JsonRecord[] = [];
  readonly issues: JsonRecord[] = [];
  readonly fixes: JsonRecord[] = [];
  readonly failures: JsonRecord[] = [];
  readonly resolved: string[] = [];
  readonly verified: string[] = [];
  readonly skills: string[] = [];
  readonly review: JsonRecord = {};
  readonly metrics: JsonRecord = {};
  readonly results: JsonRecord = {};
  readonly work: JsonRecord = {};
  readonly checks: JsonRecord = {};
  readonly top: JsonRecord = {};
  readonly data: JsonRecord = {};

  handoff(): Handoff {
    const { created, modified, artifacts, commits, verified, skills } = this;
    const { issues, fixes, failures, resolved, review, results } = this;
    return {
      dialect: "task-yaml",
      from: "builder-agent",
      to: "reviewer-agent",
      outcome: "done",
      summary: "Built gift cards with 3 states and wired them to the cart",
      ...filled({
        work: filled({ created, modified, artifacts, commits, verified, skills, ...this.work }),
        findings: filled({ issues, fixes, failures, resolved, review }),
        checks: filled({ results, ...this.checks }),
        metrics: this.metrics,
        context: filled({ data: this.data }),
        ...this.top,
      }),
    } as unknown as Handoff;
  }
}

function filled(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}
