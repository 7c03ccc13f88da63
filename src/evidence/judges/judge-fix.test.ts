import { describe, expect, it } from "vitest";
import { sampleEvidence } from "../../../test/truth/sample-evidence.ts";
import type { Statement } from "../claim.ts";
import { judgeClaims } from "../judge-claims.ts";
import type { ObservedChange, ObservedLedger } from "../observations.ts";

const issue: ObservedLedger = { id: "R1", status: "open", location: "src/a.ts:42", isBlocking: true, tree: "t1" };
const changed = (first: number): ObservedChange => ({
  change: "modified",
  hunks: [{ first, count: 1, before: { first, count: 1 } }],
});

/** The kind and the verdict of a fix, with what changed since the issue was found. */
function judge(
  said: string | Statement,
  since: Readonly<Record<string, ObservedChange>> | null,
  issues: readonly ObservedLedger[] = [issue],
): string {
  const file = { is: "file", lines: 99, isIgnored: false } as const;
  const files = new Map(["src/a.ts", "src/b.ts"].map((path) => [path, file]));
  const evidence = sampleEvidence(
    { files },
    { ledger: issues, ...(since !== null && { sinceFinding: new Map([["t1", new Map(Object.entries(since))]]) }) },
  );
  const says = "An issue was fixed.";
  const about = typeof said === "string" ? ({ of: "fix", location: said } as const) : said;
  const kind = about.of === "fix" ? "fix" : "ledger";
  const claim = { kind, where: "fix", path: [], says, about } as const;
  const [judged] = judgeClaims([claim], evidence);
  return `${judged?.kind} ${judged?.verdict}`;
}

describe("001-R26: a fix in a run", () => {
  it("is true when the file changed near the place since the issue was found", () => {
    expect(judge("src/a.ts:42", { "src/a.ts": changed(32) })).toBe("fix confirmed");
    expect(judge("./src/a.ts:47", { "src/a.ts": changed(57) })).toBe("fix confirmed");
    expect(judge("src/a.ts", { "src/a.ts": changed(1) })).toBe("fix confirmed");
    expect(judge("src/a.ts:42", { "src/a.ts": changed(31) })).toBe("fix unverifiable");
  });

  it("is not true when the file has not changed since", () => {
    expect(judge("src/a.ts:42", {})).toBe("fix refuted");
    expect(judge("src/a.ts:42", { "NOTES.txt": { change: "created", hunks: null } })).toBe("fix refuted");
  });

  it("cannot be seen when it is not known what the file was when the issue was found", () => {
    expect(judge("src/a.ts:42", null)).toBe("fix unverifiable");
  });

  it("of an issue that does not block, or of none, is a statement about the ledger", () => {
    expect(judge("src/a.ts:42", {}, [{ ...issue, isBlocking: false }])).toBe("ledger refuted");
    expect(judge("src/b.ts:1", {})).toBe("ledger refuted");
  });

  it("counts from the finding of the issue that it is near to", () => {
    const other = { ...issue, id: "R2", location: "src/a.ts:90", tree: "t0" };
    expect(judge("src/a.ts:42", {}, [other, issue])).toBe("fix refuted");
    expect(judge("src/a.ts:60", {}, [other, issue])).toBe("fix unverifiable");
  });
});

describe("an issue that a handoff lists as fixed, with a place", () => {
  const listed = (location: string, id: string | null = "R1"): Statement => ({ of: "fix", location, issue: { id } });
  const other: ObservedLedger = { ...issue, isRetold: true };

  it("is a fix there", () => {
    expect(judge(listed("src/a.ts:42"), {})).toBe("fix refuted");
    expect(judge(listed("src/a.ts:42"), { "NOTES.txt": { change: "created", hunks: null } })).toBe("fix refuted");
    expect(judge(listed("src/a.ts:42"), { "src/a.ts": changed(40) })).toBe("fix confirmed");
    expect(judge(listed("src/a.ts:42"), { "src/a.ts": changed(1) })).toBe("fix unverifiable");
    expect(judge(listed("src/a.ts:42"), {}, [{ ...issue, isBlocking: false }])).toBe("ledger refuted");
  });

  it("may be fixed in another file than it was found in, or be listed at another place", () => {
    expect(judge(listed("src/b.ts:1"), { "src/b.ts": changed(1) })).toBe("fix confirmed");
    expect(judge(listed("src/b.ts:1"), { "src/a.ts": changed(42) })).toBe("fix unverifiable");
    expect(judge(listed("src/b.ts:1"), {})).toBe("fix refuted");
  });

  it("is known by its place when it has no id", () => {
    expect(judge(listed("src/a.ts:40", null), {})).toBe("fix refuted");
    expect(judge(listed("src/a.ts:90", null), {})).toBe("fix unverifiable");
  });

  it("is no fix of who found it, of who repeats it, or of an issue that the run does not have", () => {
    expect(judge(listed("src/a.ts:42"), {}, [other])).toBe("fix unverifiable");
    expect(judge(listed("src/a.ts:42", null), {}, [issue, other])).toBe("fix unverifiable");
    expect(judge(listed("src/a.ts:42", "R9"), {})).toBe("fix unverifiable");
    expect(judge(listed("../a.ts:42"), {})).toBe("fix unverifiable");
  });
});

describe("an issue that is only called resolved", () => {
  const resolved: Statement = { of: "resolved", id: "R1", isListed: false };

  it("may be resolved anywhere, but not without any change", () => {
    expect(judge(resolved, { "src/b.ts": changed(1) })).toBe("ledger unverifiable");
    expect(judge(resolved, {})).toBe("fix refuted");
    expect(judge(resolved, {}, [{ ...issue, isBlocking: false }])).toBe("ledger refuted");
  });

  it("may be said to be so by who found it, and cannot be seen without the state at its finding", () => {
    expect(judge(resolved, {}, [{ ...issue, isRetold: true }])).toBe("ledger unverifiable");
    expect(judge(resolved, null)).toBe("ledger unverifiable");
  });
});
