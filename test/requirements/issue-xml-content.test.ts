import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";

/** What an XML handoff holds is read or told, wherever its author has put it. */
describe("the envelope of a described form in its data", () => {
  it("is what the handoff says", () => {
    const moved = { status: undefined, "data.status": "pending", issue_number: undefined, "data.issue_number": "71" };
    const approved = { "data.review_status": "approved", "data.critical_count": "0", "data.important_count": "0" };
    const { text } = renderSample(DIALECTS["issue-xml"], { set: { ...moved, ...approved, to: "validator-agent" } });
    expect(readHandoffs(text).handoffs[0]?.handoff).toMatchObject({ outcome: "pending", issue: { number: "71" } });
  });
});
