// An example as a repository of its own, in a temporary folder: nothing is ever run in ours.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

const ISSUE = ["run", "issue.yaml", "--trust", hashOf("issue/issue.yaml")];

/**
 * The command lines of each example, one after the other; those that are `together`, at once. A run that waits for
 * a person ends with exit code 1.
 * @type {Readonly<Record<string, readonly { readonly args: readonly string[], readonly code?: number, readonly together?: true }[]>>}
 */
export const EXAMPLES = {
  pipeline: [{ args: ["run", "pipeline", "--brief", "A discount in percent can be taken off a cart."] }],
  issue: [{ args: [...ISSUE, "--brief", "5 cents are shown as 0.5"] }],
  issues: [
    { args: [...ISSUE, "--brief", "5 cents are shown as 0.5"], together: true },
    { args: [...ISSUE, "--brief", "Long names do not fit on the receipt"], together: true },
  ],
  collective: [{ args: ["run", "collective", "--brief", "Titles of articles become part of their addresses."] }],
  tasks: [{ args: ["run", "tasks", "--tasks", "tasks/*.md"] }],
  feature: [
    { args: ["run", "feature", "--brief", "A user who forgot the password gets a token."], code: 1 },
    { args: ["approve", "--note", "Good. Keep it that small."] },
    { args: ["resume"] },
  ],
};

/** @param {string} path */
function hashOf(path) {
  return createHash("sha256")
    .update(readFileSync(join(here, path)))
    .digest("hex");
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
