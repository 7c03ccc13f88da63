import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ForgeError } from "../../ports/forge.ts";
import { type GitAnswer, NO_OPERATOR_SETTINGS } from "../../git/run-git.ts";
import { refOf } from "../references.ts";
import type { ForgeGit } from "../git.ts";

/**
 * Branches over git's own protocol. An agent can change the settings of a workspace and so send the token elsewhere:
 * the token is used in an empty repository of our own that only borrows the objects of the workspace.
 */
export class GithubBranches {
  readonly #address: string;
  readonly #token: string;
  readonly #git: ForgeGit;

  constructor(api: string, repository: string, token: string, git: ForgeGit) {
    const { protocol, host } = new URL(api);
    this.#address = `${protocol}//${host === "api.github.com" ? "github.com" : host}/${repository}.git`;
    this.#token = token;
    this.#git = git;
  }

  /** What the branch is on GitHub; null when there is none. */
  async commitOf(branch: string): Promise<string | null> {
    const ref = refOf(branch);
    const { output } = await this.#remote(tmpdir(), ["ls-remote", "--quiet", "--", this.#address, ref]);
    const line = output.split("\n").find((text) => text.endsWith(`\t${ref}`));
    return line?.split("\t")[0] ?? null;
  }

  async fetch(workspace: string, branch: string): Promise<string | null> {
    const commit = await this.commitOf(branch);
    if (commit === null) return null;
    const ref = refOf(branch);
    return this.#borrowing(workspace, async (directory) => {
      const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head"];
      await this.#remote(directory, ["fetch", ...quiet, "--", this.#address, `+${ref}:${ref}`]);
      const args = ["fetch", ...quiet, "--no-recurse-submodules", "--", directory, ref];
      await this.#git({ directory: workspace, args, protocol: "file" });
      const { output } = await this.#git({ directory, args: ["rev-parse", "--verify", ref] });
      return output.trim();
    });
  }

  /** Overwrites commits that were taken back, but none that are not known here. */
  async push(workspace: string, branch: string): Promise<string> {
    const ref = refOf(branch);
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const { code, output } = await this.#git({ directory: workspace, args, accepts: [0, 1] });
    const commit = output.trim();
    if (code !== 0) throw new ForgeError(`${workspace} has no branch ${branch}`);
    const before = await this.commitOf(branch);
    if (before === commit) return commit;
    const lease = `--force-with-lease=${ref}:${before ?? ""}`;
    await this.#borrowing(workspace, (directory) =>
      this.#remote(directory, ["push", "--quiet", "--no-verify", lease, "--", this.#address, `${commit}:${ref}`]),
    );
    return commit;
  }

  async #borrowing<T>(workspace: string, work: (directory: string) => Promise<T>): Promise<T> {
    const { output } = await this.#git({ directory: workspace, args: ["rev-parse", "--git-path", "objects"] });
    const directory = await mkdtemp(join(tmpdir(), "baton-push-"));
    try {
      await this.#git({ directory, args: ["init", "--bare", "--quiet", "--template=", "."] });
      const objects = resolve(workspace, output.trim());
      await writeFile(join(directory, "objects/info/alternates"), `${objects}\n`);
      return await work(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  /**
   * The token is a setting of this one call, for this one address, and appears in no list of processes. The operator's
   * settings are not read: an agent may have written a proxy and a certificate authority into them.
   */
  async #remote(directory: string, args: readonly string[]): Promise<GitAnswer> {
    const secret = Buffer.from(`x-access-token:${this.#token}`).toString("base64");
    const settings = [
      [`http.${this.#address}.extraHeader`, `Authorization: Basic ${secret}`],
      ["http.followRedirects", "false"],
      ["http.sslVerify", "true"],
      ["credential.helper", ""],
    ] as const;
    const environment: Record<string, string> = { ...NO_OPERATOR_SETTINGS, GIT_CONFIG_COUNT: String(settings.length) };
    for (const [index, [key, value]] of settings.entries()) {
      environment[`GIT_CONFIG_KEY_${index}`] = key;
      environment[`GIT_CONFIG_VALUE_${index}`] = value;
    }
    const protocol = this.#address.startsWith("https:") ? "https" : "http";
    return this.#git({ directory, args, environment, protocol });
  }
}
