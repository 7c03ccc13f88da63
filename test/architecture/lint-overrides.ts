import { importTable, libraryLayer, type Layer } from "./import-table.ts";

/**
 * The import table in the words of oxlint: the overrides that `.oxlintrc.json` has to begin with.
 * Its patterns know no "anything but", so which packages a folder may import is left to the architecture test.
 */
export function lintOverrides(): unknown[] {
  const folders = Object.entries(importTable);
  const pureFolders = folders.filter(([, layer]) => layer.pure).map(([name]) => `src/${name}/**`);
  return [
    ...folders
      .filter(([name]) => name !== "main")
      .map(([name, layer]) => importOverride(`src/${name}/**`, name, layer)),
    importOverride("src/index.ts", null, libraryLayer),
    pureOverride(["src/index.ts", ...pureFolders]),
  ];
}

function importOverride(files: string, ownName: string | null, layer: Layer): unknown {
  const closed = Object.keys(importTable).filter((name) => name !== ownName && !layer.folders.includes(name));
  const patterns = [folderPattern(ownName, layer, closed), ...(layer.pure ? [machinePattern] : [])];
  return {
    files: [files],
    excludeFiles: ["**/*.test.ts"],
    rules: { "no-restricted-imports": ["error", { patterns }] },
  };
}

function folderPattern(ownName: string | null, layer: Layer, closed: readonly string[]): unknown {
  const up = ownName === null ? "\\./" : "(\\.\\./)+";
  const open = layer.folders.length === 0 ? "nothing" : layer.folders.join(", ");
  return {
    regex: `^${up}(${closed.join("|")})/`,
    message: `${ownName ?? "The library"} may import ${open} (test/architecture/import-table.ts).`,
  };
}

const machinePattern = { regex: "^node:", message: "This folder is pure: it has no machine." };

function pureOverride(files: readonly string[]): unknown {
  const message = "Time and chance arrive inside inputs: this folder is pure.";
  return {
    files,
    excludeFiles: ["**/*.test.ts"],
    rules: {
      "no-restricted-globals": ["error", { name: "Date", message }],
      "no-restricted-properties": ["error", { object: "Math", property: "random", message }],
    },
  };
}
