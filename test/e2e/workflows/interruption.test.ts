import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { livingIn } from "../../agents/living-processes.ts";
import { projectRoot } from "../../cli/run-baton.ts";
import { WORKFLOW, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

describe("Ctrl-C", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "(%s) ends with 130, leaves no process, and resume finishes",
    async (signal) => {
      const repository = example("pipeline");
      const { folder, environment } = repository;
      pretend(repository, { TestAgent: "slow" });
      await repository.baton("trust", WORKFLOW);
      const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), "run", WORKFLOW], {
        cwd: folder,
        env: { ...process.env, ...environment },
        stdio: "pipe",
      });
      let shown = "";
      child.stderr.on("data", (text: Buffer) => {
        const hadStarted = shown.includes("TestAgent starts");
        shown += text.toString("utf8");
        if (!hadStarted && shown.includes("TestAgent starts")) child.kill(signal);
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      expect(code).toBe(130);
      expect(shown).toContain("nothing is lost");
      expect(livingIn(folder)).toEqual([]);
      expect(existsSync(join(folder, "handoff-TestAgent.json"))).toBe(false);

      expect(await repository.baton("resume")).toMatchObject({ code: 0 });
      expect(await repository.view()).toMatchObject({ status: "completed" });
      const accepted = ofKind(await repository.events(), "handoff-accepted").map(({ agent }) => agent);
      expect(accepted).toEqual([...new Set(accepted)]);
      expect(await repository.baton("replay")).toMatchObject({ code: 0 });
    },
  );
});
