import { describe, expect, it } from "vitest";
import { fixHandoffs } from "./fix-handoff.ts";
import { instructionsFor } from "./instructions.ts";
import { readHandoffs } from "./read-handoff.ts";
import type { ReadOptions } from "./reading.ts";

const agents = ["BackendBuilder", "TestAgent", "code_reviewer"];

function xml(from: string, to: string): string {
  return `<handoff><from>${from}</from><to>${to}</to><timestamp>2026-03-09T14:05:00Z</timestamp><issue_number>71</issue_number><status>success</status><summary>Done</summary><data/></handoff>`;
}

function phase(from: string, to: string): string {
  return `handoff:\n  phase: Testing\n  from: "${from}"\n  to: "${to}"\n  status: failed\n  on_failure: { retry: 1, route_to: "${to}" }\n`;
}

function pipeline(from: string, to: string): string {
  const fields = {
    iteration: 1,
    loop_required: false,
    loop_target: null,
    loop_reason: null,
    artifacts: [],
    context: {},
  };
  const validation = { command: "npm test", expected_result: "passes", checklist: [] };
  const timestamp = "2026-03-09T14:05:00.000Z";
  return JSON.stringify({ from_agent: from, to_agent: to, timestamp, status: "PASS", ...fields, validation });
}

function told(text: string, options: ReadOptions = { agents }): string[] {
  return readHandoffs(text, options).diagnostics.map(({ severity, rule, message }) => `${severity} ${rule} ${message}`);
}

describe("names of agents in a run", () => {
  it.each([
    ["issue-xml", xml("BackendBuilder", "TestAgent")],
    ["issue-xml", xml("code_reviewer", "TestAgent")],
    ["phase-yaml", phase("@BackendBuilder", "@code_reviewer")],
    ["pipeline-json", pipeline("code_reviewer", "TestAgent")],
  ])("are right as the workflow writes them, in %s", (_dialect, text) => {
    expect(told(text)).toEqual([]);
  });

  it.each([
    ["issue-xml", xml("backend-builder", "TestAgent"), ["from"], "BackendBuilder"],
    ["issue-xml", xml("BackendBuilder", "Test Agent"), ["to"], "TestAgent"],
    ["phase-yaml", phase("@backend-builder", "@TestAgent"), ["handoff.from"], "@BackendBuilder"],
    ["phase-yaml", phase("@BackendBuilder", "TestAgent"), ["handoff.to", "handoff.on_failure.route_to"], "@TestAgent"],
    ["pipeline-json", pipeline("backend_builder", "code_reviewer"), ["from_agent"], "BackendBuilder"],
  ])("in another spelling are a warning, in %s", (_dialect, text, places, called) => {
    const reading = readHandoffs(text, { agents });
    expect(reading.valid).toBe(true);
    expect(reading.diagnostics.map(({ severity, code, message }) => [severity, code, message.split("`")[1]])).toEqual(
      places.map((place) => ["warning", "nonstandard-value", place]),
    );
    expect(reading.diagnostics[0]?.hint).toBe(`Write ${called}.`);
    expect(told(fixHandoffs(text, { agents }).text)).toEqual([]);
  });

  it("are what the format says of them outside of a run, and when the workflow has no such agent", () => {
    expect(told(xml("BackendBuilder", "b-agent"), {})).toEqual([expect.stringContaining("error 001-R03")]);
    expect(told(xml("Stranger", "TestAgent"))).toEqual([expect.stringContaining("error 001-R03")]);
    expect(told(phase("@TestAgent", "stranger"))[0]).toContain("error 002-R05");
  });

  it("are not guessed when two agents could be meant", () => {
    const options = { agents: ["TestAgent", "test_agent"] };
    expect(told(xml("TestAgent", "test_agent"), options)).toEqual([]);
    expect(told(xml("TestAgent", "Test Agent"), options)).toEqual([expect.stringContaining("error 001-R04")]);
  });

  it("stand in the example of the instructions as they are", () => {
    const text = instructionsFor("issue-xml", { from: "BackendBuilder", inRun: true });
    expect(text).toContain("<from>BackendBuilder</from>");
    expect(instructionsFor("issue-xml", { from: "BackendBuilder" })).toContain("<from>backend-builder</from>");
  });
});

describe("001 Extensibility: an agent between two", () => {
  const payload =
    "<issue_url>https://git.example/issues/71</issue_url><issue_number>71</issue_number><issue_title>T</issue_title><type>bug</type><priority>high</priority><summary>S</summary><requirements><requirement>R</requirement></requirements>";
  const form = (to: string, content: string): string =>
    `<handoff><from>issue-manager</from><to>${to}</to>${content}</handoff>`;
  const workflow = ["issue-manager", "Triage", "prep-agent"];

  it("does not change what its neighbour may write", () => {
    const before = told(form("prep-agent", payload), { agents: workflow });
    expect(before.every((line) => line.startsWith("warning"))).toBe(true);
    expect(told(form("Triage", payload), { agents: workflow })).toEqual(before);
  });

  it("does not make an empty handoff one that is done", () => {
    expect(told(form("Triage", "<data/>"), { agents: workflow })).toContainEqual(
      expect.stringContaining("error 001-R08"),
    );
  });
});
