import { globSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

export const projectRoot = dirname(dirname(import.meta.dirname));

export interface SourceFile {
  /** From the project's root, with forward slashes: `src/protocol/handoff.ts`. */
  readonly path: string;
  readonly imports: readonly ImportedModule[];
}

export interface ImportedModule {
  /** As written: `../shared/json-value.ts`, `node:fs`, `saxes`. */
  readonly specifier: string;
  /** The file it leads to, from the project's root; null for packages and built-in modules. */
  readonly path: string | null;
}

export function readSourceFiles(): SourceFile[] {
  const paths = globSync("src/**/*.ts", { cwd: projectRoot }).map((path) => path.replaceAll("\\", "/"));
  return paths.toSorted().map((path) => ({ path, imports: readImports(path) }));
}

function readImports(path: string): ImportedModule[] {
  const specifiers = importSpecifiers(path, readFileSync(posix.join(projectRoot, path), "utf8"));
  return specifiers.map((specifier) => ({
    specifier,
    path: specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : null,
  }));
}

/** Every module a text names: static, type-only, re-exported, dynamic, or inside a type. */
export function importSpecifiers(path: string, text: string): string[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const found: string[] = [];
  const add = (node: { readonly source: { readonly type: string } | null }): void => {
    if (node.source === null) return;
    if (!("value" in node.source) || typeof node.source.value !== "string") {
      throw new Error(`${path} imports a module whose name is computed: the table cannot hold it`);
    }
    found.push(node.source.value);
  };
  new Visitor({
    ImportDeclaration: add,
    ExportAllDeclaration: add,
    ExportNamedDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
  }).visit(program);
  return found;
}
