import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { gateRunner } from "../agents/run-command.ts";
import { TOOLCHAIN_FILE } from "../agents/sandbox/toolchains.ts";
import { folderWorkspace } from "../agents/workspace.ts";
import { gitRepository } from "../git/git-repository.ts";
import { gitWith, OPERATOR_SETTINGS } from "../git/run-git.ts";
import type { VerifyContext } from "../runtime/engine.ts";
import { redactor } from "../shared/redact.ts";
import { configFolder } from "./config-folder.ts";
import { findRoot } from "./state-folder.ts";
import { secretValues } from "./kept-secret.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Any repository, with a temporary folder for our own notes: nothing is written where it looks. */
export async function openVerifyContext(directory: string): Promise<VerifyContext> {
  const root = findRoot(directory);
  const plain = cleanEnvironment(["XDG_CONFIG_HOME"]);
  const environment = { ...plain, ...(await trustedPlaces(root, plain)) };
  const temporary = temporaryFolder("baton-verify-");
  const folder = temporary.path;
  return {
    root,
    whyNoRepository: () => whyNoRepository(root, environment),
    ports: {
      clock: { now: () => Date.now(), id: () => randomBytes(16).toString("hex") },
      workspace: folderWorkspace({ root, mainRoot: root, stateFolder: folder, workFolder: folder }),
      commands: gateRunner({ hidden: [folder], toolchainFile: join(configFolder(process.env), TOOLCHAIN_FILE) }),
      repository: gitRepository({ folder: join(folder, "git"), environment }),
      results: { find: () => Promise.resolve(null), keep: () => Promise.resolve() },
      redact: redactor(secretValues(process.env)),
    },
    close: () => temporary.remove(),
  };
}

/**
 * In containers of CI the files often belong to somebody else, and the operator, or the checkout, has told git that it
 * may look at them all the same. That is said in the operator's own settings, which our calls do not read.
 */
async function trustedPlaces(
  root: string,
  environment: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const owners = [root, join(root, ".git")].filter((path) => existsSync(path)).map((path) => statSync(path).uid);
  const user = process.getuid?.();
  if (user === undefined || owners.every((owner) => owner === user)) return {};
  const git = gitWith({ environment });
  const ask = async (scope: string): Promise<string[]> => {
    const args = ["config", scope, "-z", "--get-all", "safe.directory"];
    const { code, output } = await git({ args, directory: tmpdir(), environment: OPERATOR_SETTINGS });
    return code === 0 ? output.split("\0").slice(0, -1) : [];
  };
  // Without git there is nothing to trust; the calls that need git report that it is missing.
  const places = (await Promise.all([ask("--system"), ask("--global")]).catch(() => [])).flat();
  const settings = places.flatMap((place, at): [string, string][] => [
    [`GIT_CONFIG_KEY_${at}`, "safe.directory"],
    [`GIT_CONFIG_VALUE_${at}`, place],
  ]);
  return Object.fromEntries([...settings, ["GIT_CONFIG_COUNT", String(places.length)]]);
}

/** The repository was not usable: git itself is asked why. */
async function whyNoRepository(
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly says: string; readonly hint: string } | null> {
  const git = gitWith({ environment });
  const { code, output, complaint } = await git({ args: ["rev-parse", "--is-bare-repository"], directory });
  if (code === 0) {
    if (output.trim() !== "true") return null;
    return { says: "it is bare, so there are no files to look at", hint: "Run it in a clone, or in a worktree." };
  }
  if (!existsSync(join(directory, ".git"))) return null;
  const [first = ""] = complaint.trim().split("\n");
  const isForeign = first.includes("dubious ownership");
  return {
    says: `git says: ${first.replace(/^fatal: /, "").replace(/[.:]$/, "")}`,
    hint: isForeign
      ? `If it is yours: git config --global --add safe.directory ${directory}`
      : "Mend it, then run again.",
  };
}
