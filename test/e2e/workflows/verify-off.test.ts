import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { examples } from "./repository.ts";

const example = examples();

const HANDOFF = `## Handoff

\`\`\`yaml
outcome: completed
patterns_discovered:
  - pattern: Prices are whole cents
    location: src/price.mjs
    applies_to: [price]
gotchas:
  - issue: The old rates file is stale
    discovered_in: src/rates.mjs
    mitigation: Use the new one
    severity: high
\`\`\`
`;

function workflow(verify: string): string {
  return `baton: 1
name: two
start: Worker
${verify}
agents:
  Worker: { run: { process: [node, worker.mjs] }, dialect: task-yaml, routes: { done: end } }
tasks:
  - { id: first, brief: Prices of the shop }
  - { id: second, brief: Totals of the shop, depends_on: [first] }
`;
}

const WORKER = `import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("prompt-" + process.env.BATON_TASK + ".txt", readFileSync(0, "utf8"));
process.stdout.write(readFileSync("handoff.md", "utf8"));
`;

it("verify: off does not empty the context of the next task", async () => {
  const repository = example("pipeline");
  const write = (name: string, text: string): void => writeFileSync(join(repository.folder, name), text);
  write("two.yaml", workflow("verify: off"));
  write("worker.mjs", WORKER);
  write("handoff.md", HANDOFF);
  expect(await repository.baton("trust", "two.yaml")).toMatchObject({ code: 0 });
  expect(await repository.baton("run", "two.yaml")).toMatchObject({ code: 0 });
  const { stdout } = await repository.baton("context", "--task", "second");
  for (const text of ["Prices are whole cents", "The old rates file is stale"]) expect(stdout).toContain(text);
  const known = await repository.baton("knowledge", "search", "--status", "trusted");
  expect(known.stdout).not.toContain("Prices are whole cents");
});
