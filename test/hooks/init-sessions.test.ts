import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../cli/run-baton.ts";
import { hookRooms, stopOf, taskHandoff } from "./hook-room.ts";

const room = hookRooms();

const DEFINITIONS = {
  ".claude/agents/reviewer.md": `---\nname: code-reviewer\ndescription: Reviews\n---\nReview it. End so:\n\n${taskHandoff()}`,
  ".claude/agents/explorer.md": "---\nname: explorer\n---\nLook around.\n",
  ".codex/agents/builder.toml": `name = "builder"\ninstructions = """\n${EXAMPLES["phase-yaml"].text}\n"""\n`,
  ".github/agents/tester.agent.md": `Test it.\n\n${taskHandoff()}`,
  "AGENTS.md": "Be kind.\n",
};

describe("baton init --sessions", () => {
  it("proposes what the definitions of agents show, and writes it only when that was agreed to", async () => {
    const made = room(DEFINITIONS);
    const shown = await made.run("init", "--sessions");
    expect(shown).toMatchObject({ code: 0 });
    for (const line of [
      "code-reviewer: { format: task-yaml } # .claude/agents/reviewer.md",
      "# explorer: { format: task-yaml } # .claude/agents/explorer.md shows no handoff",
      "builder: { format: phase-yaml } # .codex/agents/builder.toml",
      "tester: { format: task-yaml } # .github/agents/tester.agent.md",
      "# main: { format: task-yaml } # AGENTS.md shows no handoff",
    ])
      expect(shown.stderr).toContain(line);
    expect(existsSync(join(made.root, "baton.yaml"))).toBe(false);
    expect(await made.run("init", "--sessions", "--yes")).toMatchObject({ code: 0 });
    expect(await made.run("check")).toMatchObject({ code: 0 });
    const stop = stopOf(made, "done", { agent_type: "tester" });
    expect((await made.hook("SubagentStop", "copilot", stop)).answer["decision"]).toBeUndefined();
    await made.run("trust");
    expect((await made.hook("SubagentStop", "copilot", stop)).answer["decision"]).toBe("block");
    expect(await made.run("init", "--sessions", "--yes")).toMatchObject({ code: 2 });
  });

  it("adds it to a workflow that is there, and leaves the rest as it was", async () => {
    const made = room(DEFINITIONS);
    await made.run("init", "--yes", "--workflow", "tasks", "--agent", "script");
    const before = readFileSync(join(made.root, "baton.yaml"), "utf8");
    await made.run("init", "--sessions", "--yes");
    const after = readFileSync(join(made.root, "baton.yaml"), "utf8");
    expect(after.startsWith(before.trimEnd())).toBe(true);
    expect((await made.run("check")).stdout).toContain("agents that owe a handoff in their client");
  });

  it("follows no link, and writes nothing where nothing is shown", async () => {
    const bare = room({ ".claude/agents/explorer.md": "Look around.\n" });
    symlinkSync("/etc/passwd", join(bare.root, ".claude/agents/link.md"));
    const none = await bare.run("init", "--sessions", "--yes");
    expect(none.stderr).toContain("No definition of an agent shows a handoff");
    expect(none.stderr).not.toContain("link.md");
    expect(existsSync(join(bare.root, "baton.yaml"))).toBe(false);
  });
});
