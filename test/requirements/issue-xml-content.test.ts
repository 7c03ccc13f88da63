import { describe, expect, it } from "vitest";
import { FORMS } from "../../src/protocol/dialects/issue-xml/example.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { writeHandoff } from "../../src/protocol/write-handoff.ts";

/** What an XML handoff holds is read or told, wherever its author has put it. */
describe("the envelope of a described form in its data", () => {
  it("is what the handoff says", () => {
    const moved = { status: undefined, "data.status": "pending", issue_number: undefined, "data.issue_number": "71" };
    const approved = { "data.review_status": "approved", "data.critical_count": "0", "data.important_count": "0" };
    const { text } = renderSample(DIALECTS["issue-xml"], { set: { ...moved, ...approved, to: "validator-agent" } });
    expect(readHandoffs(text).handoffs[0]?.handoff).toMatchObject({ outcome: "pending", issue: { number: "71" } });
  });

  it.each([
    ["fixer-agent", "status", "failure", ["001-R10 duplicate-key"]],
    ["fixer-agent", "status", "ready", []],
    ["fixer-agent", "status", "a word of its own", []],
    ["auditor-agent", "status", "failure", []],
    ["auditor-agent", "issue_number", "72", ["001-R10 duplicate-key"]],
    ["auditor-agent", "issue_number", "071", []],
    ["auditor-agent", "pr_number", "85", ["001-R10 duplicate-key"]],
    ["auditor-agent", "summary", "The same at length", []],
  ])("to %s says nothing else than it does below the root: %s %s", (to, key, word, codes) => {
    const set = { to, status: "success", issue_number: "71", pr_number: "84", [`data.${key}`]: word };
    const { diagnostics } = readHandoffs(renderSample(DIALECTS["issue-xml"], { set }).text);
    expect(diagnostics.map(({ rule, code }) => `${rule} ${code}`)).toEqual(codes);
  });
});

describe("text where elements belong", () => {
  const xml = (inner: string): string =>
    renderSample(DIALECTS["issue-xml"], { set: { from: "a-agent", to: "b-agent", data: {} } }).text.replace(
      "<data/>",
      `<data>${inner}</data>`,
    );

  it.each([
    ["blocking_issues", "A used card can be redeemed again", "a list of <issue> elements"],
    ["commits", '<commit sha="4f2a9c1">Round</commit> and two more', "a list of <commit> elements"],
    ["metrics", "14 tests", "a record of named fields"],
  ])("in %s is told, for it would be lost", (element, content, expected) => {
    const { valid, diagnostics } = readHandoffs(xml(`<${element}>${content}</${element}>`));
    expect(valid).toBe(false);
    expect(diagnostics.map(({ code }) => code)).toEqual(["wrong-type"]);
    expect(diagnostics[0]?.message).toContain(`\`data.${element}\` must be ${expected}; found`);
  });

  it("does not take the attributes of a metric for nothing", () => {
    const { handoffs } = readHandoffs(xml('<metrics><coverage of="lines">93%</coverage></metrics>'));
    expect(handoffs[0]?.handoff?.metrics).toEqual({ coverage: { "#xml": '<coverage of="lines">93%</coverage>' } });
  });
});

describe("the end of a run", () => {
  const complete = (status: string): string =>
    renderSample(DIALECTS["issue-xml"], { set: { ...FORMS["001-R20"], status } }).text;

  it.each(["blocked", "pending", "success"])("is not %s", (status) => {
    const { valid, diagnostics } = readHandoffs(complete(status));
    expect(valid).toBe(false);
    expect(diagnostics.map(({ rule, code }) => `${rule} ${code}`)).toEqual(["001-R20 inconsistent"]);
  });

  it("is completed", () => {
    expect(readHandoffs(complete("completed"))).toMatchObject({ valid: true, diagnostics: [] });
  });
});

it("attributes that the format does not name come back, of lists and of their items too", () => {
  const { text } = renderSample(DIALECTS["issue-xml"], { set: FORMS["001-R11"] ?? {} });
  const written = text
    .replace("<requirements>", '<requirements source="chat">')
    .replace("<requirement>", '<requirement id="R1">');
  const { valid, handoffs } = readHandoffs(written);
  expect(valid).toBe(true);
  expect(handoffs[0]?.handoff && writeHandoff(handoffs[0].handoff, "issue-xml")).toMatchObject({
    text: expect.stringMatching(/<requirements source="chat">\s*<requirement id="R1">/),
    notes: [],
  });
});

describe("the end of a run", () => {
  const form = FORMS["001-R20"];
  const told = (set: Record<string, string | undefined>) =>
    readHandoffs(renderSample(DIALECTS["issue-xml"], { set: { ...form, ...set } }).text)
      .diagnostics.filter(({ severity }) => severity === "error")
      .map(({ rule, code }) => `${rule} ${code}`);

  it.each(["review_iterations", "total_commits", "tests_added", "coverage"])("is measured by %s", (figure) => {
    expect(told({})).toEqual([]);
    expect(told({ [`metrics.${figure}`]: undefined })).toEqual(["001-R20 missing-field"]);
    expect(told({ [`metrics.${figure}`]: "" })).toEqual(["001-R20 missing-field"]);
    expect(told({ [`metrics.${figure}`]: "[figure]" })).toEqual(["001-R20 unfilled-template"]);
  });

  it("is written as such only with all of its figures", () => {
    const [read] = readHandoffs(renderSample(DIALECTS["issue-xml"], { set: form ?? {} }).text).handoffs;
    const handoff = read?.handoff ?? { dialect: "issue-xml", outcome: "failed" };
    expect(writeHandoff(handoff, "issue-xml").text).toContain("<workflow-complete>");
    const { coverage: _coverage, ...metrics } = handoff.metrics ?? {};
    const { text } = writeHandoff({ ...handoff, metrics }, "issue-xml");
    expect(text).toContain("<handoff>");
    expect(readHandoffs(text).valid).toBe(true);
  });
});
