import { expect, it } from "vitest";
import { readHandoffs } from "./read-handoff.ts";
import { writeHandoff } from "./write-handoff.ts";
import type { DialectName, Handoff } from "./handoff.ts";

function readValid(text: string, dialect: DialectName): Handoff | null {
  const { valid, handoffs } = readHandoffs(text, { dialect });
  return valid ? (handoffs[0]?.handoff ?? null) : null;
}

it("carries a figure that the other dialect would take for a leftover of its template", () => {
  const metrics = { execution_time: "slot [B]", lines_of_code: 120, shards: ["A"] };
  const handoff: Handoff = { dialect: "pipeline-json", from: "Builder", to: "Tester", outcome: "done", metrics };
  expect(readValid(writeHandoff(handoff, "phase-yaml").text, "phase-yaml")).toMatchObject({ metrics });
  const { notes } = writeHandoff(handoff, "phase-yaml", { carry: false });
  expect(notes.filter(({ code }) => code === "loss").map(({ part }) => part)).toContain("metrics");
});

it("keeps the last handoff of an issue what it is when its cycle time reads as a number", () => {
  const text = [
    "<workflow-complete>",
    "  <issue_number>7</issue_number>",
    "  <status>completed</status>",
    "  <summary>Gift cards can be redeemed</summary>",
    "  <pr_number>9</pr_number>",
    "  <cycle_time>26</cycle_time>",
    "  <issue_url>https://git.example/shop/issues/7</issue_url>",
    "  <pr_url>https://git.example/shop/pull/9</pr_url>",
    "  <metrics>",
    "    <review_iterations>1</review_iterations>",
    "    <total_commits>4</total_commits>",
    "    <tests_added>3</tests_added>",
    "    <coverage>91%</coverage>",
    "  </metrics>",
    "  <actions_taken><action>closed the issue</action></actions_taken>",
    "</workflow-complete>",
  ].join("\n");
  const handoff = readValid(text, "issue-xml");
  if (handoff === null) throw new Error("it was not read");
  const written = writeHandoff(handoff, "issue-xml");
  expect(written.notes).toEqual([]);
  expect(written.text).toContain("<cycle_time>26</cycle_time>");
  expect(readValid(written.text, "issue-xml")).toEqual(handoff);
});
