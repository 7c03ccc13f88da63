import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXAMPLES } from "../../examples/prepare-example.mjs";
import { type Run, baton } from "../cli/run-baton.ts";
import { examples, type Repository } from "../e2e/workflows/repository.ts";
import { startPostgres, type TestPostgres, whyNoPostgres } from "../postgres/start-postgres.ts";

const example = examples();

describe.skipIf(whyNoPostgres !== null)("baton state move", () => {
  let server: TestPostgres;
  let taken = "";
  beforeAll(async () => {
    server = await startPostgres();
    taken = await server.database();
  });
  afterAll(() => server.stop());

  it("takes a state there and back, and every command then finds it where it is", async () => {
    const repository = await runExample();
    const store = taken;
    const inStore = commandIn(repository, { BATON_STORE: store });
    const statusBefore = await repository.baton("status", "--json");
    const logBefore = (await repository.baton("log", "--json")).stdout;

    const moved = await inStore("state", "move", "--to", "postgres", "--json");
    expect(moved, moved.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(moved.stdout)).toMatchObject({ kind: "moved", from: "SQLite", verdict: "intact" });
    expect((await inStore("state", "move", "--to", "postgres")).stderr).toMatch(/The state is in Postgres .* already/);
    expect((await inStore("status", "--json")).stdout).toBe(statusBefore.stdout);
    expect((await inStore("log", "--json")).stdout).toBe(logBefore);
    expect(await inStore("audit", "verify")).toMatchObject({ code: 0 });
    expect(await inStore("audit", "head")).toMatchObject({ code: 0 });
    const left = await repository.baton("status");
    expect(left).toMatchObject({ code: 2 });
    expect(left.stderr).toMatch(/its state was moved to Postgres/);
    expect(left.stderr).not.toContain(store);
    const adopted = await repository.baton("state", "adopt", ".git/baton/baton.db", "--aside");
    expect(adopted.code).not.toBe(0);
    expect(adopted.stderr).toMatch(/its state was moved to Postgres/);

    const back = await inStore("state", "move", "--to", "sqlite");
    expect(back, back.stderr).toMatchObject({ code: 0 });
    expect((await repository.baton("status", "--json")).stdout).toBe(statusBefore.stdout);
    expect((await repository.baton("log", "--json")).stdout).toBe(logBefore);
    expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
    expect((await inStore("status")).stderr).toMatch(/its state was moved to SQLite/);
  });

  it("takes the address from a file that only its owner reads, and no database with another log", async () => {
    const repository = await runExample();
    const file = join(repository.folder, "address");
    writeFileSync(file, `${taken}\n`);
    const move = (): Promise<Run> => repository.baton("state", "move", "--to", "postgres", "--url-file", "address");
    expect(await repository.baton("state", "move", "--to", "postgres://host/name")).toMatchObject({ code: 2 });
    expect(await repository.baton("state", "move", "--to", "postgres")).toMatchObject({ code: 2 });
    expect((await move()).stderr).toMatch(/can be read by others/);
    chmodSync(file, 0o600);
    expect((await move()).stderr).toMatch(/has another log already/);
    expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
    writeFileSync(file, `${taken}?schema=other\n`);
    const moved = await move();
    expect(moved, moved.stderr).toMatchObject({ code: 0 });
  });
});

async function runExample(): Promise<Repository> {
  const made = example("tasks");
  for (const { args, code = 0 } of EXAMPLES["tasks"] ?? []) expect(await made.baton(...args)).toMatchObject({ code });
  return made;
}

function commandIn({ folder, environment }: Repository, more: Readonly<Record<string, string>>) {
  return (...args: readonly string[]): Promise<Run> => baton(args, { cwd: folder, env: { ...environment, ...more } });
}
