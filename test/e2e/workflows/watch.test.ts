import { describe, expect, it } from "vitest";
import { hasNoTerminal, onTerminal } from "../on-terminal.ts";
import { EXAMPLES } from "../../../examples/prepare-example.mjs";
import { examples } from "./repository.ts";

const example = examples();
const FEATURE = EXAMPLES["feature"]?.[0]?.args ?? [];

/** What stays on an endless screen when everything was drawn: the few movements that we use, and no colours. */
function screenOf(sent: string): string[] {
  const lines: string[] = [""];
  let [row, column] = [0, 0];
  for (const [token] of sent.matchAll(/\u001b\[[\d;]*[A-Za-z]|[^]/gu)) {
    const [, count = "1", move] = /^\u001b\[(\d*)[\d;]*([A-Za-z])$/.exec(token) ?? [];
    if (move === "A") row = Math.max(0, row - Number(count));
    else if (move === "K") lines[row] = (lines[row] ?? "").slice(0, column);
    else if (move === "J") lines.splice(row, lines.length, (lines[row] ?? "").slice(0, column));
    else if (token === "\r") column = 0;
    else if (token === "\n") lines[++row] ??= "";
    else if (move === undefined) {
      lines[row] = (lines[row] ?? "").slice(0, column) + token + (lines[row] ?? "").slice(column + 1);
      column++;
    }
  }
  return lines;
}

describe("baton watch", () => {
  it("prints plain lines where there is no terminal, and ends with the run", async () => {
    const repository = example("feature");
    const started = await repository.baton(...FEATURE, "--mode", "autonomous", "--detach");
    const { code, stdout, stderr } = await repository.baton("watch", started.stdout.trim());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of stdout.trimEnd().split("\n")) expect(line).toMatch(/^\d\d:\d\d:\d\d {2}\S/);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/COMPLETE/);
  });

  it("watches all runs with a line for each, and says which of them waits", async () => {
    const repository = example("feature");
    const waiting = (await repository.baton(...FEATURE, "--detach")).stdout.trim();
    const done = (await repository.baton(...FEATURE, "--mode", "autonomous", "--detach")).stdout.trim();
    const { code, stdout } = await repository.baton("watch", "--all");
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}${waiting} {2}waiting .*1 waiting for you$`, "m"));
    expect(stdout).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}${done} {2}completed `, "m"));
    expect((await repository.baton("watch", waiting)).code).toBe(1);
    expect((await repository.baton("watch", "--all", waiting)).code).toBe(2);
    await repository.baton("cancel", waiting);
    expect(await repository.baton("watch", "--all")).toMatchObject({ code: 0, stdout: "" });
  });

  it("says that the content of a run was pruned, as every command does that would show it", async () => {
    const repository = example("feature");
    await repository.baton(...FEATURE, "--mode", "autonomous");
    await repository.baton("prune", "--days", "0");
    const watched = await repository.baton("watch");
    expect(watched).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("was pruned") });
    expect(watched.stderr).toBe((await repository.baton("log")).stderr);
  });

  it.skipIf(hasNoTerminal()).each([80, 120])(
    "draws the run below what happens on a terminal of %i columns, and leaves no trace of the picture",
    async (columns) => {
      const repository = example("feature");
      const started = await repository.baton(...FEATURE, "--mode", "autonomous", "--detach");
      const run = started.stdout.trim();
      const { code, sent } = onTerminal(repository, columns, "watch", run);
      expect(code).toBe(0);
      expect(sent).toMatch(/─{20}/);
      expect(sent).toContain(`feature ${run}  running`);
      const screen = screenOf(sent);
      expect(screen.some((line) => line.includes("─"))).toBe(false);
      expect(screen.filter((line) => line.length > columns)).toEqual([]);
      expect(screen.some((line) => /^\d\d:\d\d:\d\d {2}[✓!] COMPLETE/.test(line))).toBe(true);
      expect(screen.some((line) => line.startsWith(`feature ${run}  completed`))).toBe(true);
      const all = onTerminal(repository, columns, "watch", "--all");
      expect(all).toMatchObject({ code: 0, sent: expect.stringContaining("No run is active") as string });
    },
  );
});

describe("a terminal that cannot redraw", () => {
  it.skipIf(hasNoTerminal())("gets plain lines from a run", () => {
    const { folder, environment } = example("feature");
    const dumb = { folder, environment: { ...environment, TERM: "dumb" } };
    const { code, sent } = onTerminal(dumb, 80, ...FEATURE, "--mode", "autonomous");
    expect(code).toBe(0);
    expect(sent).not.toContain("\u001b");
  });
});

describe("the picture of a run that goes on in another process", () => {
  it.skipIf(hasNoTerminal())("shows who has handed over before", async () => {
    const repository = example("feature");
    expect((await repository.baton(...FEATURE)).code).toBe(1);
    const { agents } = await repository.view();
    const known = agents.filter(({ visits }) => visits > 0).map(({ name }) => name);
    expect(known).not.toEqual([]);
    expect((await repository.baton("approve")).code).toBe(0);
    const { code, sent } = onTerminal(repository, 120, "resume");
    expect(code).toBe(0);
    for (const name of known) {
      expect(sent).toContain(`✓ ${name}`);
      expect(sent).not.toContain(`○ ${name}`);
    }
  });
});
