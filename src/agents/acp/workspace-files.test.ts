import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readWorkspaceFile, writeWorkspaceFile } from "./workspace-files.ts";

it.skipIf(process.platform === "win32")("a pipe in the workspace is no file, and holds nobody up", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "baton-pipe-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  const path = join(workspace, "pipe");
  execFileSync("mkfifo", [path]);
  // Frees whoever waits for somebody at its other end.
  onTestFinished(() => closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)));
  await expect(readWorkspaceFile(workspace, { path })).rejects.toThrow("is no file");
  await expect(writeWorkspaceFile(workspace, { path, content: "x" })).rejects.toThrow();
});
