import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { ForgeError } from "../../ports/forge.ts";
import { refOf } from "../references.ts";
import type { ForgeGit } from "../git.ts";

/** The branches of a local forge. Commits come in by fetching, which runs nothing of the repository they come from. */
export class BareRepository {
  readonly folder: string;
  readonly #git: ForgeGit;

  constructor(folder: string, git: ForgeGit) {
    this.folder = folder;
    this.#git = git;
  }

  /** Made beside its place and moved there: a repository that was cut off is no repository. */
  async make(source: string, branch: string | null): Promise<void> {
    if (existsSync(this.folder)) return;
    const base = branch ?? (await this.#presentBranch(source));
    const temporary = `${this.folder}.${randomUUID()}.tmp`;
    await mkdir(temporary, { recursive: true });
    try {
      const made = new BareRepository(temporary, this.#git);
      await made.#run("init", "--bare", "--quiet", "--template=", ".");
      await made.#run("symbolic-ref", "HEAD", refOf(base));
      await made.#run("config", "core.hooksPath", "/dev/null");
      await made.take(source, base);
      await rename(temporary, this.folder).catch((error: NodeJS.ErrnoException) => {
        // Another process was faster.
        if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
      });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }

  async #presentBranch(source: string): Promise<string> {
    const args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
    const { code, output } = await this.#git({ directory: source, args, accepts: [0, 1] });
    if (code === 0) return output.trim();
    throw new ForgeError(`${source} is on no branch: name the base in the workflow, forge: { base: main }`);
  }

  async base(): Promise<string> {
    return (await this.#run("symbolic-ref", "--short", "HEAD")).trim();
  }

  async commitOf(branch: string): Promise<string | null> {
    const ref = refOf(branch);
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const { code, output } = await this.#git({ directory: this.folder, args, accepts: [0, 1] });
    return code === 0 ? output.trim() : null;
  }

  /** The branch of another repository becomes the branch of this one. */
  async take(source: string, branch: string): Promise<string> {
    const ref = refOf(branch);
    const before = await this.commitOf(branch);
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const { code, output } = await this.#git({ directory: source, args, accepts: [0, 1] });
    const commit = output.trim();
    if (code !== 0) throw new ForgeError(`${source} has no branch ${branch}`);
    if (commit === before) return commit;
    await this.#fetch(source, ref);
    if (!(await this.move(branch, commit, before)))
      throw new ForgeError(`the branch ${branch} of the forge was moved meanwhile`, true);
    return commit;
  }

  /** Follows the branch of another repository as long as nothing is lost by it. */
  async follow(source: string, branch: string): Promise<void> {
    const ref = refOf(branch);
    const before = await this.commitOf(branch);
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const { code, output } = await this.#git({ directory: source, args, accepts: [0, 1] });
    const after = output.trim();
    if (code !== 0 || before === null || after === before) return;
    // Not there yet, so it cannot be an ancestor of it.
    const known = await this.#git({ directory: source, args: ["cat-file", "-e", before], accepts: [0, 1, 128] });
    if (known.code !== 0) return;
    const grows = ["merge-base", "--is-ancestor", before, after];
    if ((await this.#git({ directory: source, args: grows, accepts: [0, 1] })).code !== 0) return;
    await this.#fetch(source, ref);
    await this.move(branch, after, before);
  }

  async #fetch(source: string, ref: string): Promise<void> {
    const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
    await this.#git({
      directory: this.folder,
      args: ["fetch", ...quiet, "--upload-pack", "git-upload-pack", "--", source, ref],
      protocol: "file",
    });
  }

  /** Compare and swap; false when the branch was not where it was thought to be. */
  async move(branch: string, to: string, from: string | null): Promise<boolean> {
    const args = ["update-ref", refOf(branch), to, from ?? "0".repeat(to.length)];
    try {
      await this.#git({ directory: this.folder, args });
      return true;
    } catch (error) {
      if ((await this.commitOf(branch)) !== from) return false;
      throw error;
    }
  }

  async remove(branch: string): Promise<void> {
    const commit = await this.commitOf(branch);
    if (commit !== null) await this.#run("update-ref", "-d", refOf(branch), commit);
  }

  /** Whether a commit is part of a branch. */
  async holds(branch: string, commit: string): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", commit, refOf(branch)];
    return (await this.#git({ directory: this.folder, args, accepts: [0, 1, 128] })).code === 0;
  }

  /** Commits that the one has and the other lacks. */
  async count(head: string, base: string): Promise<number> {
    return Number((await this.#run("rev-list", "--count", head, `^${base}`, "--")).trim());
  }

  async giveTo(workspace: string, branch: string): Promise<string | null> {
    const commit = await this.commitOf(branch);
    if (commit === null) return null;
    const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc"];
    await this.#git({
      directory: workspace,
      args: ["fetch", ...quiet, "--upload-pack", "git-upload-pack", "--", this.folder, refOf(branch)],
      protocol: "file",
    });
    return commit;
  }

  async #run(...args: readonly string[]): Promise<string> {
    return (await this.#git({ directory: this.folder, args })).output;
  }
}
