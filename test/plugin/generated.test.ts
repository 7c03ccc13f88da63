import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHookMachine } from "../../src/main/open-hook-machine.ts";
import { momentOf } from "../../src/runtime/hooks/hook-call.ts";
import { GENERATED_FOLDERS, pluginFiles } from "../../scripts/plugin.ts";

const root = join(import.meta.dirname, "../..");

describe("the plugin", () => {
  const files = pluginFiles();

  it("is what `npm run plugin` writes", () => {
    const found = GENERATED_FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
    );
    expect(found.sort()).toEqual([...files.keys()].sort());
    for (const [path, text] of files) expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
    for (const path of ["plugin/bin/baton", "extensions/gemini/bin/baton"])
      expect(statSync(join(root, path)).mode & 0o111, path).toBe(0o111);
  });

  it("has the version of the package, in every manifest", () => {
    const versionIn = (path: string): unknown => (readJson(path) as { version: unknown }).version;
    const own = versionIn("package.json");
    for (const path of ["plugin/.claude-plugin/plugin.json", "extensions/gemini/gemini-extension.json"])
      expect(versionIn(path), path).toBe(own);
  });

  it("names its hooks by a string with the event, as all three clients read them", () => {
    const { hooks } = readJson("plugin/hooks/hooks.json") as {
      hooks: Record<string, { hooks: { command: unknown; args?: unknown }[] }[]>;
    };
    expect(Object.keys(hooks)).toContain("SubagentStop");
    for (const [event, [group]] of Object.entries(hooks))
      expect(group?.hooks).toMatchObject([{ command: `sh "\${CLAUDE_PLUGIN_ROOT}/bin/baton" hook ${event}` }]);
  });

  it("has clients wait longer than a hook takes, so that they are told when it takes too long", () => {
    const machine = openHookMachine(root, root);
    for (const [path, second] of [
      ["plugin/hooks/hooks.json", 1],
      ["extensions/gemini/hooks/hooks.json", 1000],
    ] as const) {
      const { hooks } = readJson(path) as { hooks: Record<string, { hooks: { timeout: number }[] }[]> };
      for (const [event, [group]] of Object.entries(hooks)) {
        const moment = momentOf(event);
        const most = moment === null ? null : machine.maxTime(moment);
        expect(moment, event).not.toBeNull();
        if (most !== null) expect((group?.hooks[0]?.timeout ?? 0) / second, event).toBeGreaterThan(most / 1000);
      }
    }
  });

  it("has an icon, a licence and a README as the plugin directory asks for them", () => {
    const icon = readFileSync(join(root, "plugin/.claude-plugin/icon.png"));
    const [width, height] = [icon.readUInt32BE(16), icon.readUInt32BE(20)];
    expect([icon.toString("latin1", 1, 4), width]).toEqual(["PNG", height]);
    expect(width).toBeGreaterThanOrEqual(512);
    const readme = readFileSync(join(root, "plugin/README.md"), "utf8");
    expect(readme.split(/\s+/).length).toBeGreaterThan(40);
    expect(readme).toContain("/plugin install baton --marketplace ");
    expect(readFileSync(join(root, "plugin/LICENSE"), "utf8")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
  });

  it("hands out the agents of the five workflows, each with how it hands over", () => {
    const agents = [...files].filter(([path]) => path.startsWith("plugin/agents/"));
    expect(agents.length).toBeGreaterThanOrEqual(20);
    for (const [path, text] of agents) expect(text, path).toContain("# How to hand over");
  });
});

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
