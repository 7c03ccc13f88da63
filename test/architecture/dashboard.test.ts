import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { importSpecifiers, projectRoot } from "./source-files.ts";

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

const files = globSync("dashboard/**/*.{ts,tsx}", { cwd: projectRoot })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !path.endsWith(".test.ts"));
const imports = files.flatMap(importsOf);

function importsOf(from: string): Import[] {
  const text = readFileSync(posix.join(projectRoot, from), "utf8");
  return importSpecifiers(from, text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({
      from,
      to: posix.join(posix.dirname(from), specifier),
      isTypeOnly: new RegExp(String.raw`import type [^;]*?from "${specifier.replaceAll(".", String.raw`\.`)}"`).test(
        text,
      ),
    }));
}

/** `app`, `features/runs`, `components`, `data`. */
function roomOf(path: string): string {
  const [, room = "", name = ""] = path.split("/");
  return room === "features" ? `features/${name}` : room;
}

const OPEN: Readonly<Record<string, readonly string[]>> = {
  app: ["features", "components", "data"],
  features: ["components", "data"],
  components: [],
  data: [],
};

describe("the rooms of the dashboard", () => {
  it("are read at all", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(files.length);
  });

  it("import in one direction, and no feature knows another", () => {
    const broken = imports.filter(({ from, to }) => {
      if (!to.startsWith("dashboard/") || roomOf(from) === roomOf(to)) return false;
      return !(OPEN[roomOf(from).split("/")[0] ?? ""] ?? []).includes(roomOf(to).split("/")[0] ?? "");
    });
    expect(broken).toEqual([]);
  });

  it("take types from src and nothing that runs", () => {
    const taken = imports.filter(({ to }) => !to.startsWith("dashboard/"));
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.filter(({ to, isTypeOnly }) => !to.startsWith("src/") || !isTypeOnly)).toEqual([]);
  });
});

describe("the built page", () => {
  const folder = posix.join(projectRoot, "dist/dashboard");
  // `npm test` builds first; whoever starts this file by itself gets it here.
  if (!existsSync(posix.join(folder, "index.html")))
    execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: projectRoot });
  const html = readFileSync(posix.join(folder, "index.html"), "utf8");
  const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? "");

  it("begins with at most 300 KB of compressed JavaScript", () => {
    expect(first.length).toBeGreaterThan(0);
    const sizes = first.map((path) => gzipSync(readFileSync(posix.join(folder, path))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(300 * 1024);
    // What only some pages need does not come with the first one.
    const text = first.map((path) => readFileSync(posix.join(folder, path), "utf8")).join("");
    expect(text.includes("uplot")).toBe(false);
  });

  it("has no script, style or handler in itself, and asks nobody else for anything", () => {
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    const styles = globSync("assets/*.css", { cwd: folder }).map((path) =>
      readFileSync(posix.join(folder, path), "utf8"),
    );
    expect(styles.join("")).not.toMatch(/@import|url\((?!["']?#)/);
  });

  it("has the styles of its components", () => {
    const [sheet = ""] = html.match(/assets\/[^"]+\.css/) ?? [];
    const text = readFileSync(posix.join(folder, sheet), "utf8");
    expect(["--mantine-color-body", "--button-height"].filter((part) => !text.includes(part))).toEqual([]);
  });

  it("brings the licences of what it is made of", () => {
    expect(readFileSync(posix.join(folder, "THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(/react-dom .*MIT/);
  });
});
