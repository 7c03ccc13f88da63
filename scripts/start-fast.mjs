// What makes the built command start fast. Node keeps compiled code between runs, but only of functions that are
// compiled when their file is loaded; those of all others are parsed and compiled anew by every process. So the
// command is run once over files with nothing wrong, and the functions that were called are marked: V8 compiles a
// function in parentheses at once.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseSync, Visitor } from "rolldown/utils";
import { DIALECTS } from "../src/protocol/dialects/registry.ts";

/** Names of files by which their dialect is found. */
const SAMPLES = /** @type {const} */ ([
  ["pipeline-json", "handoff-BackendBuilder.json"],
  ["output-json", "output.json"],
  ["phase-yaml", "phase.yaml"],
  ["task-yaml", "task.yaml"],
  ["issue-xml", "handoff.xml"],
]);

/** @param {string} folder of the built command */
export async function startFast(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".cjs")).map((file) => join(folder, file));
  await Promise.all(files.map((file) => change(file, (code) => inAscii(plainExports(code)))));
  for (const [file, calls] of await callsOf(join(folder, "main.cjs")))
    await change(file, (code) => compiledAtOnce(code, calls));
}

/**
 * @param {string} file
 * @param {(code: string) => string} how
 */
async function change(file, how) {
  await writeFile(file, how(await readFile(file, "utf8")));
}

const GETTER =
  /^Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: true,\s*get: function\(\) \{\s*return ([\w$]+);\s*\}\s*\}\);$/gm;

/**
 * Nothing that a chunk gives away changes later, so it needs no function that is asked for it each time.
 * @param {string} code
 */
function plainExports(code) {
  return code.replace(GETTER, "exports.$1 = $2;");
}

/**
 * A text with any other character takes twice the room, and is decoded and counted character by character.
 * @param {string} code
 */
function inAscii(code) {
  if (/String\.raw`[^`]*[^\0-\x7f][^`]*`/.test(code)) throw new Error("String.raw shows how its text is written");
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** @typedef {{ readonly startOffset: number, readonly endOffset: number, readonly count: number }} Range */

/**
 * The functions that are called on the way of files with nothing wrong, by the file they stand in.
 * @param {string} command
 * @returns {Promise<Map<string, Range[]>>}
 */
async function callsOf(command) {
  const scratch = await mkdtemp(join(tmpdir(), "baton-build-"));
  try {
    const environment = { ...process.env, NODE_V8_COVERAGE: join(scratch, "calls"), NODE_DISABLE_COMPILE_CACHE: "1" };
    for (const [dialect, name] of SAMPLES) {
      const { example } = DIALECTS[dialect];
      await writeFile(join(scratch, name), DIALECTS[dialect].print(example));
      await promisify(execFile)(process.execPath, [command, "validate", join(scratch, name)], { env: environment });
    }
    return await readCalls(join(scratch, "calls"), command);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/**
 * @param {string} folder
 * @param {string} command
 */
async function readCalls(folder, command) {
  /** @type {Map<string, Range[]>} */
  const calls = new Map();
  for (const file of await readdir(folder)) {
    for (const { url, functions } of JSON.parse(await readFile(join(folder, file), "utf8")).result) {
      const path = url.startsWith("file:") ? fileURLToPath(url) : "";
      if (path !== join(command, "..", basename(path))) continue;
      const called = functions.map((/** @type {{ ranges: Range[] }} */ { ranges }) => ranges[0]);
      calls.set(path, [...(calls.get(path) ?? []), ...called.filter((/** @type {Range} */ { count }) => count > 0)]);
    }
  }
  return calls;
}

/** @typedef {{ readonly type: string, readonly start: number, readonly end: number }} Node */

/**
 * Functions of the file itself go to its beginning, where they are as early as they were; others stay in their place.
 * @param {string} code
 * @param {readonly Range[]} calls
 */
function compiledAtOnce(code, calls) {
  const { program } = parseSync("chunk.cjs", code);
  const functions = functionsIn(program);
  const called = new Set(calls.map((range) => nodeOf(functions, range)).filter((node) => node !== undefined));
  const moved = program.body.flatMap((node) => (node.type === "FunctionDeclaration" && called.has(node) ? [node] : []));
  /** @type {[number, string][]} */
  const marks = [];
  for (const { type, start, end } of called) if (type !== "FunctionDeclaration") marks.push([start, "("], [end, ")"]);
  /** @type {(from: number, to: number) => string} */
  const marked = (from, to) => {
    const inside = marks.filter(([at]) => at >= from && at <= to).sort(([one], [other]) => one - other);
    return withMarks(code, from, to, inside);
  };
  const first = moved.map((node) => `const ${node.id?.name} = (${marked(node.start, node.end)});\n`);
  let rest = "";
  let at = 0;
  for (const { start, end } of moved) {
    rest += marked(at, start);
    at = end;
  }
  return `${first.join("")}${rest}${marked(at, code.length)}`;
}

/**
 * @param {string} code
 * @param {number} from
 * @param {number} to
 * @param {readonly (readonly [number, string])[]} marks
 */
function withMarks(code, from, to, marks) {
  let text = "";
  let at = from;
  for (const [place, mark] of marks) {
    text += code.slice(at, place) + mark;
    at = place;
  }
  return text + code.slice(at, to);
}

/**
 * All that can be written in parentheses: neither methods nor what stands inside another function by its name.
 * @param {import("rolldown/utils").ParseResult["program"]} program
 */
function functionsIn(program) {
  /** @type {Set<Node>} */
  const found = new Set(program.body.filter((node) => node.type === "FunctionDeclaration"));
  new Visitor({
    ArrowFunctionExpression: (node) => void found.add(node),
    FunctionExpression: (node) => void found.add(node),
    "MethodDefinition:exit": ({ value }) => void found.delete(value),
    "Property:exit": ({ value, method, kind }) => void ((method || kind !== "init") && found.delete(value)),
  }).visit(program);
  return [...found];
}

/**
 * V8 and the parser end a function at the same place, and begin it at its name, its parameters or before them.
 * @param {readonly Node[]} functions
 * @param {Range} range
 */
function nodeOf(functions, { startOffset, endOffset }) {
  return functions
    .filter(({ start, end }) => end === endOffset && start <= startOffset)
    .sort((one, other) => other.start - one.start)[0];
}
