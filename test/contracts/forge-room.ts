import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cleanEnvironment } from "../../src/agents/process-group/clean-environment.ts";
import { type ForgeGit, forgeGit } from "../../src/forges/git.ts";

/** A repository with a first commit, in a temporary folder of its own. */
export class ForgeRoom {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-forge-")));
  readonly workspace = join(this.folder, "workspace");
  readonly git: ForgeGit = forgeGit({
    environment: cleanEnvironment(),
    isOurs: (path) => path.startsWith(this.folder),
  });

  constructor() {
    mkdirSync(this.workspace);
    this.run("init", "--quiet", "--initial-branch=main");
    this.run("config", "user.name", "Ada");
    this.run("config", "user.email", "ada@localhost");
    this.run("config", "commit.gpgsign", "false");
    this.commit("Start", { "README.md": "one\ntwo\nthree\n" });
  }

  run(...args: readonly string[]): string {
    return this.runIn(this.workspace, ...args);
  }

  runIn(directory: string, ...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  commit(message: string, files: Readonly<Record<string, string>>): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.workspace, path)), { recursive: true });
      writeFileSync(join(this.workspace, path), text);
    }
    this.run("add", "--all");
    this.run("commit", "--quiet", "--message", message);
    return this.run("rev-parse", "HEAD");
  }

  /** A branch from main with one commit, and back to main. */
  branch(name: string, files: Readonly<Record<string, string>>, from = "main"): string {
    this.run("switch", "--quiet", "--create", name, from);
    const head = this.commit(`Work on ${name}`, files);
    this.run("switch", "--quiet", "main");
    return head;
  }

  /** As a person reviews in a local forge: by the file. */
  review(pull: number, by: string, state: string, body: string): void {
    const file = join(this.folder, `forge/items/${pull}.json`);
    const item = JSON.parse(readFileSync(file, "utf8")) as { reviews?: unknown[] };
    writeFileSync(file, JSON.stringify({ ...item, reviews: [...(item.reviews ?? []), { by, state, body }] }));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
