import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Evidence } from "../../src/evidence/observations.ts";
import { gitRepository } from "../../src/git/git-repository.ts";
import type { Base } from "../../src/ports/repository.ts";
import type { Plant } from "./plant.ts";

/** A workspace with a real history, and what may be claimed of it. */
export interface World {
  readonly name: string;
  readonly directory: string;
  readonly base: Base | null;
  /** Every file that differs from the base, by construction; a renamed one under its new name. */
  readonly changed: readonly string[];
  /** Of these the new ones. */
  readonly created: readonly string[];
  /** The commits of the work, where claims about all of them are judged. */
  readonly commits?: readonly string[];
  readonly plants: readonly Plant[];
  readonly scene: Partial<Omit<Evidence, "observations">>;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Builder",
  GIT_AUTHOR_EMAIL: "builder@example.org",
  GIT_COMMITTER_NAME: "Builder",
  GIT_COMMITTER_EMAIL: "builder@example.org",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** A folder of its own in which histories are made by git itself. */
export class Workbench {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-truth-")));
  readonly repository = gitRepository({
    folder: join(this.folder, "notes"),
    environment: { PATH: process.env["PATH"] ?? "", HOME: this.folder },
  });
  #clock = Date.parse("2026-03-09T04:00:00Z");

  directory(name: string): Place {
    const path = join(this.folder, name);
    mkdirSync(path, { recursive: true });
    return new Place(path, () => (this.#clock += 60_000));
  }

  /** The state from which the work begins, as a run would note it. */
  async mark({ path }: Place): Promise<Base> {
    const snapshot = await this.repository.snapshot(path);
    if (snapshot === null) throw new Error(`${path} has no repository`);
    return { tree: snapshot.tree, commit: snapshot.commit, name: "the state before the step" };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Place {
  readonly path: string;
  readonly #tick: () => number;

  constructor(path: string, tick: () => number) {
    this.path = path;
    this.#tick = tick;
  }

  git(...args: string[]): string {
    const date = new Date(this.#tick()).toISOString();
    const env = { ...process.env, ...IDENTITY, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return execFileSync("git", args, {
      cwd: this.path,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), text);
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true });
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(join(this.path, to)), { recursive: true });
    renameSync(join(this.path, from), join(this.path, to));
  }

  link(to: string, path: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    symlinkSync(to, join(this.path, path));
  }

  mode(path: string, mode: number): void {
    chmodSync(join(this.path, path), mode);
  }

  /** Everything there is, as one commit; gives its id. */
  commit(message: string): string {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "-m", message);
    return this.git("rev-parse", "HEAD");
  }
}

/** So many numbered lines; some of them can be told apart by another word. */
export function lines(count: number, word = "line", other: readonly number[] = []): string {
  return Array.from({ length: count }, (_, at) =>
    other.includes(at + 1) ? `edited ${at + 1}\n` : `${word} ${at + 1}\n`,
  ).join("");
}
