import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, type Server, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getLanguageService } from "vscode-json-languageservice";
import { TextDocument } from "vscode-languageserver-textdocument";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import type { DialectName } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { baton, projectRoot } from "../cli/run-baton.ts";
import { OUTPUT_CASES, PHASE_CASES, PIPELINE_CASES, TASK_CASES, printBlock, shownIn } from "./editor-cases.ts";
import { LspClient } from "./lsp-client.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-editor-"));
const schemaFiles = new Map<DialectName, string>();
const modelines = new Map<DialectName, string>();

/** Schemas and modelines come out of the command, as a user gets them. */
beforeAll(async () => {
  await Promise.all(
    (["phase-yaml", "task-yaml", "pipeline-json", "output-json"] as const).map(async (name) => {
      const file = join(folder, `${name}.schema.json`);
      const [schema, modeline] = await Promise.all([
        baton(["schema", name]),
        baton(["schema", name, "--modeline", file]),
      ]);
      writeFileSync(file, schema.stdout);
      schemaFiles.set(name, file);
      modelines.set(name, modeline.stdout);
    }),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("yaml-language-server", () => {
  const nowhere = createServer((socket) => socket.destroy());
  let requests = 0;
  let client: LspClient | null = null;
  let whyNot = "";

  beforeAll(async () => {
    nowhere.on("connection", () => requests++);
    const settings = {
      yaml: { schemaStore: { enable: false }, kubernetesCRDStore: { enable: false }, validate: true, hover: true },
      // Whatever it would fetch goes through here, and is counted.
      http: { proxy: await listen(nowhere), proxyStrictSSL: false },
    };
    const server = join(projectRoot, "node_modules/.bin/yaml-language-server");
    client = new LspClient(process.execPath, [server, "--stdio"], settings);
    await client.start(pathToFileURL(folder).href).catch((error: unknown) => {
      if (process.env["CI"] !== undefined) throw error;
      whyNot = `yaml-language-server does not start here: ${String(error)}`;
    });
  });

  afterAll(async () => {
    nowhere.close();
    await client?.stop();
  });

  describe.each([
    { name: "phase-yaml", cases: PHASE_CASES },
    { name: "task-yaml", cases: TASK_CASES },
  ] as const)("with the schema of $name", ({ name, cases }) => {
    it.concurrent("says nothing of the example", async ({ skip }) => {
      const { text, diagnostics } = await open(name, "example", printBlock(DIALECTS[name], {}), skip);
      expect(diagnostics).toEqual([]);
      // The modeline is a comment: the reader says nothing of it either.
      expect(readHandoffs(text)).toMatchObject({ dialect: name, valid: true, diagnostics: [] });
    });

    it.concurrent.for(cases)("shows $mistake on its line", async ({ mistake, changes, shown }, { skip }) => {
      const { text, diagnostics } = await open(name, mistake, printBlock(DIALECTS[name], changes), skip);
      expect(shownIn(text, diagnostics, shown)).toEqual(shown);
    });
  });

  it.concurrent("shows the description of a field", async ({ skip }) => {
    const { server, uri } = await open("task-yaml", "hover", "outcome: completed\n", skip);
    const hover = await server.request("textDocument/hover", { textDocument: { uri }, position: at(1, 2) });
    expect(JSON.stringify(hover)).toContain("partial (work can go on)");
    expect(JSON.stringify(hover)).toContain("003-R02");
  });

  it.concurrent("offers the words of a field", async ({ skip }) => {
    const { server, uri } = await open("phase-yaml", "words", "handoff:\n  status: \n", skip);
    const offered = await server.request("textDocument/completion", { textDocument: { uri }, position: at(2, 10) });
    expect(labels(offered)).toEqual(["blocked", "complete", "failed", "in_progress", "pending", "retry"]);
  });

  it.concurrent("offers the fields that are not there yet", async ({ skip }) => {
    const { server, uri } = await open("task-yaml", "fields", "outcome: completed\n\n", skip);
    const offered = await server.request("textDocument/completion", { textDocument: { uri }, position: at(2, 0) });
    expect(labels(offered)).toEqual(
      Object.keys(DIALECTS["task-yaml"].shape.fields)
        .filter((key) => key !== "outcome")
        .toSorted(),
    );
  });

  it("never asks the network", ({ skip }) => {
    if (whyNot !== "") skip(whyNot);
    expect(requests).toBe(0);
  });

  async function open(name: DialectName, title: string, block: string, skip: (why: string) => never) {
    if (client === null || whyNot !== "") return skip(whyNot);
    const uri = pathToFileURL(join(folder, `${name} ${title}.yaml`)).href;
    const text = (modelines.get(name) ?? "") + block;
    return { server: client, uri, text, diagnostics: await client.open(uri, "yaml", text) };
  }
});

describe("vscode-json-languageservice", () => {
  const service = getLanguageService({
    schemaRequestService: async (uri) => readFileSync(fileURLToPath(uri), "utf8"),
    workspaceContext: { resolveRelativePath: (path, from) => new URL(path, from).href },
  });

  beforeAll(() => {
    // The metadata block stands inside Markdown: an editor that knows it gets the schema by association.
    const schema = JSON.parse(readFileSync(schemaFiles.get("output-json") ?? "", "utf8"));
    service.configure({
      validate: true,
      schemas: [{ uri: "urn:output-json", fileMatch: ["output-json*.json"], schema }],
    });
  });

  describe.each([
    { name: "pipeline-json", cases: PIPELINE_CASES },
    { name: "output-json", cases: OUTPUT_CASES },
  ] as const)("with the schema of $name", ({ name, cases }) => {
    it("says nothing of the example", async () => {
      const { text, diagnostics } = await open(name, printBlock(DIALECTS[name], {}));
      expect(diagnostics).toEqual([]);
      // The line that names the schema is an unknown key, which the reader keeps without a word.
      expect(readHandoffs(text)).toMatchObject({ dialect: name, valid: true, diagnostics: [] });
    });

    it.each(cases)("shows $mistake on its line", async ({ changes, shown }) => {
      const { text, diagnostics } = await open(name, printBlock(DIALECTS[name], changes));
      expect(shownIn(text, diagnostics, shown)).toEqual(shown);
    });
  });

  it("shows the description of a field", async () => {
    const { document, parsed } = await open("pipeline-json", '{\n  "status": "PASS"\n}\n');
    const hover = await service.doHover(document, at(2, 5), parsed);
    expect(JSON.stringify(hover).replaceAll("\\", "")).toContain("000-R07");
  });

  it("offers the words of a field", async () => {
    const { document, parsed } = await open("pipeline-json", '{\n  "status": \n}\n');
    const offered = await service.doComplete(document, at(2, 12), parsed);
    expect(labels(offered)).toEqual(['"FAIL"', '"PASS"', '"PASS_WITH_FIXES"', '"PASS_WITH_WARNINGS"']);
  });

  it("offers the fields that are not there yet", async () => {
    const { document, parsed } = await open("output-json", '{\n  "status": "complete",\n  \n}\n');
    const offered = await service.doComplete(document, at(2, 2), parsed);
    expect(labels(offered)).toEqual(
      Object.keys(DIALECTS["output-json"].shape.fields)
        .filter((key) => key !== "status")
        .toSorted(),
    );
  });

  async function open(name: "pipeline-json" | "output-json", block: string) {
    const text = name === "pipeline-json" ? block.replace("{\n", `{\n  ${modelines.get(name)}`) : block;
    const document = TextDocument.create(pathToFileURL(join(folder, `${name}.json`)).href, "json", 1, text);
    const parsed = service.parseJSONDocument(document);
    return { text, document, parsed, diagnostics: await service.doValidation(document, parsed) };
  }
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function at(line: number, character: number) {
  return { line, character };
}

function labels(offered: unknown): string[] {
  const { items } = offered as { items: readonly { label: string }[] };
  return items.map((item) => item.label).toSorted();
}
