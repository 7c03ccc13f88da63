import { expect, it } from "vitest";
import { claimOf, git, handoff, put, repository, verify } from "./verify-repository.ts";

const PLANTED = "TN:\nSF:src/new.js\nDA:1,1\nLF:1\nLH:1\nend_of_record\n";

it.each(["committed", "left in the workspace"])(
  "a report that was %s before the gate ran proves nothing",
  async (how) => {
    const folder = repository();
    put(folder, "planted.info", PLANTED);
    if (how === "committed") {
      git(folder, "add", "planted.info");
      git(folder, "commit", "-qm", "test: results");
    }
    put(folder, "done.md", handoff({ results: { coverage_percent: 100 } }));
    const gate = ["--run-gates", "--gate", "test=node --version", "--report", "planted.info"];
    const json = await verify(folder, "done.md", ...gate);
    expect(claimOf(json, "coverage").verdict).toBe("unverifiable");
    expect(JSON.stringify(json)).toContain("the gate has not written it");
  },
);
