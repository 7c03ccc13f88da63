// Shows the tool at work: a workflow from its start to COMPLETE, the formats its agents hand over in, and the page
// with the run. On a terminal the page stays until Ctrl-C; elsewhere it ends by itself. Exit code 0 when all went as
// it should. What it made stays in `.demo` until the next time; `npm run page` shows it again.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXAMPLES, prepareExample } from "../examples/prepare-example.mjs";
import { openPage } from "./open-page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const command = join(root, "dist/cli/baton.cjs");
const workshop = join(root, ".demo");

/**
 * Runs one command line and shows it with what it prints, as it prints it.
 * @param {string} about
 * @param {readonly string[]} args
 * @param {{ cwd: string, code?: number, lines?: number }} how `lines` shows only the last ones.
 */
function show(about, args, { cwd, code = 0, lines }) {
  const line = args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ");
  process.stdout.write(`\n# ${about}\n$ baton ${line}${lines === undefined ? "" : ` | tail -n ${lines}`}\n`);
  const { status, stdout } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    encoding: "utf8",
    stdio: lines === undefined ? "inherit" : ["inherit", "pipe", "inherit"],
  });
  if (lines !== undefined) process.stdout.write(stdout.trimEnd().split("\n").slice(-lines).join("\n") + "\n");
  if (status !== code) throw new Error(`baton ${args[0]} ended with ${status}, expected ${code}`);
}

/** Five agents build, test, review, scan and document a change in a repository of their own. */
function showRun() {
  rmSync(workshop, { recursive: true, force: true });
  mkdirSync(workshop);
  const cwd = prepareExample("pipeline", workshop);
  for (const { args } of EXAMPLES["pipeline"] ?? [])
    show("Five agents. The builder makes a mistake; watch the tester find it.", args, { cwd });
  process.stdout.write("\nWhat happened, and where to look next:\n");
  show("Every run, and where it stands.", ["status"], { cwd });
  show("Everything that happened, the end of it.", ["log"], { cwd, lines: 5 });
  show("The same decisions again, from the log alone.", ["replay"], { cwd });
  show("Nobody has changed what happened.", ["audit", "verify"], { cwd });
}

/** The formats the agents hand over in. */
function showFormats() {
  const cwd = workshop;
  for (const folder of ["valid", "broken"])
    cpSync(join(root, "examples", folder), join(cwd, folder), { recursive: true });
  show("Five handoff formats, one command: each is found out and checked.", ["validate", "valid"], { cwd });
  show("A broken handoff: everything that is wrong, all at once.", ["validate", "broken/retry-summary.md"], {
    cwd,
    code: 1,
  });
  show("What a rule means.", ["explain", "002-R03"], { cwd });
  show("Safe repairs, shown as a diff and written.", ["fix", "--write", "broken/retry-summary.md"], { cwd });
  const convert = ["convert", "valid/testing-summary.md", "--to", "output-json"];
  show("One agent's handoff for another that speaks a different format.", convert, { cwd });
}

/** The folder of the run that was shown last. */
function shownRun() {
  const name = readdirSync(workshop).find((entry) => entry.startsWith("baton-pipeline-"));
  if (name === undefined) throw new Error("nothing was shown yet: npm start");
  return join(workshop, name);
}

const isPageOnly = process.argv.includes("--page");
if (!isPageOnly) {
  process.stdout.write("baton drives coding agents through a workflow; no handoff is taken unread.\n");
  showRun();
  showFormats();
  process.stdout.write(`
Everything went as it should. Next:
  node examples/run-example.mjs issue   also: collective, tasks, feature
  npx baton serve --demo                a page with several runs, some at work
  npx baton help                        every command
`);
}
await openPage(command, shownRun(), isPageOnly || (process.stdin.isTTY && process.stdout.isTTY));
