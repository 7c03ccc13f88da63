/** Scripts of a package.json by name. */
export type Scripts = Readonly<Record<string, string>>;

/** What the commands of gates start, as far as their words tell. */
export interface UsedTools {
  /** Names of scripts of package.json; null when any of them may be started. */
  readonly scripts: ReadonlySet<string> | null;
  /** All words of the commands and of these scripts. */
  readonly words: ReadonlySet<string>;
  /** Files that these start or take their settings from, by path. */
  readonly files: ReadonlySet<string>;
  /** Languages whose tools are started; null when that cannot be told. */
  readonly families: ReadonlySet<Family> | null;
}

export type Family = "node" | "python" | "rust" | "go" | "jvm" | "ruby" | "php" | "dotnet";

/** Follows the commands of gates into the scripts that they start, and from script to script. */
export function usedTools(commands: readonly (readonly string[])[], scripts: Scripts): UsedTools {
  const used = followScripts(
    commands.flatMap((command) => scriptsOf(command, scripts)),
    scripts,
  );
  const bodies = [...used].map((name) => scripts[name] ?? "");
  const texts = [...commands.flat(), ...bodies];
  const files = [...commands, ...[...commands.flat(), ...bodies].flatMap(commandsIn)].flatMap(startedFiles);
  const words = new Set(texts.flatMap(wordsOf));
  const isOpen = [...words].some((word) => OPEN.test(programOf(word)));
  const known = [...words].flatMap((word) => familyOf(word) ?? []);
  const isKnown = !isOpen && commands.every(([program = ""]) => familyOf(program) !== null);
  return { scripts: isOpen ? null : used, words, files: new Set(files), families: isKnown ? new Set(known) : null };
}

/** These scripts, those before and after them, and those that they start. */
function followScripts(first: readonly string[], scripts: Scripts): Set<string> {
  const used = new Set<string>();
  const waiting = [...first];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const fresh = [`pre${name}`, name, `post${name}`].filter((each) => !used.has(each));
    for (const each of fresh) {
      used.add(each);
      const parts = wordsOf(scripts[each] ?? "");
      if (parts.some((part) => STARTS_SCRIPTS.test(part))) waiting.push(...namedScripts(parts, scripts));
    }
  }
  return used;
}

const STARTS_SCRIPTS =
  /^(?:npm|pnpm|yarn|bun|run-s|run-p|npm-run-all2?|concurrently|turbo|nx|lerna|wireit|wsrun|ultra|--run)$/;

/** Shells and runners of tasks may start anything. */
const OPEN = /^(?:(?:ba|z|da|k)?sh|make|gmake|just|task|mage|cmake|ninja|bazel|docker|env|xargs|eval|turbo|nx|lerna)$/;

function wordsOf(text: string): string[] {
  return text.split(/[\s"'`;&|()<>=,]+/).filter((word) => word !== "");
}

/** The commands of a text that a shell reads. A text of one word is none. */
function commandsIn(text: string): string[][] {
  if (!/\s/.test(text.trim())) return [];
  return text.split(/&&|\|\||[;|&\n()]/).map(wordsOf);
}

/** The program itself, the file that an interpreter is given, and files of settings; sources are work and no gate. */
function startedFiles(command: readonly string[]): string[] {
  let isNext = true;
  const files: string[] = [];
  for (const word of command) {
    if (isNext && /[./]/.test(word) && !word.startsWith("-")) files.push(word.replace(/^(?:\.\/)+/, ""));
    const isProgram: boolean = isNext || /^(?:npx|cross-env|c8|nyc|exec|run|-m)$/.test(word);
    isNext =
      SETTINGS_OPTION.test(word) ||
      (isProgram && INTERPRETER.test(programOf(word))) ||
      (isNext && word.startsWith("-"));
  }
  return files.filter((file) => !SOURCES.test(file));
}

const INTERPRETER =
  /^(?:node|tsx|ts-node|deno|bun|python[\d.]*|ruby|perl|php|(?:ba|z|da|k)?sh|source|\.|npx|cross-env|c8|nyc|run)$/;
const SETTINGS_OPTION =
  /^(?:--(?:import|require|loader|experimental-loader|config|rcfile|settings|globals?|setup[\w-]*)|-[rc])$/;
const SOURCES = /(?:^|\/)(?:src|lib|app)\//;

function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function namedScripts(words: readonly string[], scripts: Scripts): string[] {
  const starts = words.filter((word) => word.endsWith("*")).map((word) => word.replace(/\*+$/, ""));
  return Object.keys(scripts).filter((name) => words.includes(name) || starts.some((start) => name.startsWith(start)));
}

/** The scripts that a command starts by itself. */
function scriptsOf([first = "", ...rest]: readonly string[], scripts: Scripts): string[] {
  const program = programOf(first);
  if (program === "node") return rest.flatMap((word, at) => runByNode(word, rest[at + 1]));
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return [];
  const [verb = "", ...others] = rest.filter((word) => !word.startsWith("-"));
  if (/^(?:run|run-script|rum|urn)$/.test(verb)) return others.slice(0, 1);
  if (/^(?:test|t|tst)$/.test(verb)) return ["test"];
  if (/^(?:ci|i|install|add)$/.test(verb)) return ["install", "prepare"];
  return Object.hasOwn(scripts, verb) ? [verb] : [];
}

function runByNode(word: string, next: string | undefined): string[] {
  if (word.startsWith("--run=")) return [word.slice("--run=".length)];
  return word === "--run" && next !== undefined ? [next] : [];
}

const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|bunx?|node|deno|tsx|ts-node|vitest|jest|mocha|ava|tap|c8|nyc|tsc|vue-tsc|eslint|oxlint|biome|prettier|stylelint|playwright|cypress|karma|xo|standard|borp|uvu)$/,
    "node",
  ],
  [
    /^(?:python[\d.]*|pytest|py\.test|tox|nox|uvx?|poetry|hatch|pdm|pipenv|ruff|mypy|flake8|pylint|coverage)$/,
    "python",
  ],
  [/^(?:cargo|rustc|cross)$/, "rust"],
  [/^(?:go|gotestsum|golangci-lint|ginkgo)$/, "go"],
  [/^(?:mvnw?|gradlew?|sbt|lein)$/, "jvm"],
  [/^(?:bundle|rake|rspec|ruby|rubocop|rails)$/, "ruby"],
  [/^(?:composer|php|phpunit|pest|phpstan)$/, "php"],
  [/^(?:dotnet|msbuild)$/, "dotnet"],
];

function familyOf(word: string): Family | null {
  const program = programOf(word);
  return FAMILIES.find(([pattern]) => pattern.test(program))?.[1] ?? null;
}
