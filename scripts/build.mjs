// Builds what the package ships: `dist/cli` (the command, CommonJS, starts fast), `dist/lib` (the library, ESM + types)
// and `dist/dashboard` (the page of `baton serve`; only when its sources have changed).
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { parseSync } from "rolldown/utils";
import { DIALECT_NAMES } from "../src/protocol/handoff-words.ts";
import { buildDashboard, dashboardStamp, isBuilt } from "./build-dashboard.mjs";

const root = dirname(import.meta.dirname);
const dist = join(root, "dist");
// All parts are built beside the old ones and then swapped in: a failed build leaves the last good one standing.
const staging = join(dist, `next-${process.pid}`);

/** What the page was built from. */
const pageStamp = join(dist, "dashboard.stamp");

/** The programs of `dist/cli`: the command, the engine for code, the built-in agents, and what threads run. */
const PROGRAMS = {
  main: join(root, "src/main/baton.ts"),
  engine: join(root, "src/engine.ts"),
  "builtin-agent": join(root, "src/main/builtin-agent.ts"),
  "run-apart": join(root, "src/main/run-apart.ts"),
  "long-work": join(root, "src/main/long-work.ts"),
  "watchdog-process": join(root, "src/agents/process-group/watchdog-process.ts"),
  "store-writes": join(root, "src/stores/sqlite/store-writes.ts"),
};

const SYNTAX = "src/protocol/syntax";

/** Called after each message of an agent: what each needs is one file, and `hook` takes what it shares from the first. */
const OFTEN_CALLED = join(root, "src/cli/commands/validate.ts");
const HOOK = join(root, "src/cli/commands/hook.ts");
const HOOK_MACHINE = join(root, "src/main/open-hook-machine.ts");
/** What it needs besides when it verifies and records. */
const OBSERVER = join(root, "src/runtime/hooks/observer.ts");
const OPEN_OBSERVER = join(root, "src/main/open-observer.ts");

/** What explains what is wrong, or reads what few texts hold; a valid handoff in a file of its own needs none of it. */
const SELDOM_NEEDED = [
  "src/cli/describe-rule.ts",
  "src/cli/formats/draw-frame.ts",
  "src/protocol/carry.ts",
  "src/protocol/dialects/say-parts.ts",
  "src/protocol/field-elsewhere.ts",
  "src/protocol/find-near-blocks.ts",
  "src/protocol/find-own-blocks.ts",
  "src/protocol/find-samples.ts",
  "src/protocol/format-file/open-format.ts",
  "src/protocol/handoff.ts",
  "src/protocol/legacy-summary.ts",
  "src/protocol/near-names.ts",
  "src/protocol/no-handoff-note.ts",
  "src/protocol/pack-parts.ts",
  "src/protocol/shape-messages.ts",
  ...readdirSync(join(root, SYNTAX))
    .filter((file) => /-(?:problems|source-map)\.ts$|^(?:xml|markdown-blocks)\.ts$/.test(file))
    .map((file) => `${SYNTAX}/${file}`),
];

/**
 * Parts that are loaded when something of them is first used, each a file of its own: a file is of one format,
 * `parseYaml` reads nearly all YAML without js-yaml, and few workflows have schedules.
 */
/** @type {Readonly<Record<string, string>>} */
const LOADED_ON_USE = {
  "js-yaml": fileURLToPath(import.meta.resolve("js-yaml")),
  croner: fileURLToPath(import.meta.resolve("croner")),
  ...Object.fromEntries(SELDOM_NEEDED.map((file) => [basename(file, ".ts"), join(root, file)])),
  ...Object.fromEntries(DIALECT_NAMES.map((name) => [name, join(root, `src/protocol/dialects/${name}/dialect.ts`)])),
};

const ON_USE = "\0on-use:";

/** An import in a declaration. */
const TYPE_IMPORT = /((?:from|import\()\s*"(\.[^"]*))\.ts"/g;

/**
 * In place of a part that is loaded on use, its importers get a module with the same exports, which loads it.
 * @type {import("rolldown").Plugin}
 */
const loadOnUse = {
  name: "load-on-use",
  async resolveId(source, importer) {
    if (importer === undefined) return null;
    if (importer.startsWith(ON_USE)) return { id: source, external: true };
    const id = (await this.resolve(source, importer, { skipSelf: true }))?.id;
    const part = Object.entries(LOADED_ON_USE).find(([, path]) => path === id);
    return part === undefined ? null : ON_USE + part[0];
  },
  load(id) {
    const name = id.startsWith(ON_USE) ? id.slice(ON_USE.length) : null;
    const path = name === null ? undefined : LOADED_ON_USE[name];
    if (path === undefined) return null;
    const { module } = parseSync(path, readFileSync(path, "utf8"));
    const names = module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ exportName }) => exportName.name ?? []),
    );
    const getters = names.map(
      (exported) =>
        `Object.defineProperty(exports, "${exported}", { enumerable: true, get: () => (part ??= require("./${name}.cjs")).${exported} });`,
    );
    return `let part;\n${getters.join("\n")}\n`;
  },
};

const started = performance.now();
try {
  const stamp = await dashboardStamp();
  const hasPage = await isBuilt(join(dist, "dashboard"), pageStamp, stamp);
  await allDone([
    buildCommand(join(staging, "cli")),
    buildLibrary(join(staging, "lib")),
    ...(hasPage ? [] : [buildPage(join(staging, "dashboard"))]),
  ]);
  for (const part of ["cli", "lib", ...(hasPage ? [] : ["dashboard"])]) await swapIn(part);
  await writeFile(pageStamp, stamp);
} finally {
  await rm(staging, { recursive: true, force: true });
}
process.stdout.write(
  `built dist/cli, dist/lib and dist/dashboard in ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
);

/** @param {string} folder */
async function buildCommand(folder) {
  const imports = followImports();
  const chunks = await bundle(
    {
      input: { ...PROGRAMS, ...LOADED_ON_USE },
      platform: "node",
      // Optional peers: only who shares a store among processes installs them.
      external: ["pg", "pg-boss"],
      // jsonc-parser's "main" is UMD: bundled, it fails at run time, and only when its input has an error.
      resolve: { mainFields: ["module", "main"] },
      plugins: [loadOnUse, imports.plugin],
      // Loading a module does nothing but define it.
      treeshake: { moduleSideEffects: false },
      preserveEntrySignatures: "exports-only",
    },
    {
      dir: folder,
      format: "cjs",
      exports: "named",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name].cjs",
      // One character above U+00FF makes V8 hold a whole file as two bytes a character.
      charset: "ascii",
      comments: false,
      codeSplitting: {
        groups: [
          { name: "start", test: (id) => imports.from(PROGRAMS.main).has(id) && id !== PROGRAMS.main },
          { name: "validate", test: (id) => imports.from(OFTEN_CALLED).has(id) || isSharedByDialects(id, imports) },
          {
            name: "hook",
            test: (id) => imports.from(HOOK).has(id) || imports.from(HOOK_MACHINE).has(id),
          },
          {
            name: "observer",
            test: (id) => imports.from(OBSERVER).has(id) || imports.from(OPEN_OBSERVER).has(id),
          },
        ],
      },
    },
  );
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  const bin = join(folder, "baton.cjs");
  await copyFile(join(root, "scripts/bin.cjs"), bin);
  await chmod(bin, 0o755);
  await writeFile(join(folder, "THIRD-PARTY-LICENSES.txt"), await licenses(chunks));
}

/**
 * Whether a module that a dialect needs is used outside of the dialect's folder, too.
 * @param {string} id
 * @param {ReturnType<typeof followImports>} imports
 */
function isSharedByDialects(id, imports) {
  if (Object.values(LOADED_ON_USE).includes(id)) return false;
  const isNeeded = DIALECT_NAMES.some((name) => imports.from(LOADED_ON_USE[name] ?? "").has(id));
  return isNeeded && imports.into(id).some((importer) => dirname(importer) !== dirname(id));
}

/** Follows the static imports of a build: what has to be loaded with a module. */
function followImports() {
  /** @type {Map<string, readonly string[]>} */
  const imports = new Map();
  /** @type {Map<string, Set<string>>} */
  const reached = new Map();
  return {
    /** @type {import("rolldown").Plugin} */
    plugin: { name: "follow-imports", moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) },
    /** @param {string} module */
    into: (module) => [...imports].flatMap(([id, imported]) => (imported.includes(module) ? [id] : [])),
    /** @param {string} module */
    from(module) {
      const modules = reached.get(module) ?? new Set([module]);
      // A set that grows while it is walked is walked to its end.
      if (!reached.has(module)) for (const id of modules) for (const next of imports.get(id) ?? []) modules.add(next);
      reached.set(module, modules);
      return modules;
    },
  };
}

/** @param {string} folder */
async function buildPage(folder) {
  const chunks = await buildDashboard(folder);
  await writeFile(join(folder, "THIRD-PARTY-LICENSES.txt"), await licenses(chunks));
}

/** @param {string} folder */
async function buildLibrary(folder) {
  const external = Object.keys(JSON.parse(await readFile(join(root, "package.json"), "utf8")).dependencies);
  await allDone([
    bundle(
      { input: { index: join(root, "src/index.ts") }, platform: "neutral", external },
      { dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name].js" },
    ),
    declareTypes(folder),
  ]);
}

/**
 * @param {import("rolldown").InputOptions} input
 * @param {import("rolldown").OutputOptions} output
 */
async function bundle(input, output) {
  const build = await rolldown({
    ...input,
    cwd: root,
    // A warning here is an import that will not resolve at run time, or worse.
    // How long plugins took says nothing about what was built.
    onLog: (level, log, report) => {
      if (log.code !== "PLUGIN_TIMINGS") report(level === "warn" ? "error" : level, log);
    },
  });
  try {
    return (await build.write(output)).output.filter((file) => file.type === "chunk");
  } finally {
    await build.close();
  }
}

/** @param {string} folder */
async function declareTypes(folder) {
  const compiler = join(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin/tsc");
  await mkdir(folder, { recursive: true });
  await promisify(execFile)(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", folder], {
    cwd: root,
  }).catch((error) => {
    throw new Error(`the types of the library could not be written\n${error.stdout}`, { cause: error });
  });
  await keepNamedTypes(folder, ["index.d.ts", "engine.d.ts"]);
}

/**
 * Keeps the declarations that the entries name, and removes those of modules that are only used inside.
 * @param {string} folder
 * @param {readonly string[]} entries
 */
async function keepNamedTypes(folder, entries) {
  const kept = new Set(entries);
  // A set that grows while it is walked is walked to its end.
  for (const file of kept) {
    const text = await readFile(join(folder, file), "utf8");
    for (const [, , path = ""] of text.matchAll(TYPE_IMPORT)) kept.add(join(dirname(file), `${path}.d.ts`));
    // The compiler leaves ".ts" in declarations; other compilers expect the name of the module that runs.
    await writeFile(join(folder, file), text.replace(TYPE_IMPORT, '$1.js"'));
  }
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".d.ts"));
  await Promise.all(files.filter((file) => !kept.has(file)).map((file) => rm(join(folder, file))));
}

/**
 * The licences of the packages that were bundled into the command.
 * @param {import("rolldown").OutputChunk[]} chunks
 */
async function licenses(chunks) {
  const folders = new Set(
    chunks
      .flatMap((chunk) => chunk.moduleIds)
      .map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0])
      .filter((folder) => folder !== undefined),
  );
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : await readFile(join(folder, file), "utf8");
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(72)}\n\n`);
}

/** @param {string} part */
async function swapIn(part) {
  const place = join(dist, part);
  await rename(place, join(staging, `old-${part}`)).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(join(staging, part), place);
}

/**
 * Like Promise.all, but a failure waits for the others: none of them writes into a folder that is already gone.
 * @param {Promise<unknown>[]} jobs
 */
async function allDone(jobs) {
  await Promise.allSettled(jobs);
  await Promise.all(jobs);
}
