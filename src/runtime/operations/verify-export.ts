import { createReadStream } from "node:fs";
import type { AuditReport } from "../../audit/report.ts";
import { publicKeyIn } from "../../audit/signature.ts";
import { verifyExport } from "../../audit/verify-export.ts";
import { AppError } from "../../shared/app-error.ts";
import type { VerifyAuditOptions } from "./verify-audit.ts";

/** An exported file by itself; only the given keys are believed. */
export async function verifyAuditFile(
  path: string,
  { keys = [], head }: VerifyAuditOptions = {},
): Promise<AuditReport> {
  try {
    return await verifyExport(linesOf(path), { keys, seen: [], ...(head === undefined ? {} : { head }) });
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new AppError("cannot-read", `${path} cannot be read: ${code ?? String(error)}.`, "Name an exported file.");
  }
}

export { publicKeyIn };

/** Nothing longer was ever written, and a file without line ends must not fill the memory. */
const LONGEST_LINE = 67_108_864;

async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > LONGEST_LINE)
      throw new AppError("cannot-read", `${path} has a line that is too long.`, "Name an exported file.");
  }
  if (rest !== "") yield rest;
}
