import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { GateMachine, GateObstacle } from "../../ports/command-runner.ts";
import { trustedFolders } from "../process-group/clean-environment.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { homes, isAtOrBelow, isBelow, isFolder, programPlaces, realOf } from "./sandbox-view.ts";
import { readToolchains } from "./toolchains.ts";

interface MachineOptions {
  /** Root of the repository. */
  readonly root: string;
  readonly hidden: readonly string[];
  readonly toolchainFile: string;
}

/** Looks at programs as a gate would find them, and at the folders that they are known to need. */
export function gateMachine({ root, hidden, toolchainFile }: MachineOptions): GateMachine {
  const { folders, problems } = readToolchains(toolchainFile, hidden);
  const places = [...programPlaces(hidden), ...folders.flatMap(({ from, to }) => [from, ...to])];
  const isSeen = (path: string): boolean => places.some((place) => isAtOrBelow(path, place));
  return {
    obstacles: ({ command: [name = ""], inherit }) => {
      const program = findProgram(name, root);
      if (program === null) return name.includes("/") ? [] : [NOT_ON_PATH];
      // A file of the repository that is named by its path is in the copy, or is brought into it.
      const isOwn = (file: string): boolean => name.includes("/") && isBelow(file, root);
      const unseen = filesOf(program).find((file) => !isSeen(file) && !isOwn(file));
      const needed = neededFolders(program).filter(({ folder }) => !isSeen(folder));
      return [
        ...(unseen === undefined || needed.some(({ folder }) => isAtOrBelow(unseen, folder))
          ? []
          : [unseenFile(unseen, { root, toolchainFile })]),
        ...needed.map((need) => unseenFolder(need, inherit, toolchainFile)),
      ];
    },
    async notices() {
      const sandbox = await findBubblewrap();
      const lines = problems.map(({ line, why }) => `${toolchainFile}: the line ${line} does not count: ${why}.`);
      if ("why" in sandbox) return [`Gates run without a sandbox: ${sandbox.why}.`, ...lines];
      if (!("why" in sandbox.layers)) return lines;
      const readOnly = "Gates cannot write into node_modules and see no toolchains of the list";
      return [`${readOnly}: ${sandbox.layers.why}.`, ...lines];
    },
  };
}

const NOT_ON_PATH: GateObstacle = {
  says: "is not on the PATH of this machine",
  hint: "Install it, or name it with its path. Another machine may have it.",
};

/** Null when it is not there. */
function findProgram(name: string, root: string): string | null {
  const paths = name.includes("/") ? [resolve(root, name)] : trustedFolders().map((folder) => join(folder, name));
  return paths.find(isExecutable) ?? null;
}

/** The program, the file that it is a link to, and the interpreter of a script. */
function filesOf(program: string): string[] {
  const real = realOf(program) ?? program;
  const [, interpreter = "", word = ""] = /^#! *(\S+)(?: +(\S+))?/.exec(firstLineOf(real)) ?? [];
  const named = basename(interpreter) === "env" ? findProgram(word, "/") : interpreter;
  return [program, real, ...(named === null || named === "" ? [] : [named, realOf(named) ?? named])];
}

function unseenFile(
  file: string,
  { root, toolchainFile }: Pick<MachineOptions, "root" | "toolchainFile">,
): GateObstacle {
  const says = `needs ${tilde(file)}, which gates do not see`;
  if (!isBelow(file, root)) return { says, hint: addLine(toolchainOf(file), toolchainFile) };
  return { says, hint: "Name it by its path from the root of the repository, for example node_modules/.bin/vitest." };
}

interface NeededFolder {
  readonly folder: string;
  /** The variable by which the operator has put it there. */
  readonly variable: string | null;
}

function unseenFolder({ folder, variable }: NeededFolder, inherit: readonly string[], file: string): GateObstacle {
  const says = `keeps what it needs in ${tilde(folder)}, which gates do not see`;
  const line = addLine(folder, file);
  const isPassed = variable === null || inherit.includes(variable);
  return { says, hint: isPassed ? line : `${line} And let the gate inherit its place: \`inherit: [${variable}]\`.` };
}

function addLine(folder: string, file: string): string {
  return `Add this line to ${tilde(file)}: ${tilde(folder)}`;
}

interface Need {
  readonly programs: RegExp;
  /** In the home, unless the variable names another one. */
  readonly folder: string;
  readonly variable: string | null;
  /** Without this in it, it is of no use. */
  readonly holds?: string;
}

const NEEDS: readonly Need[] = [
  { programs: /\/rustup$/, folder: ".rustup", variable: "RUSTUP_HOME" },
  { programs: /\/cargo$/, folder: ".cargo", holds: "registry", variable: "CARGO_HOME" },
  { programs: /\/mvnw?$/, folder: ".m2", variable: null },
  { programs: /\/gradlew?$/, folder: ".gradle", variable: "GRADLE_USER_HOME" },
  { programs: /\/go$/, folder: "go/pkg", variable: null },
  { programs: /\/corepack\//, folder: ".cache/node/corepack", variable: "COREPACK_HOME" },
];

/** Folders of programs that choose among versions: what lies in their `bin` or `shims` is only the beginning. */
const MANAGERS = /^(?:\.(?:pyenv|rbenv|nodenv|jenv|asdf|volta|sdkman|rye)|\.local\/share\/(?:mise|uv|pipx))(?=\/)/;

function neededFolders(program: string): NeededFolder[] {
  const paths = [program, realOf(program) ?? program];
  const byName = NEEDS.filter(({ programs }) => paths.some((path) => programs.test(path))).flatMap(placeOf);
  const byPlace = paths.flatMap((path) => {
    const home = homes().find((folder) => isBelow(path, folder));
    const [manager] = home === undefined ? [] : (MANAGERS.exec(path.slice(home.length + 1)) ?? []);
    return home === undefined || manager === undefined ? [] : [{ folder: join(home, manager), variable: null }];
  });
  const all = [...byName, ...byPlace].filter(({ folder }) => isFolder(folder));
  return all.filter(({ folder }, at) => all.findIndex((other) => other.folder === folder) === at);
}

function placeOf({ folder, variable, holds = "" }: Need): NeededFolder[] {
  const chosen = variable === null ? undefined : process.env[variable];
  const place = chosen ?? join(homedir(), folder);
  return isFolder(join(place, holds)) ? [{ folder: place, variable: chosen === undefined ? null : variable }] : [];
}

/** The folder that has to be listed for a file to be seen: as much as belongs together, and no more. */
function toolchainOf(file: string): string {
  const home = homes().find((folder) => isBelow(file, folder));
  if (home === undefined) return basename(dirname(file)) === "bin" ? dirname(dirname(file)) : dirname(file);
  const parts = file.slice(home.length + 1).split("/");
  const depth = parts[0] === ".local" ? 3 : parts[0] === ".cache" || parts[0] === ".config" ? 2 : 1;
  return parts.length > depth ? join(home, ...parts.slice(0, depth)) : dirname(file);
}

function tilde(path: string): string {
  const home = homes().find((folder) => isBelow(path, folder));
  return home === undefined ? path : `~${path.slice(home.length)}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function firstLineOf(path: string): string {
  try {
    const file = openSync(path, "r");
    const bytes = Buffer.alloc(256);
    const length = readSync(file, bytes);
    closeSync(file);
    return bytes.toString("latin1", 0, length).split("\n", 1)[0] ?? "";
  } catch {
    return "";
  }
}
