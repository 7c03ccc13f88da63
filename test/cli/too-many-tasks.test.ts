import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton, workroom } from "./run-baton.ts";

const folderWith = workroom();

const WORKFLOW = `baton: 1
name: sample
start: builder
budget: { steps: 2 }
agents:
  builder:
    run: { process: [node, --version] }
    dialect: task-yaml
    routes: { done: end }
`;

it("a run of more tasks than its budget has steps is refused before the first of them starts", async () => {
  const task = (id: string): string => `# Task ${id}: Sample\n\n| Field | Value |\n|---|---|\n| Status | pending |\n`;
  const files = { "baton.yaml": WORKFLOW, "t/a.md": task("a"), "t/b.md": task("b"), "t/c.md": task("c") };
  const cwd = folderWith(files);
  const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, ".config") };
  await baton(["trust"], { cwd, env });
  const refused = await baton(["run", "--tasks", "t/*.md"], { cwd, env });
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("3 tasks take at least as many steps, and the workflow's budget.steps allows 2.");
  expect(existsSync(join(cwd, ".git/baton/attempts"))).toBe(false);
  expect((await baton(["run", "--dry-run", "--tasks", "t/[ab].md"], { cwd, env })).code).toBe(0);
});
