// Runs an example: node examples/run-example.mjs NAME [--keep]
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { EXAMPLES, prepareExample } from "./prepare-example.mjs";

const [name = "", ...options] = process.argv.slice(2);
const steps = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined;
if (steps === undefined) {
  console.error(`Name one of: ${Object.keys(EXAMPLES).join(", ")}. With --keep the folder stays.`);
  process.exit(2);
}

const command = join(import.meta.dirname, "../dist/cli/baton.cjs");
const folder = prepareExample(name);
try {
  for (const { args, code = 0 } of steps) {
    console.log(`$ baton ${args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")}`);
    const { status } = spawnSync(process.execPath, [command, ...args], { cwd: folder, stdio: "inherit" });
    if (status !== code) {
      console.error(`It ended with ${status}, expected was ${code}.`);
      process.exitCode = status ?? 1;
      break;
    }
  }
} finally {
  if (options.includes("--keep")) console.log(`\nThe folder is ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
