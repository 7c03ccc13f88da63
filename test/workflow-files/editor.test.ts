import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workflowSchema } from "../../src/workflow/file/workflow-schema.ts";
import { READY_WORKFLOWS } from "../../src/workflow/ready/ready-workflows.ts";
import { projectRoot } from "../cli/run-baton.ts";
import { shownIn } from "../editor/editor-cases.ts";
import { LspClient } from "../editor/lsp-client.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-workflow-editor-"));
const schemaFile = join(folder, "workflow.schema.json");
const { text: pipeline } = READY_WORKFLOWS.pipeline;

/** What is replaced in the pipeline, and on which line an editor must say what. */
const CASES = [
  ["a key that means nothing", "timeout: 5m", "timout: 5m", ["timout: 5m", "timout is not allowed"]],
  [
    "a word that is not in the list",
    "silence: remind",
    "silence: wait",
    ["asks: { timeout: 24h, silence: wait }", '"reject"'],
  ],
  ["a duration without its unit", "wall: 4h", "wall: 4", ["budget: { wall: 4", "Incorrect type"]],
  ["a number out of its bounds", "limit: 3", "limit: 0", ["loop: { limit: 0", "below the minimum of 1"]],
] as const;

describe("yaml-language-server with the schema of workflow files", () => {
  let client: LspClient | null = null;
  let whyNot = "";

  beforeAll(async () => {
    writeFileSync(schemaFile, JSON.stringify(workflowSchema()));
    const settings = {
      yaml: { schemaStore: { enable: false }, kubernetesCRDStore: { enable: false }, validate: true, hover: true },
    };
    const server = join(projectRoot, "node_modules/.bin/yaml-language-server");
    client = new LspClient(process.execPath, [server, "--stdio"], settings);
    await client.start(pathToFileURL(folder).href).catch((error: unknown) => {
      if (process.env["CI"] !== undefined) throw error;
      whyNot = `yaml-language-server does not start here: ${String(error)}`;
    });
  });

  afterAll(async () => {
    await client?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.for(Object.entries(READY_WORKFLOWS))("says nothing of %s", async ([name, { text }], { skip }) => {
    expect((await open(name, text, skip)).diagnostics).toEqual([]);
  });

  it.for(CASES)("shows %s on its line", async ([mistake, from, to, shown], { skip }) => {
    const { text, diagnostics } = await open(mistake, pipeline.replace(from, to), skip);
    expect(shownIn(text, diagnostics, [shown])).toContainEqual(shown);
  });

  it("shows what a key is for", async ({ skip }) => {
    const { server, uri } = await open("hover", pipeline, skip);
    const line = pipeline.split("\n").indexOf("start: BackendBuilder") + 1;
    const hover = await server.request("textDocument/hover", {
      textDocument: { uri },
      position: { line, character: 2 },
    });
    expect(JSON.stringify(hover)).toContain("The agent that begins.");
  });

  async function open(title: string, workflow: string, skip: (why: string) => never) {
    if (client === null || whyNot !== "") return skip(whyNot);
    const uri = pathToFileURL(join(folder, `${title}.yaml`)).href;
    const text = `# yaml-language-server: $schema=${schemaFile}\n${workflow}`;
    return { server: client, uri, text, diagnostics: await client.open(uri, "yaml", text) };
  }
});
