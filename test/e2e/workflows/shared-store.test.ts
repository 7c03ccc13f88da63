import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../cli/run-baton.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../../postgres/start-postgres.ts";
import { examples, ofKind, type Repository, repositoryIn } from "./repository.ts";

const FLOW = `baton: 1
name: two-steps
start: builder
verify: off
agents:
  builder:
    run: { process: [node, agent.mjs], inherit: [BATON_STORE] }
    dialect: task-yaml
    routes: { done: checker }
  checker:
    run: { process: [node, agent.mjs] }
    dialect: task-yaml
    routes: { done: end }
`;

/** Says what it sees of the store, and waits for a file \`go\` when there is one called \`wait\`. */
const AGENT = `import { existsSync, writeFileSync, appendFileSync } from "node:fs";
appendFileSync("seen.txt", JSON.stringify(Object.entries(process.env).filter(([name, value]) => /STORE|postgres:/.test(name + value))) + "\\n");
if (existsSync("wait")) { writeFileSync("waiting", ""); while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 50)); }
console.log("## Handoff\\n\\n\`\`\`yaml\\noutcome: completed\\nfiles_created: []\\nfiles_modified: []\\n\`\`\`");
`;

describe.skipIf(whyNoPostgres !== null)("a store that workers share, as its user meets it", () => {
  let server: TestPostgres;
  const example = examples();
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  function repositoryOn(url: string): Repository {
    const { folder, environment } = example("tasks");
    const repository = repositoryIn(folder, environment["HOME"] ?? "", { BATON_STORE: url });
    writeFileSync(join(folder, "flow.yaml"), FLOW);
    writeFileSync(join(folder, "agent.mjs"), AGENT);
    return repository;
  }

  async function prepared(): Promise<Repository> {
    const repository = repositoryOn(await server.database());
    expect(await repository.baton("state", "prepare")).toMatchObject({ code: 0 });
    return repository;
  }

  function startWorker({ folder, environment }: Repository, more: Readonly<Record<string, string>> = {}): ChildProcess {
    const command = [join(projectRoot, "dist/cli/baton.cjs"), "worker", "--json"];
    const worker = spawn(process.execPath, command, {
      cwd: folder,
      env: { ...process.env, ...environment, ...more },
    });
    onTestFinished(() => void worker.kill("SIGKILL"));
    return worker;
  }

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  it("says what to do when the tables are missing, and how the address is written", async () => {
    const repository = repositoryOn(await server.database());
    const refused = await repository.baton("status");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("The database has no tables of Baton.");
    expect(refused.stderr).toContain("baton state prepare");
    const wrong = await repositoryOn("mysql://ada:geheim@host/db").baton("status");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("postgres://USER@HOST/DATABASE");
    expect(wrong.stderr).not.toContain("geheim");
  });

  it("says within seconds that the database does not answer, and never what its password is", async () => {
    const started = performance.now();
    const refused = await repositoryOn("postgres://ada:geheim@127.0.0.1:9/nothing").baton("status");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("The database does not answer");
    expect(`${refused.stdout}${refused.stderr}`).not.toContain("geheim");
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("is refused in another repository: runs cannot move yet", async () => {
    const url = await server.database();
    const [one, other] = [repositoryOn(url), repositoryOn(url)];
    await one.baton("state", "prepare");
    expect(await one.baton("status")).toMatchObject({ code: 0 });
    const refused = await other.baton("status");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(one.folder);
  });

  it("never gives an agent the address, though the workflow names the variable", async () => {
    const repository = await prepared();
    startWorker(repository);
    const trusted = await repository.baton("trust", "flow.yaml");
    expect(trusted).toMatchObject({ code: 0 });
    expect(await repository.baton("run", "flow.yaml")).toMatchObject({ code: 0 });
    expect(readFileSync(join(repository.folder, "seen.txt"), "utf8")).toBe("[]\n[]\n");
  });

  it("goes on with another worker when one is killed, and keeps what was done", { timeout: 120_000 }, async () => {
    const repository = await prepared();
    await repository.baton("trust", "flow.yaml");
    writeFileSync(join(repository.folder, "wait"), "");
    const first = startWorker(repository);
    const running = repository.baton("run", "flow.yaml");
    await until(() => existsSync(join(repository.folder, "waiting")));
    first.kill("SIGKILL");
    writeFileSync(join(repository.folder, "go"), "");
    startWorker(repository);
    expect(await running).toMatchObject({ code: 0 });
    const ends = ofKind(await repository.events(), "attempt-ended").map(({ end }) => end);
    expect(ends).toEqual(["lost", "finished", "finished"]);
    expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
  });

  it("says that a run waits for a worker, and gives it to the next one", async () => {
    const repository = await prepared();
    await repository.baton("trust", "flow.yaml");
    const started = await repository.baton("run", "flow.yaml", "--detach");
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining("when one is free") });
    startWorker(repository);
    await expect.poll(async () => (await repository.view()).status, { timeout: 30_000 }).toBe("completed");
  });

  it("leaves a run to others that the operator of the worker has not trusted", { timeout: 120_000 }, async () => {
    const repository = await prepared();
    await repository.baton("trust", "flow.yaml");
    const other = startWorker(repository, { XDG_CONFIG_HOME: join(repository.environment["HOME"] ?? "", "other") });
    let said = "";
    other.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
    await repository.baton("run", "flow.yaml", "--detach");
    await until(() => said.includes("is left to other workers: it is not trusted here"));
    expect(existsSync(join(repository.folder, "seen.txt"))).toBe(false);
    startWorker(repository);
    await expect.poll(async () => (await repository.view()).status, { timeout: 90_000 }).toBe("completed");
  });

  it("says that a run was given up, until a person gives it to a worker again", async () => {
    const repository = await prepared();
    await repository.baton("trust", "flow.yaml");
    const run = (await repository.baton("run", "flow.yaml", "--detach")).stdout.trim();
    // As the engine does after the last loss.
    const { BATON_STORE: connectionString = "" } = repository.environment;
    const boss = await new PgBoss({ connectionString, schema: "baton_jobs" }).start();
    await boss.insert("baton/1/lost", [{ data: { run } }]);
    await boss.stop({ graceful: false });
    expect((await repository.baton("status")).stderr).toContain(`Run ${run} was given up`);
    startWorker(repository);
    expect(await repository.baton("resume", run)).toMatchObject({ code: 0 });
    expect(JSON.parse((await repository.baton("status", "--json")).stdout)).toMatchObject({ given_up: [] });
  });
});
