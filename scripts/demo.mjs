// Shows the tool at work on the examples of all five formats. Ends by itself; exit code 0 when all went as it should.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const command = join(root, "dist/cli/baton.cjs");
const workshop = mkdtempSync(join(tmpdir(), "baton-demo-"));
cpSync(join(root, "examples"), workshop, { recursive: true });

/**
 * Runs one command line in the workshop and shows it with what it printed.
 * @param {string} about
 * @param {string[]} args
 * @param {number} expected
 */
function show(about, args, expected) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: workshop,
    encoding: "utf8",
  });
  process.stdout.write(`\n# ${about}\n$ baton ${args.join(" ")}\n${stdout}${stderr}`);
  if (status !== expected) throw new Error(`baton ${args[0]} ended with ${status}, expected ${expected}`);
}

try {
  process.stdout.write("baton reads, judges, repairs and converts five handoff formats.\n");
  show("Five formats, one command: each is found out and checked.", ["validate", "valid"], 0);
  show("Broken handoffs: everything that is wrong, all at once.", ["validate", "broken"], 1);
  show("What a rule means.", ["explain", "000-R13"], 0);
  show("Safe repairs, shown as a diff and written.", ["fix", "--write", "broken"], 0);
  show("All of them are valid now.", ["validate", "broken"], 0);
  for (const target of ["issue-xml", "phase-yaml", "task-yaml", "output-json"]) {
    show(
      `A pipeline handoff for an agent that speaks ${target}.`,
      ["convert", "valid/handoff-BackendBuilder.json", "--to", target, "--set", "issue=71"],
      0,
    );
  }
  show(
    "And back: what the XML review says, as pipeline JSON.",
    ["convert", "valid/review.xml", "--to", "pipeline-json"],
    0,
  );
  show("Freeform notes: what they say plainly is taken, the rest is listed.", ["migrate", "notes/task-9-notes.md"], 0);
  process.stdout.write("\nEverything went as it should. Next: README.md, `npx baton help`.\n");
} finally {
  rmSync(workshop, { recursive: true, force: true });
}
