import { type JsonRecord, type JsonValue, isRecord, ownValue, sameJson } from "../shared/json-value.ts";
import { type Family, type Scripts, type UsedTools, usedTools } from "./used-tools.ts";
import { counted, quote } from "./wording.ts";

/** The text of a file before the work and now; null when it was absent, is no text or is too large. */
export interface ChangedText {
  readonly path: string;
  readonly before: string | null;
  readonly now: string | null;
}

/** Files that count for every gate: what CI runs, and what git hides or converts. */
const ALWAYS =
  /(?:^|\/)\.git(?:ignore|attributes|modules)$|^\.(?:github\/(?:workflows|actions)|circleci|buildkite|gitea|forgejo|woodpecker)\/|^\.(?:gitlab-ci|travis|drone|cirrus)\.ya?ml$|^(?:azure-pipelines|bitbucket-pipelines|appveyor)\.ya?ml$|^Jenkinsfile$/;

/** Settings of test runners, coverage tools and package managers, by language, wherever they are. */
const SETTINGS: Readonly<Record<Family, RegExp>> = {
  node: /^(?:(?:vitest|vite)(?:\.[\w-]+)*\.(?:config|workspace|projects)\.\w+|(?:vitest|vite|jest|ava|karma|playwright|cypress|nyc|web-test-runner|c8)\.(?:config|conf|workspace|setup|projects)(?:\.\w+)+|\.(?:mocharc|nycrc|c8rc|taprc|jestrc|babelrc|swcrc)(?:\.\w+)?|babel\.config\.\w+|\.istanbul\.ya?ml|\.?codecov\.ya?ml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|pnpm-workspace\.yaml|bunfig\.toml|deno\.jsonc?|turbo\.json|nx\.json|lerna\.json|\.node-version|\.nvmrc)$/,
  python:
    /^(?:pytest\.ini|\.pytest\.ini|tox\.ini|noxfile\.py|setup\.cfg|pyproject\.toml|conftest\.py|\.coveragerc|uv\.toml|sitecustomize\.py|usercustomize\.py)$/,
  rust: /^(?:Cargo\.toml|nextest\.toml|tarpaulin\.toml|build\.rs|rust-toolchain(?:\.toml)?)$/,
  go: /^(?:go\.work|\.golangci\.ya?ml|\.golangci\.toml)$/,
  jvm: /^(?:pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradle\.properties|build\.sbt|project\.clj|testng\.xml|junit-platform\.properties)$/,
  ruby: /^(?:Rakefile|\.rspec|\.simplecov|spec_helper\.rb|rails_helper\.rb|test_helper\.rb)$/,
  php: /^(?:phpunit\.xml(?:\.dist)?|Pest\.php)$/,
  dotnet: /^(?:.*\.runsettings|Directory\.Build\.(?:props|targets)|global\.json)$/,
};

/** Files of a tool that count only where it is started. */
const TOOLS: readonly (readonly [word: RegExp, files: RegExp])[] = [
  [/^(?:make|gmake)$/, /^(?:GNU)?[Mm]akefile$|\.mk$/],
  [/^just$/, /^\.?justfile$/i],
  [/^task$/, /^Taskfile\.ya?ml$/i],
  [/^(?:tsc|vue-tsc)$/, /^tsconfig(?:\.[\w-]+)*\.json$/],
  [/^eslint$/, /^(?:eslint\.config\.\w+|\.eslintrc(?:\.\w+)?|\.eslintignore)$/],
  [/^oxlint$/, /^\.?oxlintrc\.jsonc?$/],
  [/^biome$/, /^biome\.jsonc?$/],
  [/^prettier$/, /^(?:\.prettierrc(?:\.\w+)?|prettier\.config\.\w+|\.prettierignore)$/],
  [/^stylelint$/, /^(?:\.stylelintrc(?:\.\w+)?|stylelint\.config\.\w+|\.stylelintignore)$/],
  [/^ruff$/, /^\.?ruff\.toml$/],
  [/^mypy$/, /^\.?mypy\.ini$/],
  [/^flake8$/, /^\.flake8$/],
  [/^pylint$/, /^\.?pylintrc$/],
  [/^(?:clippy|cargo)$/, /^\.?clippy\.toml$/],
  [/^rubocop$/, /^\.rubocop(?:_todo)?\.yml$/],
];

const PACKAGE = /(?:^|\/)package\.json$/;
const CARGO_SETTINGS = /(?:^|\/)\.cargo\/config(?:\.toml)?$|(?:^|\/)\.config\/nextest\.toml$/;

/** Samples for tests and readers. */
const SAMPLES = /(?:^|\/)(?:__)?(?:fixtures?|testdata|examples?|templates?)(?:__)?\//;

/** Whether a file may define a gate, by its path alone. */
export function mayDefineGate(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (SAMPLES.test(path)) return false;
  if (ALWAYS.test(path) || PACKAGE.test(path) || CARGO_SETTINGS.test(path)) return true;
  return Object.values(SETTINGS).some((files) => files.test(name)) || TOOLS.some(([, files]) => files.test(name));
}

/** What was changed of the gates with these commands, each in a few words. */
export function changedGates(
  commands: readonly (readonly string[])[],
  scripts: Scripts,
  changed: readonly ChangedText[],
): string[] {
  const tools = usedTools(commands, scripts);
  return changed.flatMap((file) => {
    if (tools.files.has(file.path) && !isTestFile(file.path)) return describeChange(file);
    if (PACKAGE.test(file.path)) return changedKeys(file, commands);
    return definesGate(file.path, tools) ? changedSections(file) : [];
  });
}

function definesGate(path: string, { families, words }: UsedTools): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (ALWAYS.test(path)) return true;
  const isOf = (family: Family): boolean => families === null || families.has(family);
  if (CARGO_SETTINGS.test(path)) return isOf("rust");
  if ((Object.keys(SETTINGS) as Family[]).some((family) => SETTINGS[family].test(name) && isOf(family))) return true;
  return TOOLS.some(
    ([word, files]) => files.test(name) && (families === null || [...words].some((each) => word.test(each))),
  );
}

/** Keys of package.json that configure what gates run. Dependencies are none of them. */
const KEYS = [
  "config",
  "type",
  "imports",
  "jest",
  "vitest",
  "c8",
  "nyc",
  "mocha",
  "ava",
  "tap",
  "babel",
  "eslintConfig",
  "eslintIgnore",
  "prettier",
  "stylelint",
  "xo",
  "standard",
  "wireit",
  "lint-staged",
] as const;

function changedKeys(file: ChangedText, commands: readonly (readonly string[])[]): string[] {
  const [before, now] = [parsed(file.before), parsed(file.now)];
  if (before === null || now === null) return describeChange(file);
  const keys = KEYS.filter((key) => !isSame(ownValue(before, key), ownValue(now, key)));
  const [old, present] = [scriptsIn(before), scriptsIn(now)];
  const used = [usedTools(commands, old).scripts, usedTools(commands, present).scripts];
  const names = [...new Set([...Object.keys(old), ...Object.keys(present)])].filter(
    (name) => old[name] !== present[name] && used.some((scripts) => scripts === null || scripts.has(name)),
  );
  return [
    ...names.map(
      (name) => `${quote(file.path)}: scripts.${quote(name)} was ${shown(old[name])}, is ${shown(present[name])}`,
    ),
    ...keys.map((key) => `${quote(file.path)}: ${key} is different (${fingerprint(JSON.stringify(now[key] ?? null))})`),
  ];
}

function parsed(text: string | null): JsonRecord | null {
  try {
    const value = (text === null ? {} : JSON.parse(text.replace(/^\ufeff/, ""))) as JsonValue;
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** The package.json of now with the scripts and settings of before; null for other files, and where one cannot be read. */
export function packageWithRules({ path, before, now }: ChangedText): string | null {
  const [old, present] = [parsed(before), parsed(now)];
  if (!PACKAGE.test(path) || before === null || now === null || old === null || present === null) return null;
  const rules = ["scripts", ...KEYS];
  const kept = Object.entries(present).filter(([key]) => !rules.includes(key));
  return JSON.stringify(Object.fromEntries([...kept, ...Object.entries(old).filter(([key]) => rules.includes(key))]));
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left === undefined || right === undefined ? left === right : sameJson(left, right);
}

/** The scripts of a package.json; none where it cannot be read. */
export function scriptsOfPackage(text: string | null): Scripts {
  return scriptsIn(parsed(text) ?? {});
}

function scriptsIn(value: JsonRecord): Scripts {
  const scripts = ownValue(value, "scripts");
  const entries = isRecord(scripts) ? Object.entries(scripts) : [];
  return Object.fromEntries(entries.flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])));
}

function shown(script: string | undefined): string {
  return script === undefined ? "not there" : `"${quote(script)}"`;
}

/** Files that also list dependencies, and the sections of them that do not concern gates. */
const SECTIONED: readonly (readonly [file: RegExp, others: RegExp])[] = [
  [
    /(?:^|\/)pyproject\.toml$/,
    /^(?:project|build-system|dependency-groups|tool\.(?:poetry|pdm|uv|setuptools)(?!\.scripts))/,
  ],
  [/(?:^|\/)setup\.cfg$/, /^(?:metadata|options)/],
  [/(?:^|\/)Cargo\.toml$/, /dependencies|^package$|^workspace\.package$|^badges/],
];

function changedSections(file: ChangedText): string[] {
  const others = SECTIONED.find(([pattern]) => pattern.test(file.path))?.[1];
  if (others === undefined || file.before === null || file.now === null) return describeChange(file);
  const [before, now] = [sectionsOf(file.before), sectionsOf(file.now)];
  const names = [...new Set([...before.keys(), ...now.keys()])].filter(
    (name) => !others.test(name) && before.get(name) !== now.get(name),
  );
  return names.map(
    (name) => `${quote(file.path)}: [${quote(name)}] is different (${fingerprint(now.get(name) ?? "")})`,
  );
}

/** The text of each `[section]`, without comments and blank lines. */
function sectionsOf(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  let name = "";
  for (const line of text.split("\n")) {
    const found = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1];
    if (found !== undefined) name = found.replaceAll(/["'\s]/g, "");
    else if (!/^\s*(?:[#;].*)?$/.test(line)) sections.set(name, `${sections.get(name) ?? ""}${line.trim()}\n`);
  }
  return sections;
}

function describeChange({ path, before, now }: ChangedText): string[] {
  if (before === now && now !== null) return [];
  if (now === null) return [`${quote(path)} ${before === null ? "is different" : "was deleted"}`];
  if (before === null) return [`${quote(path)} is new (${counted(linesOf(now).length, "line")}, ${fingerprint(now)})`];
  const [old, present] = [new Set(linesOf(before)), new Set(linesOf(now))];
  const gone = [...old].filter((line) => !present.has(line));
  const added = [...present].filter((line) => !old.has(line));
  if (linesOf(before).join("\n") === linesOf(now).join("\n")) return [];
  const sample = [
    ...gone.slice(0, 1).map((line) => `without "${quote(line)}"`),
    ...added.slice(0, 1).map((line) => `with "${quote(line)}"`),
  ];
  return [`${quote(path)} is different (${[...sample, fingerprint(now)].join(", ")})`];
}

function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/** Tells one content from another, so that a person who accepted one is asked about the next. */
function fingerprint(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  return `content ${((high >>> 0).toString(16) + (low >>> 0).toString(16)).padStart(16, "0")}`;
}

const LOCKFILES =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|go\.sum|Gemfile\.lock|composer\.lock|gradle\.lockfile|packages\.lock\.json|flake\.lock|mix\.lock|pubspec\.lock)$/;

export function isLockfile(path: string): boolean {
  return LOCKFILES.test(path.slice(path.lastIndexOf("/") + 1));
}

/** By the usual names and folders of tests, in any language. */
export function isTestFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^(?:.*[._-](?:test|tests|spec|e2e|cy)\.\w+|test[_-].*\.\w+|tests?\.\w+|.*_(?:test|spec)\.\w+)$/.test(name))
    return true;
  if (/^(?:.*(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|cs|swift|php|groovy)|.*\.snap)$/.test(name)) return true;
  return /(?:^|\/)(?:tests?|__tests__|__snapshots__|spec|e2e|cypress)\/.*\.\w+$/.test(path) && !NO_TEST.test(name);
}

/** Texts beside tests. */
const NO_TEST = /\.(?:md|txt|rst|adoc)$/i;
