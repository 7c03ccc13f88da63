// Builds what the package ships: `dist/cli` (the command, CommonJS, starts fast), `dist/lib` (the library, ESM + types)
// and `dist/dashboard` (the page of `baton serve`; only when its sources have changed).
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { startFast } from "./start-fast.mjs";
import { buildDashboard, dashboardStamp, isBuilt } from "./build-dashboard.mjs";

const root = dirname(import.meta.dirname);
const dist = join(root, "dist");
// All parts are built beside the old ones and then swapped in: a failed build leaves the last good one standing.
const staging = join(dist, `next-${process.pid}`);

/** What the page was built from. */
const pageStamp = join(dist, "dashboard.stamp");

const inProtocol = String.raw`[\\/]src[\\/]protocol[\\/]`;

/**
 * What belongs together by when it is needed. `reading` is all that a file with nothing wrong needs, besides
 * its dialect and syntax; everything else is loaded when something is wrong or another command asks for it.
 */
const CHUNKS = {
  includeDependenciesRecursively: false,
  groups: [
    { name: "yaml", test: new RegExp(String.raw`[\\/]js-yaml[\\/]|${inProtocol}syntax[\\/]yaml(?!-items)`) },
    { name: "xml", test: new RegExp(String.raw`[\\/](?:saxes|xmlchars)[\\/]|${inProtocol}syntax[\\/]xml`) },
    { name: "jsonc-parser", test: /[\\/]jsonc-parser[\\/]/ },
    { name: "draw-frame", test: /[\\/]draw-frame\./ },
    // Loaded as a whole, when the operator collects telemetry and a run has something to tell.
    {
      name: "otlp-sender",
      test: /[\\/]@opentelemetry[\\/]|[\\/]src[\\/]telemetry[\\/](?:otlp-sender|count-spans|describe-span|conventions)\./,
    },
    {
      name: (/** @type {string} */ id) => /dialects[\\/]([\w-]+)[\\/]/.exec(id)?.[1] ?? null,
      debugName: "one for each dialect",
      test: new RegExp(String.raw`${inProtocol}dialects[\\/][\w-]+[\\/]`),
    },
    { name: "plain-yaml", test: new RegExp(`${inProtocol}syntax[\\\\/]plain-yaml`) },
    { name: "plain-xml", test: new RegExp(`${inProtocol}syntax[\\\\/]plain-xml`) },
    {
      name: "reading",
      test: new RegExp(
        [
          // The version, which several parts tell.
          String.raw`[\\/]package\.json$`,
          String.raw`[\\/]src[\\/]shared[\\/](?:app-error|count|json-value|nearest-word|printable|utf8-length)\.`,
          String.raw`rolldown[\\/]runtime`,
          String.raw`[\\/]src[\\/]cli[\\/](?:check-file|exit-code|find-files|parse-arguments|read-input|shared-options)\.`,
          String.raw`[\\/]src[\\/]cli[\\/]commands[\\/]validate\.`,
          String.raw`[\\/]src[\\/]cli[\\/]formats[\\/](?:choose-format|pretty|report)\.`,
          String.raw`${inProtocol}(?:carried-parts|find-elements|fits-shape|forbidden-key|format|handoff-words)\.`,
          String.raw`${inProtocol}(?:keeps-rules|limits|near-names|read-flawless-file|read-handoff|recognise|refuse-text)\.`,
          String.raw`${inProtocol}(?:root-key|shape|unfilled-template|wrong-argument)\.`,
          String.raw`${inProtocol}dialects[\\/][\w-]+\.ts$`,
          String.raw`${inProtocol}syntax[\\/](?:exact-number|json|json-escaped-keys|json-tokens|yaml-items)\.`,
        ].join("|"),
      ),
    },
  ],
};

/** The bundler's own helpers: nearly every chunk needs only one of them, and a file takes long to load. */
const RUNTIME = /^const require_rolldown_runtime = require\("\.\/rolldown-runtime\.cjs"\);$/m;
const OWN_RUNTIME = `const require_rolldown_runtime = {
  __exportAll(all) {
    const target = {};
    for (const name in all) Object.defineProperty(target, name, { get: all[name], enumerable: true });
    return target;
  },
};`;

/**
 * Loads a chunk when something of it is first used, not when the chunk that may use it is loaded. No module
 * of ours does anything when it is loaded, so the order does not matter, and starting up does.
 * @type {import("rolldown").Plugin}
 */
const lazyChunks = {
  name: "lazy-chunks",
  renderChunk(code) {
    /** @type {string[]} */
    const names = [];
    const alone = /__commonJSMin|__toESM/.test(code) ? code : code.replace(RUNTIME, OWN_RUNTIME);
    const declared = alone.replace(/^const ([\w$]+) = (require\("\.\/[\w.-]+"\));$/gm, (_, name, load) => {
      names.push(name);
      return `let ${name}_loaded;\nconst ${name} = () => (${name}_loaded ??= ${load});`;
    });
    return names.reduce(
      (changed, name) =>
        changed
          .replaceAll(new RegExp(String.raw`\bnew ${name}\.([\w$]+)`, "g"), `new (${name}().$1)`)
          .replaceAll(`${name}.`, `${name}().`),
      declared,
    );
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
  const chunks = await bundle(
    {
      input: {
        main: join(root, "src/main/baton.ts"),
        "builtin-agent": join(root, "src/main/builtin-agent.ts"),
        "long-work": join(root, "src/main/long-work.ts"),
        "store-writes": join(root, "src/stores/sqlite/store-writes.ts"),
      },
      platform: "node",
      // jsonc-parser's "main" is UMD: bundled, it fails at run time, and only when its input has an error.
      resolve: { mainFields: ["module", "main"] },
      plugins: [lazyChunks],
      // Loading a module does nothing but define it.
      treeshake: { moduleSideEffects: false },
      preserveEntrySignatures: false,
    },
    {
      dir: folder,
      format: "cjs",
      exports: "named",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name].cjs",
      codeSplitting: CHUNKS,
    },
  );
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  await startFast(folder);
  const bin = join(folder, "baton.cjs");
  await copyFile(join(root, "scripts/bin.cjs"), bin);
  await chmod(bin, 0o755);
  await writeFile(join(folder, "THIRD-PARTY-LICENSES.txt"), await licenses(chunks));
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
    onLog: (level, log, report) => report(level === "warn" ? "error" : level, log),
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
  // The compiler leaves ".ts" in declarations; other compilers expect the name of the module that runs.
  const files = await readdir(folder, { recursive: true });
  await Promise.all(
    files
      .filter((file) => file.endsWith(".d.ts"))
      .map(async (file) => {
        const text = await readFile(join(folder, file), "utf8");
        await writeFile(join(folder, file), text.replace(/((?:from|import\()\s*"\.[^"]*)\.ts"/g, '$1.js"'));
      }),
  );
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
