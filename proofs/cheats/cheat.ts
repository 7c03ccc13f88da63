import type { Kit } from "./kit.ts";

/** What a user is shown, by how strongly it acts. Empty where nothing is shown. */
export interface Shown {
  readonly stopped: string;
  readonly asked: string;
  readonly told: string;
}

/** How a user meets what an agent did: by default by running the workflow and looking at the end of the run. */
export interface User {
  readonly room: string;
  readonly repository: string;
  /** Of our own sources. */
  readonly root: string;
  /** Runs the command in the repository. */
  baton(...args: readonly string[]): Promise<Printed>;
  /** Runs it in another folder; as another user where the folder is a clone. */
  elsewhere(folder: string, ...args: readonly string[]): Promise<Printed>;
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** The text of a workflow that comes along. */
  ready(name: string): string;
  /** `baton status RUN --json`. */
  show(run: string): Promise<RunJson>;
  /** `baton run` with the workflow of the shop, and what it shows at its end. */
  runWorkflow(...options: readonly string[]): Promise<RunShown>;
}

export interface Printed {
  readonly code: number | null;
  /** Everything that was printed. */
  readonly text: string;
  readonly out: string;
  readonly err: string;
}

export interface RunShown extends Shown {
  readonly run: string;
  readonly status: string;
  readonly code: number | null;
  readonly started: readonly string[];
}

export interface RunJson {
  readonly run: string;
  readonly status: string;
  readonly asks: readonly { readonly id: string; readonly answered: unknown }[];
  readonly remarks: readonly unknown[];
}

export interface Cheat {
  readonly builder?: (kit: Kit) => void;
  readonly tester?: (kit: Kit) => void;
  /** Files of the repository at the beginning, beside those of the shop, or instead of them. */
  readonly files?: Readonly<Record<string, string>>;
  readonly workflow?: (text: string) => string;
  /** Packages in `node_modules`. */
  readonly vitest?: boolean;
  /** A folder of the room that the user has first on the PATH. */
  readonly path?: string;
  /** What must be spoken of for the verdict to count. */
  readonly shows?: RegExp;
  /** How the user meets it, where that is not the run alone. */
  readonly user?: (user: User) => Promise<Shown>;
}
