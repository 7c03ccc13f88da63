import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot, readSourceFiles } from "./source-files.ts";

const page = readFileSync(join(projectRoot, "ARCHITECTURE.md"), "utf8");
const named = pathsNamedIn(page);

describe("ARCHITECTURE.md", () => {
  it("names every folder of src", () => {
    const folders = sourceFolders();
    expect(folders.length).toBeGreaterThan(0);
    expect(folders.filter((folder) => !named.includes(folder) && !named.includes(folder.slice("src/".length)))).toEqual(
      [],
    );
  });

  it("names only what exists", () => {
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !leadsSomewhere(path))).toEqual([]);
  });
});

describe("the reader of the page", () => {
  it("takes paths out of backticks, and nothing else", () => {
    const text =
      "`src/shared/` and `protocol/handoff.ts`, not src/text, `read(write(h))`, `baton validate`, `node:sqlite`";
    expect(pathsNamedIn(text)).toEqual(["src/shared", "protocol/handoff.ts"]);
  });

  it("knows a path that leads nowhere, with and without a placeholder", () => {
    expect(["src/nowhere", "src/<name>/nowhere.ts"].filter(leadsSomewhere)).toEqual([]);
    expect(["src", "src/*/diagnostic.ts", "protocol/<name>.ts"].filter((path) => !leadsSomewhere(path))).toEqual([]);
  });
});

/** Folders to depth two, and below that each dialect. */
function sourceFolders(): string[] {
  const folders = readSourceFiles().flatMap((file) => {
    const parts = dirname(file.path).split("/");
    const depth = file.path.startsWith("src/protocol/dialects/") ? 4 : 3;
    return parts.slice(0, depth).map((_part, index) => parts.slice(0, index + 1).join("/"));
  });
  return [...new Set(folders)].filter((folder) => folder !== "src");
}

/** Inline code that is a path: it has a slash or ends like a file. Fenced blocks hold commands and are left out. */
function pathsNamedIn(text: string): string[] {
  const prose = text.replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[^\n]*$/gm, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
  const isPath = /^\.?[\w<>*@-][\w.<>*@-]*(?:\/[\w.<>*@-]+)*\/?$/;
  const looksLikeOne = (span: string): boolean => span.includes("/") || /\.(?:ts|tsx|mjs|cjs|json|md)$/.test(span);
  return spans.filter((span) => isPath.test(span) && looksLikeOne(span)).map((span) => span.replace(/\/$/, ""));
}

/** Seen from the root or from `src`. A placeholder, `<name>` or `*`, stands for any one name. */
function leadsSomewhere(path: string): boolean {
  const pattern = path.replaceAll(/<[^>]*>/g, "*");
  return [pattern, `src/${pattern}`].some((glob) => globSync(glob, { cwd: projectRoot }).length > 0);
}
