// Runs an example: node examples/run-example.mjs NAME [--keep]
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXAMPLES, prepareExample } from "./prepare-example.mjs";

const [name = "", ...options] = process.argv.slice(2);
const steps = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined;
if (steps === undefined) {
  console.error(`Name one of: ${Object.keys(EXAMPLES).join(", ")}. With --keep the folder stays.`);
  process.exit(2);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const command = join(root, "dist/cli/baton.cjs");
if (!existsSync(command)) {
  console.error("The command is not built yet: npm run build");
  process.exit(3);
}
// Whoever started this may be an older Node: baton and the agents run on the one that `npm ci` brings along.
process.env.PATH = [join(root, "node_modules/node/bin"), process.env.PATH].join(delimiter);
const folder = prepareExample(name);

async function run({ args, code = 0, together = false }) {
  console.log(`$ baton ${args.map((arg) => (/[ *]/.test(arg) ? `"${arg}"` : arg)).join(" ")}`);
  // Two pictures on one screen would be drawn over each other: runs at once tell what happens line by line.
  const env = together ? { ...process.env, TERM: "dumb" } : process.env;
  const child = spawn("node", [command, ...args], { cwd: folder, stdio: "inherit", env });
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status === code) return true;
  console.error(`It ended with ${status}, expected was ${code}.`);
  process.exitCode = status ?? 1;
  return false;
}

try {
  await Promise.all(steps.filter(({ together }) => together).map(run));
  for (const step of steps.filter(({ together }) => !together)) if (!(await run(step))) break;
} finally {
  if (options.includes("--keep")) console.log(`\nThe folder is ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
