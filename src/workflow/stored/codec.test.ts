import { describe, expect, it } from "vitest";
import { AppError } from "../../shared/app-error.ts";
import { type JsonRecord, shown } from "../../shared/json-value.ts";
import type { Event } from "../event.ts";
import type { Input, ReportAttempt } from "../input.ts";
import { type Codec, codec, codecOf, withoutVersion } from "./codec.ts";
import { stored } from "./describe.ts";
import { wholeInput } from "./kept-input.ts";
import { UPCASTS, type Upcast } from "./upcasts.ts";

const { optional, record, tagged, text, words } = stored;

const opened: Event = { kind: "input-ignored", input: "answer", why: "The run has ended." };
const where = "Entry 7 of run abc";

function refusal(read: () => unknown): AppError {
  try {
    read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("what is written", () => {
  it("carries the present version, which what is read does not", () => {
    expect(codec.encodeEvent(opened)).toEqual({ ...opened, version: codec.version });
    expect(codec.decodeEvent(codec.encodeEvent(opened), where)).toEqual(opened);
    expect(withoutVersion(codec.encodeEvent(opened))).toEqual(opened);
  });

  it("has one version for each list of upcasts", () => {
    expect(codec.version).toBe(UPCASTS.length + 1);
    expect(UPCASTS.every(({ about }) => about !== "")).toBe(true);
  });

  it("keeps the key and the kind of an effect beside its data", () => {
    const effect = {
      kind: "run-gate",
      key: "r:s1:g:run-gate",
      task: "t",
      step: "s1",
      gate: "tests",
      command: null,
      gateRun: "s1:g",
    } as const;
    const data = codec.encodeEffect(effect);
    expect(Object.keys(data)).not.toContain("key");
    expect(codec.decodeEffect(effect.key, effect.kind, data, where)).toEqual(effect);
  });
});

describe("what is read", () => {
  it("has version 1 when it has none, and keeps keys that are not known", () => {
    const data = { ...opened, later: { more: 1 } };
    expect(codec.decodeEvent(data, where)).toEqual(data);
  });

  it("is refused with the place, the path and what was expected", () => {
    const broken = { kind: "task-blocked", task: "t", blocker: { description: 3, by: "a" } };
    const error = refusal(() => codec.decodeEvent(broken, where));
    expect(error.code).toBe("damaged-state");
    expect(error.message).toBe("Entry 7 of run abc cannot be read: blocker.description must be text, but is 3.");
    expect(error.hint).toContain("baton audit verify");
    const missing = refusal(() => codec.decodeEvent({ kind: "task-blocked", task: "t" }, where));
    expect(missing.message).toContain("blocker is missing: it must be a record");
    expect(refusal(() => codec.decodeEvent({ kind: "tomorrow" }, where)).message).toContain("kind must be one of");
  });

  it("is refused clearly when a newer program wrote it", () => {
    const newer = { ...opened, version: codec.version + 1 };
    const error = refusal(() => codec.decodeEvent(newer, where));
    expect(error.message).toBe(
      `Entry 7 of run abc was written by a newer Baton: it has version ${codec.version + 1}, and this one reads ` +
        `versions up to ${codec.version}.`,
    );
    expect(error.hint).toBe("Update Baton.");
  });

  it.each([0, -1, 1.5, "1", null])("is refused when its version is %j", (version) => {
    expect(refusal(() => codec.decodeEvent({ ...opened, version }, where)).message).toContain("its version is not");
  });
});

describe("upcasts", () => {
  const upcasts: readonly Upcast[] = [
    { about: "`why` was called `because`.", event: ({ because = null, ...data }) => ({ ...data, why: because }) },
    { about: "Only workflows change.", workflow: (data) => ({ ...data, description: "" }) },
    { about: "Reasons end with a full stop.", event: ({ why, ...data }) => ({ ...data, why: `${shown(why)}.` }) },
  ];
  const later: Codec = codecOf(upcasts);
  const first = { kind: "input-ignored", input: "answer", because: "It has ended" };

  it("are applied in their order, from the version of the data on", () => {
    expect(later.version).toBe(4);
    expect(later.decodeEvent(first, where)).toEqual({ ...opened, why: "It has ended." });
    expect(later.decodeEvent({ ...opened, why: "Over", version: 2 }, where)).toEqual({ ...opened, why: "Over." });
    expect(later.decodeEvent({ ...opened, why: "Over", version: 3 }, where)).toEqual({ ...opened, why: "Over." });
    expect(later.decodeEvent({ ...opened, why: "Over", version: 4 }, where)).toEqual({ ...opened, why: "Over" });
  });

  it("do not change what was stored", () => {
    const frozen = Object.freeze({ ...first });
    later.decodeEvent(frozen, where);
    expect(frozen).toEqual(first);
  });

  it("are followed by the check of the present shape: an upcast that was forgotten is seen", () => {
    expect(refusal(() => codec.decodeEvent(first, where)).message).toContain("why is missing: it must be text");
  });
});

describe("an input", () => {
  const report: ReportAttempt = {
    kind: "report-attempt",
    attempt: "s1.1",
    end: "finished",
    message: "ended",
    delivery: {
      handoff: { dialect: "task-yaml", outcome: "done" },
      text: "0".repeat(64),
      source: "message",
      repaired: false,
      warnings: 0,
    },
    judgements: [],
    problems: [],
    usage: { milliseconds: 1, tokens: null, money: null },
    session: null,
  };
  const input: Input = { ...report, at: 5 };
  const accepted: Event[] =
    report.delivery === null
      ? []
      : [{ kind: "handoff-accepted", task: "t", step: "s1", agent: "a", delivery: report.delivery }];

  it("is stored without what stands whole in an event, and is whole again with it", () => {
    const data = codec.encodeInput(input, accepted);
    expect(data["delivery"]).toBe("accepted");
    expect(wholeInput(codec.decodeInput(data, where), accepted)).toEqual(input);
    expect(wholeInput(codec.decodeInput(codec.encodeInput(input, []), where), [])).toEqual(input);
  });

  it("that refers to an event which is not there is damage", () => {
    const kept = codec.decodeInput(codec.encodeInput(input, accepted), where);
    expect(refusal(() => wholeInput(kept, [])).message).toContain("handoff-accepted");
  });

  it("in the inbox has no time yet", () => {
    const message = { kind: "cancel-run", by: "a person", reason: "enough" } as const;
    expect(codec.decodeMessage(codec.encodeMessage(message), where)).toEqual(message);
  });
});

it("a pinned workflow from before there were forges has none", () => {
  const old: JsonRecord = { name: "flow" };
  expect(UPCASTS[0]?.workflow?.(old)).toEqual({ name: "flow", forge: null });
  expect(UPCASTS[0]?.workflow?.({ forge: { kind: "local" } })).toEqual({ forge: { kind: "local" } });
});

it("a description that differs from its type does not compile", () => {
  interface Sample {
    readonly name: string;
    readonly note?: string;
    readonly state: "open" | "closed";
    readonly parent: string | null;
  }
  const parts = { name: text, note: optional(text), state: words<Sample["state"]>({ open: true, closed: true }) };
  // @ts-expect-error -- `parent` may be null
  record<Sample>({ ...parts, parent: text });
  // @ts-expect-error -- `parent` is not described
  record<Sample>(parts);
  // @ts-expect-error -- `note` is optional
  record<{ readonly note?: string }>({ note: text });
  // @ts-expect-error -- a word is missing
  words<Sample["state"]>({ open: true });
  // @ts-expect-error -- a kind of event is missing
  tagged<Event>({});
  expect(true).toBe(true);
});
