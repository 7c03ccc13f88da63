import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILD_REPORT_SCHEMA, SPEC_FORMATS } from "../format-files/spec-formats.ts";
import { baton, workroom } from "./run-baton.ts";

const make = workroom();

/** Writes its handoff to the file that its prompt names, or says it. */
const AGENT = `
const fs = require("node:fs");
let prompt = "";
process.stdin.on("data", (bytes) => (prompt += bytes)).on("end", () => {
  fs.writeFileSync("prompt.txt", prompt);
  const handoff = fs.readFileSync("handoff.txt", "utf8");
  const file = /Write the handoff to the file "?([^"\\s]+?)"?\\.\\n/.exec(prompt)?.[1];
  if (file === undefined) process.stdout.write("Done.\\n\\n\`\`\`json\\n" + handoff + "\\n\`\`\`\\n");
  else fs.writeFileSync(file, handoff);
});
`;

const BUILD_REPORT = '{ "agent": "one", "result": { "state": "ok" } }';
const RELAY_NOTE = '{ "relay": 2, "author": "one", "result": { "state": "finished", "headline": "Done." } }';

interface Place {
  readonly format: string;
  /** `file` of the agent. */
  readonly file?: string;
  readonly handoff: string;
}

function place({ format, file, handoff }: Place): { cwd: string; env: Record<string, string> } {
  const own = file === undefined ? "" : `    file: ${file}\n`;
  const cwd = make({
    "baton.yaml": `baton: 1
name: places
start: one
verify: off
agents:
  one:
    dialect: ${format}
${own}    run: { process: [node, agent.cjs] }
    routes: { done: end }
`,
    "baton.format.yaml": SPEC_FORMATS[format] ?? "",
    "schemas/build-report.schema.json": JSON.stringify(BUILD_REPORT_SCHEMA),
    "agent.cjs": AGENT,
    "handoff.txt": handoff,
  });
  execFileSync("git", ["init", "-q"], { cwd });
  return { cwd, env: { BATON_CONFIG_HOME: make({}), XDG_CONFIG_HOME: make({}), HOME: make({}) } };
}

interface Finding {
  readonly severity: string;
  readonly message: string;
  readonly hint: string;
  readonly code: string;
}

async function check(here: ReturnType<typeof place>): Promise<{ trust: string; findings: Finding[] }> {
  const { trust, files } = JSON.parse((await baton(["check", "--json"], here)).stdout);
  const findings = (files[0].diagnostics as Finding[]).filter(({ code }) => code === "inconsistent");
  return { trust, findings };
}

async function promptOf(here: ReturnType<typeof place>): Promise<string> {
  const { trust } = await check(here);
  const run = await baton(["run", "--brief", "x", "--trust", trust, "--json"], here);
  expect([run.code, run.stderr]).toEqual([0, expect.anything()]);
  return readFileSync(join(here.cwd, "prompt.txt"), "utf8");
}

describe("where the handoff of an own format is read in a run", () => {
  it("is the last message unless the agent has a file: the prompt speaks of no file", async () => {
    const prompt = await promptOf(place({ format: "relay-note", handoff: RELAY_NOTE }));
    expect(prompt).toContain("A fenced json code block with `relay` at its root.");
    expect(prompt).toContain("Put the handoff at the end of your last message.");
    expect(prompt).not.toContain("relay-*.json");
  });

  it("is the file of the agent: the prompt names it, and no other", async () => {
    const here = place({ format: "relay-note", file: "relay-{run}.json", handoff: RELAY_NOTE });
    const prompt = await promptOf(here);
    expect(prompt).toContain("One JSON document with `relay` at its root, and nothing else in its file.");
    expect(prompt).toMatch(/Write the handoff to the file "?relay-[^*"]+\.json"?\./);
    expect(prompt).not.toContain("relay-*.json");
    expect(prompt).not.toContain("A fenced json code block");
  });

  it("is where the workflow says, and check warns that a format which stands in files only has no file", async () => {
    const here = place({ format: "build-report", handoff: BUILD_REPORT });
    const { findings } = await check(here);
    expect(findings).toEqual([
      expect.objectContaining({
        severity: "warning",
        message: expect.stringContaining("its last message is read"),
        hint: expect.stringContaining("`file: build-report{run}.json`"),
      }),
    ]);
    expect(await promptOf(here)).not.toContain("build-report*.json");
  });

  it("is a file that the format does not know, and check warns of it", async () => {
    const here = place({ format: "build-report", file: "out-{task}.json", handoff: BUILD_REPORT });
    const { findings } = await check(here);
    expect(findings).toEqual([
      expect.objectContaining({ severity: "warning", message: expect.stringContaining("`build-report*.json`") }),
    ]);
    expect(await promptOf(here)).toContain("One JSON document, and nothing else in its file.");
  });

  it.each([
    { format: "build-report", file: "build-report-{run}.json", handoff: BUILD_REPORT },
    { format: "relay-note", file: "out.json", handoff: RELAY_NOTE },
    { format: "relay-note", handoff: RELAY_NOTE },
  ])("does not contradict $format with the file $file", async (agent) => {
    expect((await check(place(agent))).findings).toEqual([]);
  });
});
