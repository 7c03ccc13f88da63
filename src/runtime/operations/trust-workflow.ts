import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";

/**
 * Which workflow files may run their commands, by the hash of their content. Kept outside of every
 * repository: what is in one must not be able to trust itself.
 */
export function isTrusted({ hash, isShipped }: Pick<LoadedWorkflow, "hash" | "isShipped">, folder: string): boolean {
  return isShipped || hash in readTrusted(folder);
}

export function trustWorkflow({ hash, path }: Pick<LoadedWorkflow, "hash" | "path">, folder: string, at: number): void {
  const trusted = { ...readTrusted(folder), [hash]: { path, at: new Date(at).toISOString() } };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, `trusted.${process.pid}.tmp`);
    writeFileSync(temporary, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, join(folder, FILE));
  } catch (error) {
    throw new AppError(
      "cannot-write",
      `${join(folder, FILE)} cannot be written: ${String(error)}.`,
      "Check the folder, or set XDG_CONFIG_HOME.",
    );
  }
}

const FILE = "trusted.json";

/** Unreadable is not trusted. */
function readTrusted(folder: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, FILE), "utf8"));
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
