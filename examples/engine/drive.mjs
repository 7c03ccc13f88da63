// Drives a workflow of two functions from code, then verifies a true and a false handoff about the result.
// In a clone: npm run build && npx node examples/engine/drive.mjs
import { execFileSync } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBaton, verifyHandoffs } from "baton-handoff/engine";
import { handoff } from "./agents.mjs";

const here = import.meta.dirname;
const repository = await mkdtemp(join(tmpdir(), "baton-engine-"));
const git = (/** @type {string[]} */ ...args) => execFileSync("git", ["-C", repository, ...args]);
try {
  await copyFile(join(here, "agents.mjs"), join(repository, "agents.mjs"));
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Example", "-c", "user.email=example@example.org", "commit", "--quiet", "-m", "agents");

  const baton = await openBaton({ directory: repository, onTrouble: console.error });
  try {
    const workflow = await readFile(join(here, "workflow.yaml"), "utf8");
    const run = await baton.start({ workflow, brief: "Greet the reader" });
    for await (const { event } of run.events()) console.log(event.kind);
    const { status, agents } = await run.settled();
    console.log(`${status}: ${agents.map(({ name, status: outcome }) => `${name} ${outcome}`).join(", ")}`);
    if (status !== "completed") process.exitCode = 1;
  } finally {
    await baton.close();
  }

  for (const path of ["greeting.txt", "farewell.txt"]) {
    const { passed, verification } = await verifyHandoffs(handoff(path), { directory: repository });
    for (const { claims } of verification?.handoffs ?? [])
      for (const { verdict, says, evidence } of claims) console.log(`${verdict}: ${says} ${evidence}`);
    if (passed !== (path === "greeting.txt")) process.exitCode = 1;
  }
} finally {
  await rm(repository, { recursive: true, force: true });
}
