import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment } from "../agents/process-group/clean-environment.ts";
import { gateRunner } from "../agents/run-command.ts";
import { folderWorkspace } from "../agents/workspace.ts";
import { gitRepository } from "../git/git-repository.ts";
import type { Inspection } from "../runtime/inspection.ts";
import { AppError } from "../shared/app-error.ts";
import { redactor } from "../shared/redact.ts";
import { findRoot } from "./find-root.ts";
import { secretValues } from "./secret-values.ts";

/** Any repository, with a temporary folder for our own notes: nothing is written where it looks. */
export function openInspection(directory: string): Inspection {
  const root = findRoot(directory);
  const folder = temporaryFolder();
  return {
    root,
    machine: {
      clock: { now: () => Date.now(), id: () => randomBytes(16).toString("hex") },
      workspace: folderWorkspace(root, folder),
      commands: gateRunner({ hidden: [folder] }),
      repository: gitRepository({ folder: join(folder, "git"), environment: cleanEnvironment(["XDG_CONFIG_HOME"]) }),
      results: { find: () => Promise.resolve(null), keep: () => Promise.resolve() },
      redact: redactor(secretValues(process.env)),
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function temporaryFolder(): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), "baton-verify-")));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `No temporary folder can be made in ${tmpdir()}: ${code ?? String(error)}.`;
    throw new AppError("cannot-write", message, "Set TMPDIR to a folder that can be written.");
  }
}
