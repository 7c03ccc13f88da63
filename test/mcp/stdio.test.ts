import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { ERAS, type Json, stdioClient } from "./mcp-client.ts";

const room = mkdtempSync(join(tmpdir(), "baton-mcp-stdio-"));
const env = { HOME: room, XDG_CONFIG_HOME: join(room, "config") };
afterAll(() => rmSync(room, { recursive: true, force: true }));

function newFolder(): string {
  const folder = mkdtempSync(join(room, "repository-"));
  mkdirSync(join(folder, ".git"));
  return folder;
}

const NAMES = [
  "validate_handoff",
  "submit_handoff",
  "convert_handoff",
  "get_context",
  "query_knowledge",
  "list_runs",
  "get_run",
  "start_run",
  "ask_person",
];

const valid = DIALECTS["pipeline-json"].print(DIALECTS["pipeline-json"].example);

describe.each(ERAS)("`baton mcp` for a client of %s", (era) => {
  it("lists its tools, described in full and always in the same order", async () => {
    const client = await stdioClient(newFolder(), env, era);
    const tools = (await client.ask("tools/list"))["tools"] as Json[];
    expect(tools.map((tool) => tool["name"])).toEqual(NAMES);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: "object", additionalProperties: false },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) },
        _meta: { "anthropic/alwaysLoad": true },
      });
    }
    await client.close();
  });

  it("asks the person only through a client that says it can show questions", async () => {
    const cleared = { ...env, CLAUDECODE: "", AI_AGENT: "" };
    const shows = await stdioClient(newFolder(), cleared, era, () => ({ action: "decline" }));
    expect((await shows.call("ask_person")).text).not.toContain("cannot show questions");
    await shows.close();
    const silent = await stdioClient(newFolder(), cleared, era);
    expect((await silent.call("ask_person")).text).not.toContain("No such question is open");
    await silent.close();
  });

  it("validates and converts, and tells what is wrong with its line", async () => {
    const client = await stdioClient(newFolder(), env, era);
    const good = await client.call("validate_handoff", { text: valid });
    expect(good).toMatchObject({ isError: false, data: { valid: true, dialect: "pipeline-json", handoffs: 1 } });
    const bad = await client.call("validate_handoff", { text: valid.replace(/"from_agent": "[^"]*",/, "") });
    expect(bad).toMatchObject({ isError: false, data: { valid: false } });
    expect(bad.text).toMatch(/^\d+:\d+ error: .*from_agent/m);
    const converted = await client.call("convert_handoff", { text: valid, to: "task-yaml" });
    expect(converted.data).toMatchObject({
      valid: true,
      dialect: "task-yaml",
      text: expect.stringContaining("outcome:"),
    });
    expect(await client.call("convert_handoff", { text: "{}", to: "task-yaml" })).toMatchObject({ isError: true });
    expect((await client.call("convert_handoff", { text: valid, to: "klingon" })).text).toContain("There are: ");
    await client.close();
  });

  it("answers wrong arguments, unknown tools and lost states with words, and makes no state", async () => {
    const folder = newFolder();
    const client = await stdioClient(folder, env, era);
    expect((await client.call("validate_handoff", {})).isError).toBe(true);
    expect((await client.call("validate_handoff", { text: 1 })).isError).toBe(true);
    expect((await client.call("validate_handoff", { text: valid, path: "/etc/passwd" })).text).toContain("argument");
    expect((await client.call("no_such_tool")).isError).toBe(true);
    expect((await client.call("list_runs")).data).toEqual({ runs: [], next: null });
    expect((await client.call("get_run")).text).toContain("There is no run");
    expect((await client.call("query_knowledge", { text: "cart" })).data).toEqual({ facts: [] });
    expect((await client.call("get_context", { about: "the cart" })).data).toMatchObject({ facts: 0 });
    const submitted = await client.call("submit_handoff", { text: valid });
    expect(submitted).toMatchObject({ isError: true, text: expect.stringContaining("not started by a run of Baton") });
    const started = await client.call("start_run", { workflow: "pipeline", brief: "x" });
    expect(started).toMatchObject({ isError: true, text: expect.stringContaining("baton trust") });
    await client.close();
  });

  it("offers resources, prompts and skills", async () => {
    const client = await stdioClient(newFolder(), env, era);
    const { resources } = (await client.ask("resources/list")) as { resources: Json[] };
    expect(resources.map(({ uri }) => uri)).toContain("baton://formats/task-yaml");
    const { contents } = (await client.ask("resources/read", { uri: "baton://formats/task-yaml" })) as {
      contents: Json[];
    };
    expect(contents[0]).toMatchObject({ mimeType: "text/markdown", text: expect.stringContaining("outcome") });
    for (const uri of [
      "baton://formats/klingon",
      "baton://runs/nothere",
      "baton://runs/x/handoffs/s1.1",
      "file:///etc/passwd",
    ])
      expect(await client.ask("resources/read", { uri })).toMatchObject({ error: { code: -32_602 } });
    const { resourceTemplates } = (await client.ask("resources/templates/list")) as { resourceTemplates: Json[] };
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      expect.arrayContaining([
        "baton://formats/{dialect}",
        "baton://runs/{run}",
        "baton://runs/{run}/handoffs/{attempt}",
      ]),
    );
    const { prompts } = (await client.ask("prompts/list")) as { prompts: Json[] };
    expect(prompts.map(({ name }) => name)).toEqual(["write_handoff", "pick_up"]);
    const prompt = await client.ask("prompts/get", { name: "write_handoff", arguments: { dialect: "issue-xml" } });
    expect(JSON.stringify(prompt)).toContain("validate_handoff");
    const { skills } = (await client.ask("skills/list")) as { skills: { uri: string }[] };
    expect(skills.map(({ uri }) => uri)).toEqual(["skill://baton/handoff/SKILL.md", "skill://baton/pickup/SKILL.md"]);
    expect(await client.ask("skills/get", { uri: skills[0]?.uri ?? "" })).toMatchObject({
      skill: { frontmatter: { name: "handoff" } },
    });
    await client.close();
  });
});

describe("`baton mcp`", () => {
  it("ends with 0 when the client has gone, whatever the client has sent", async () => {
    const client = await stdioClient(newFolder(), env, "2025-11-25");
    client.child.stdin?.write('no json\n{"jsonrpc":"2.0"}\n[]\n{"jsonrpc":"2.0","id":9,"method":"no/such"}\n');
    expect((await client.call("list_runs")).isError).toBe(false);
    await client.close();
    expect(await client.ended).toBe(0);
  });
});
