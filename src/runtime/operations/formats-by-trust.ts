import { dirname, join, relative, sep } from "node:path";
import type { Dialect } from "../../protocol/dialect.ts";
import type { TrustedFile } from "../../workflow/input.ts";
import { type CoveredFile, readNamed } from "../covered-files.ts";
import type { RepositoryInfo } from "../engine.ts";
import { formatFolder } from "./format-folder.ts";
import { readFormatFiles } from "./load-formats.ts";
import { readTrusted } from "./trust-store.ts";

/** A format of the repository, and whether the operator trusts exactly its files there. */
export interface JudgedFormat {
  readonly dialect: Dialect;
  /** From the root of the repository. */
  readonly file: string;
  readonly isTrusted: boolean;
}

/** The formats that hold for a file of the repository, by its path from the root. */
export type FormatsByTrust = (path: string) => Promise<readonly JudgedFormat[]>;

interface TrustSource {
  readonly repositoryInfo: () => Promise<Pick<RepositoryInfo, "root" | "mark">>;
  /** Where trust is kept. */
  readonly configFolder: string;
  /** What is trusted for this command alone. */
  readonly covered: readonly TrustedFile[];
}

/** Each folder is asked once. Where there are no formats, nothing is loaded and no trust is read. */
export function formatsByTrust(root: string, source: TrustSource): FormatsByTrust {
  const asked = new Map<string, Promise<readonly JudgedFormat[]>>();
  return (path) => {
    const folder = formatFolder(dirname(join(root, path)));
    if (folder === null) return NONE;
    let formats = asked.get(folder);
    if (formats === undefined) {
      formats = judgeFormats(folder, source);
      asked.set(folder, formats);
    }
    return formats;
  };
}

const NONE: Promise<readonly JudgedFormat[]> = Promise.resolve([]);

async function judgeFormats(folder: string, source: TrustSource): Promise<JudgedFormat[]> {
  const { root, mark } = await source.repositoryInfo();
  const trusted = trustedIn(mark, source);
  return readFormatFiles(folder).flatMap(({ dialect, files }): JudgedFormat[] => {
    if (dialect === null) return [];
    const now = filesOfFormat(files, folder, root);
    const isWhole = now.length === files.length;
    const isTrusted = isWhole && trusted.some((known) => now.every((file) => isAmong(file, known)));
    return [{ dialect, file: pathFrom(root, folder, files[0] ?? ""), isTrusted }];
  });
}

/** The files of a format as they are now, by their paths from the root. */
export function filesOfFormat(files: readonly string[], folder: string, root: string): CoveredFile[] {
  const named = files.map((file) => pathFrom(root, folder, file));
  return readNamed(
    named.map((path) => ({ path, part: "whole", isImplied: false })),
    { directory: root, root },
  );
}

function pathFrom(root: string, folder: string, file: string): string {
  return relative(root, join(folder, file)).split(sep).join("/");
}

/** What was trusted together. A format file that is trusted by itself stands in the place of the workflow. */
function trustedIn(mark: string, { configFolder, covered }: TrustSource): (readonly TrustedFile[])[] {
  const entries = readTrusted(configFolder).filter((entry) => entry.mark === mark);
  return [covered, ...entries.map(({ workflow, content, files }) => [{ path: workflow, hash: content }, ...files])];
}

function isAmong({ path, hash }: TrustedFile, known: readonly TrustedFile[]): boolean {
  return known.some((file) => file.path === path && file.hash === hash);
}
