// A very small linter: every source file parses, and none has debug output left in it.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

const files = readdirSync("src").map((name) => `src/${name}`);
for (const file of files) execFileSync(process.execPath, ["--check", file], { stdio: "inherit" });
const noisy = files.filter((file) => readFileSync(file, "utf8").includes("console."));
for (const file of noisy) console.error(`${file}: debug output is left`);
process.exitCode = noisy.length === 0 ? 0 : 1;
