import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../.bench-peers");

/**
 * A package that is only compared with: installed into a folder of its own when a benchmark asks for it, never
 * by `npm ci`. Null, with a word about it, when that does not work.
 */
export async function loadPeer<T>(name: string, version: string): Promise<T | null> {
  if (installedVersion(name) !== version && !install(name, version)) {
    console.log(`  ${name} ${version} cannot be installed here: the comparison with it is left out`);
    return null;
  }
  return (await import(createRequire(join(folder, "package.json")).resolve(name))) as T;
}

function installedVersion(name: string): string | null {
  try {
    const file = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(file) as { version: string }).version;
  } catch {
    return null;
  }
}

function install(name: string, version: string): boolean {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", `${name}@${version}`];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "ignore", timeout: 60_000 });
  return status === 0 && installedVersion(name) === version;
}
