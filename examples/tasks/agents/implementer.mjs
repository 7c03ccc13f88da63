// Does the one task it is given: writes code and a test, runs the test, commits, hands over.
import { existsSync, readFileSync } from "node:fs";
import { commit, lineCount, run, write } from "./kit.mjs";
import { HOW_TO, MENDED } from "./know-how.mjs";

const task = process.env.BATON_TASK;
const { code, test } = HOW_TO[task];
// Whoever finds the code there already has been here before: the test tells what is missing.
const isAgain = existsSync(code.path);
const text = isAgain ? (MENDED[task] ?? code.text) : code.text;
write(code.path, text);
write(test.path, test.text);

const { passed, output } = run("node", "--test", "--test-reporter=tap", test.path);
const failed = /^not ok \d+ - (.*)$/m.exec(output)?.[1];
const handoff = passed ? completed() : partial();
const file = `tasks/${task}.md`;
const [body] = readFileSync(file, "utf8").split("\n## Handoff");
const status = passed ? "completed" : "in_progress";
write(file, `${body.replace(/\| Status \| \w+ \|/, `| Status | ${status} |`).trimEnd()}\n\n${handoff}`);
await commit(`${passed ? "Finish" : "Begin"} ${task}`, code.path, test.path, file);
console.log(handoff);

function completed() {
  return section(`outcome: completed
${files()}
patterns_discovered:
  - pattern: Amounts are whole cents
    location: ${code.path}
    applies_to: [money]
dependencies_for_next:
  - file: ${code.path}
    reason: The tasks after this one build on it`);
}

function partial() {
  return section(`outcome: partial
${files()}
gotchas:
  - issue: A rate that is missing gives NaN, not an error
    discovered_in: ${test.path}
    mitigation: Look the rate up first and refuse what has none
    severity: high
suggested_next_steps:
  - step: Make the test pass that fails
    priority: high
    depends_on: [${code.path}]
blockers:
  - blocker: "A test fails: ${failed}"
    impact: The report would show sums that are no numbers
    suggested_resolution: Refuse currencies without a rate
    blocking_tasks: [task-4]`);
}

function files() {
  return `files_created:
  - path: ${code.path}
    purpose: ${code.purpose}
    lines: 1-${lineCount(text)}
  - path: ${test.path}
    purpose: Tests it
    lines: 1-${lineCount(test.text)}`;
}

function section(yaml) {
  return `## Handoff\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n`;
}
