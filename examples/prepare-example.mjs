// An example as a repository of its own, in a temporary folder: nothing is ever run in ours.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

const command = join(here, "../dist/cli/baton.cjs");
/** Brought along by `npm ci`: whoever started this may be an older one. */
const ownNode = join(here, "../node_modules/node/bin/node");

/** @typedef {{ readonly args: readonly string[], readonly code?: number, readonly together?: true }} Line */

/**
 * The command lines of each example, one after the other; those that are `together`, at once. A run that waits for
 * a person ends with exit code 1.
 * @type {Readonly<Record<string, readonly Line[]>>}
 */
export const EXAMPLES = {
  get pipeline() {
    return [{ args: run("pipeline", "--brief", "A discount in percent can be taken off a cart.") }];
  },
  get issue() {
    return [{ args: run("issue", "--brief", "5 cents are shown as 0.5") }];
  },
  get issues() {
    return ["5 cents are shown as 0.5", "Long names do not fit on the receipt"].map(atOnce);
  },
  get collective() {
    return [{ args: run("collective", "--brief", "Titles of articles become part of their addresses.") }];
  },
  get tasks() {
    return [{ args: run("tasks", "--tasks", "tasks/*.md") }];
  },
  get feature() {
    return [
      { args: run("feature", "--brief", "A user who forgot the password gets a token."), code: 1 },
      { args: ["approve", "--note", "Good. Keep it that small."] },
      { args: ["resume"] },
    ];
  },
};

/**
 * @param {string} brief
 * @returns {Line}
 */
function atOnce(brief) {
  return { args: run("issue", "--brief", brief), together: true };
}

/**
 * A run of an example, which is trusted as it is here: the workflow and the scripts that it starts.
 * @param {string} name
 * @param {...string} more
 */
function run(name, ...more) {
  const workflow = name === "issue" ? "issue.yaml" : name;
  return ["run", workflow, "--trust", hashOf(name, workflow), ...more];
}

/** @type {Map<string, string>} */
const known = new Map();

/**
 * As `baton check --json` tells it, where the example is a folder of its own.
 * @param {string} name
 * @param {string} workflow
 */
function hashOf(name, workflow) {
  const before = known.get(name);
  if (before !== undefined) return before;
  const folder = mkdtempSync(join(tmpdir(), "baton-check-"));
  try {
    cpSync(join(here, name), folder, { recursive: true });
    const { stdout } = spawnSync(existsSync(ownNode) ? ownNode : process.execPath, [command, "check", workflow, "--json"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { trust } = JSON.parse(stdout);
    known.set(name, trust);
    return trust;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Copies an example and makes it a repository with a first commit; gives its folder.
 * @param {string} name
 * @param {string} room The folder to make it in.
 */
export function prepareExample(name, room = tmpdir()) {
  const folder = realpathSync(mkdtempSync(join(room, `baton-${name}-`)));
  cpSync(join(here, name === "issues" ? "issue" : name), folder, { recursive: true });
  /** @param {string[]} args */
  const git = (...args) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Example");
  git("config", "user.email", "example@localhost");
  git("config", "commit.gpgsign", "false");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
  return folder;
}
