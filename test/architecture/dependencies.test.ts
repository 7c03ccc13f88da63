import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "./source-files.ts";

/**
 * Everything a user installs with the package, and the lowest version we stand for: raise it when an advisory says so.
 * A name that is not here may not enter `dependencies`, nor come in behind one of them.
 */
const minimumVersions: Readonly<Record<string, string>> = {
  argparse: "3.0.3",
  "js-yaml": "5.5.0",
  "jsonc-parser": "3.3.1",
  saxes: "6.0.0",
  xmlchars: "2.2.0",
};
const directDependencies = ["js-yaml", "jsonc-parser", "saxes"];

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly integrity?: string;
}

const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
const lockText = readFileSync(join(projectRoot, "package-lock.json"), "utf8");
const locked: [string, LockedPackage][] = Object.entries<LockedPackage>(JSON.parse(lockText).packages)
  .filter(([path]) => path !== "")
  .map(([path, entry]) => [path.replace(/^.*node_modules\//, ""), entry]);
const shipped = locked.filter(([, entry]) => entry.dev !== true);

describe("dependencies", () => {
  it("are the allowed ones", () => {
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual(directDependencies);
    // Only who shares a store among hosts installs these.
    expect(manifest.peerDependencies).toEqual({ pg: "^8.23.0", "pg-boss": "~12.35.0" });
    expect(manifest.peerDependenciesMeta).toEqual({ pg: { optional: true }, "pg-boss": { optional: true } });
    expect(manifest.optionalDependencies).toBeUndefined();
  });

  it("bring in nothing that is not in the table", () => {
    expect(shipped.length).toBeGreaterThan(0);
    expect(shipped.map(([name]) => name).filter((name) => minimumVersions[name] === undefined)).toEqual([]);
  });

  it("are not older than the table says", () => {
    const old = shipped.filter(([name, entry]) => isOlder(entry.version, minimumVersions[name] ?? "0.0.0"));
    expect(old.map(([name, entry]) => `${name} ${entry.version}`)).toEqual([]);
  });

  it("are pinned to one version, tools included", () => {
    const all = Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies });
    const isPinned = (version: string): boolean => /^\d+\.\d+\.\d+(?:-beta\.\d+)?$/.test(version);
    expect(all.filter(([, version]) => !isPinned(version))).toEqual([]);
  });
});

describe("package-lock.json", () => {
  it("belongs to this package.json", () => {
    const { name, version, dependencies, devDependencies } = JSON.parse(lockText).packages[""];
    expect({ name, version, dependencies, devDependencies }).toEqual({
      name: manifest.name,
      version: manifest.version,
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
    });
  });

  it("names no address of a registry, and a checksum for every package", () => {
    expect(lockText).not.toContain('"resolved"');
    expect(locked.filter(([, entry]) => entry.integrity === undefined).map(([name]) => name)).toEqual([]);
  });
});

describe("the comparison of versions", () => {
  it.each([
    ["1.2.3", "1.2.4", true],
    ["1.9.0", "1.10.0", true],
    ["2.0.0", "1.99.99", false],
    ["1.2.3", "1.2.3", false],
  ])("%s is older than %s: %s", (version, minimum, older) => {
    expect(isOlder(version, minimum)).toBe(older);
  });
});

function isOlder(version: string, minimum: string): boolean {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  const minimumParts = minimum.split(".").map((part) => Number.parseInt(part, 10));
  const index = parts.findIndex((part, place) => part !== minimumParts[place]);
  return index >= 0 && (parts[index] ?? 0) < (minimumParts[index] ?? 0);
}
