import { describe, expect, it } from "vitest";
import { diagnose, unmark } from "./marked-text.ts";

function workflow(lines: string): string {
  const head = "baton: 1\nname: sample\nstart: builder\nagents:\n";
  const builder =
    "  builder:\n    run: { process: [build] }\n    dialect: pipeline-json\n    routes: { done: tester }\n";
  return `${head}${builder}  tester:\n    run: { process: [check] }\n    dialect: issue-xml\n    routes: { done: end }\n${lines}\n`;
}

describe("the fields that gives and needs name", () => {
  it.each([
    ["that no handoff has", "unknown-name", "Did you mean summary?", "gives: { done: { required: [«summry»] } }"],
    [
      "that no handoff has, inside of another",
      "unknown-name",
      "Did you mean branch?",
      "gives: { done: { properties: { work: { required: [«brnch»] } } } }",
    ],
    [
      "that the format of the agent cannot express",
      "inconsistent",
      "`tester` writes issue-xml, which has no field for `phase`",
      "gives: { done: { required: [«phase»] } }",
    ],
    [
      "that the format of the agent before cannot express",
      "inconsistent",
      "`builder` writes pipeline-json, which has no field for `work.branch`",
      "needs: { properties: { work: { required: [«branch»] } } }",
    ],
    [
      "that never have the type",
      "inconsistent",
      "`findings.issues` of a handoff is a list",
      "gives: { done: { properties: { findings: { properties: { issues: { type: «string» } } } } } }",
    ],
  ])("are told when they are fields %s", (_what, code, words, line) => {
    const { text, spans } = unmark(workflow(`    ${line}`));
    const told = diagnose(text);
    expect(told.found).toEqual([`${code} ${spans[0]}`]);
    expect(told.words).toContain(words);
  });

  it.each([
    "gives: { done: { required: [pull_request, issue], properties: { metrics: { required: [anything] } } } }",
    "gives: { done: { properties: { findings: { properties: { issues: { items: { required: [location, own_key] } } } } } } }",
    "needs: { required: [metrics], properties: { work: { required: [artifacts] }, extensions: { type: object } } }",
    "gives: { done: { properties: { to: { type: [string, 'null'] }, outcome: { const: done } } } }",
  ])("are accepted: %s", (line) => {
    expect(diagnose(workflow(`    ${line}`)).words).toBe("");
  });
});
