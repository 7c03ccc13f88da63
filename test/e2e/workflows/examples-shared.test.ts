import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { projectRoot } from "../../cli/run-baton.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../../postgres/start-postgres.ts";
import { describeExamples } from "./describe-examples.ts";
import { examples, type Repository, repositoryIn } from "./repository.ts";

const WORKERS = 2;

/** The same examples with their state in Postgres, driven by workers: the command that starts a run only follows it. */
describe.skipIf(whyNoPostgres !== null)("examples driven by two workers", () => {
  let server: TestPostgres;
  let workers: ChildProcess[] = [];
  const example = examples();
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  describeExamples({
    name: "in Postgres",
    async prepare(name) {
      const { folder, environment } = example(name);
      const store = { BATON_STORE: await server.database() };
      const repository = repositoryIn(folder, environment["HOME"] ?? "", store);
      await repository.baton("state", "prepare");
      workers = Array.from({ length: WORKERS }, () => startWorker(repository));
      onTestFinished(async () => {
        await endWorkers(workers);
        // Nothing has taken the files of the machine for the state.
        expect(existsSync(join(folder, ".git/baton/baton.db"))).toBe(false);
      });
      return repository;
    },
    workers: () => workers.map(({ pid }) => pid ?? 0),
  });
});

function startWorker({ folder, environment }: Repository): ChildProcess {
  const command = [join(projectRoot, "dist/cli/baton.cjs"), "worker", "--quiet"];
  return spawn(process.execPath, command, { cwd: folder, env: { ...process.env, ...environment }, stdio: "inherit" });
}

async function endWorkers(workers: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    workers.map(async (worker) => {
      if (worker.exitCode !== null) return;
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.kill("SIGTERM");
      await ended;
    }),
  );
}
