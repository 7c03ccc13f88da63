import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { examples, ofKind } from "./repository.ts";

const example = examples();

const WORKFLOW = `baton: 1
name: long
start: Builder
verify: off
agents:
  Builder:
    run: { process: [node, builder.mjs] }
    dialect: pipeline-json
    routes: { done: Reader }
  Reader:
    run: { process: [node, reader.mjs] }
    dialect: task-yaml
    routes: { done: end }
`;

const BUILDER = `const decisions = Array.from({ length: 3000 }, (_, at) => "decision " + at);
console.log(JSON.stringify({
  from_agent: "Builder", to_agent: "Reader", timestamp: new Date().toISOString(), status: "PASS", iteration: 1,
  loop_required: false, loop_target: null, loop_reason: null, artifacts: [], context: { design_decisions: decisions },
  validation: { command: "true", expected_result: "passes", checklist: [] },
}));
`;

/** It finds the file by what the prompt says, and hands over how much is in it. */
const READER = `import { readFileSync } from "node:fs";
const prompt = readFileSync(0, "utf8");
const [, file] = /all of it is in the file (\\S+?)\\.(?:\\s|$)/.exec(prompt);
const whole = JSON.parse(readFileSync(file, "utf8"))["handoff of Builder"].context.decisions.length;
const [left] = /\\d+ of \\d+ entries of context.decisions/.exec(prompt);
console.log("## Handoff\\n\\n\`\`\`yaml\\noutcome: completed\\nfound: " + whole + ", " + left + "\\n\`\`\`");
`;

it("what a prompt leaves out is counted, and the agent can read it", async () => {
  const repository = example("pipeline");
  const write = (name: string, text: string): void => writeFileSync(join(repository.folder, name), text);
  write("long.yaml", WORKFLOW);
  write("builder.mjs", BUILDER);
  write("reader.mjs", READER);
  expect(await repository.baton("trust", "long.yaml")).toMatchObject({ code: 0 });
  expect(await repository.baton("run", "long.yaml")).toMatchObject({ code: 0 });
  const accepted = ofKind(await repository.events(), "handoff-accepted").at(-1);
  expect(accepted?.delivery.handoff.extensions).toEqual({
    "task-yaml": { found: "3000, 2900 of 3000 entries of context.decisions" },
  });
  expect(repository.git("status", "--short")).not.toContain("left-out");
});
