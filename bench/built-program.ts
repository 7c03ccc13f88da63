import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";

/** A program of this folder as the command is shipped: bundled, with what its threads run beside it. */
export async function buildProgram(name: string, folder: string): Promise<string> {
  const build = await rolldown({
    input: {
      [name]: join(import.meta.dirname, `${name}.ts`),
      "store-writes": join(import.meta.dirname, "../src/stores/sqlite/store-writes.ts"),
    },
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
  });
  await build.write({ dir: folder, format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "[name].cjs" });
  await build.close();
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  return join(folder, `${name}.cjs`);
}

/** The figures that it prints. */
export async function runProgram(program: string, args: readonly string[]): Promise<number[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return JSON.parse(stdout) as number[];
}
