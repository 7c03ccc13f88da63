import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Run, baton } from "../cli/run-baton.ts";
import { serveRoom } from "./serve-room.ts";
import { until } from "./server-room.ts";

const { environment, newFolder, serve } = serveRoom();

const WORKFLOW = `baton: 1
name: told
mode: autonomous
start: teller
agents:
  teller:
    run: { process: [node, teller.mjs] }
    dialect: phase-yaml
    routes: { done: end }
`;

/** Writes down which address it was told. */
const TELLER = `import { writeFileSync } from "node:fs";
writeFileSync("told", process.env.BATON_SUBMIT_URL ?? "none");
console.log('\`\`\`yaml\\nhandoff:\\n  phase: Testing\\n  from: "@teller"\\n  to: "None"\\n  status: complete\\n\`\`\`');
`;

function repository(): string {
  const folder = newFolder();
  writeFileSync(join(folder, "baton.yaml"), WORKFLOW);
  writeFileSync(join(folder, "teller.mjs"), TELLER);
  return folder;
}

/** Runs the workflow, and gives the server that its agent was told. */
async function told(folder: string): Promise<{ readonly run: Run; readonly origin: string }> {
  await baton(["trust"], { cwd: folder, env: environment });
  const run = await baton(["run"], { cwd: folder, env: environment });
  expect(run).toMatchObject({ code: 0 });
  return { run, origin: readFileSync(join(folder, "told"), "utf8").replace(/\/api\/.*/, "") };
}

describe("the address that agents are told", () => {
  it("is one of a server that still serves, when another of the same folder has ended", async () => {
    const folder = repository();
    const [first, second] = [await serve(folder, ["--no-drive"]), await serve(folder, ["--no-drive"])];
    expect((await told(folder)).origin).toBe(second.origin);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
    const { origin, run } = await told(folder);
    expect(origin).toBe(first.origin);
    expect(run.stderr).not.toContain("was killed");
    first.child.kill("SIGTERM");
    await first.ended;
    expect((await told(folder)).origin).toBe("none");
    expect(readdirSync(join(folder, ".git/baton/servers"))).toEqual([]);
  });

  it("is not that of a server that was killed, which is said once; the next server clears it away", async () => {
    const folder = repository();
    const dead = await serve(folder, ["--no-drive"]);
    dead.child.kill("SIGKILL");
    await dead.ended;
    const { origin, run } = await told(folder);
    expect(origin).toBe("none");
    expect(run.stderr.split(`The server at ${dead.origin} (process ${dead.child.pid}) was killed`)).toHaveLength(2);
    const next = await serve(folder, ["--no-drive"]);
    await until(
      async () => next.notes(),
      (notes) => notes.includes(`The server at ${dead.origin}`),
    );
    expect(readdirSync(join(folder, ".git/baton/servers"))).toEqual([String(next.port)]);
    expect((await told(folder)).run.stderr).not.toContain("was killed");
  });

  it("is not that of a process that has got the number of a dead one", async () => {
    const folder = repository();
    const server = await serve(folder, ["--no-drive"]);
    const file = join(folder, ".git/baton/servers", String(server.port));
    const [address, , , since] = readFileSync(file, "utf8").trim().split(" ");
    server.child.kill("SIGTERM");
    await server.ended;
    writeFileSync(file, `${address} ${process.pid} 1 ${since}\n`);
    expect((await told(folder)).origin).toBe("none");
  });

  it("is read from files of servers only: a pipe holds nobody up, and no link is followed", async () => {
    const folder = repository();
    const server = await serve(folder, ["--no-drive"]);
    const servers = join(folder, ".git/baton/servers");
    const [, pid, startTime] = readFileSync(join(servers, String(server.port)), "utf8").split(" ");
    writeFileSync(join(folder, "newer"), `http://127.0.0.1:2 ${pid} ${startTime} ${Number.MAX_SAFE_INTEGER}\n`);
    symlinkSync(join(folder, "newer"), join(servers, "2"));
    expect((await told(folder)).origin).toBe(server.origin);
    execFileSync("mkfifo", [join(servers, "1"), join(servers, "pipe")]);
    expect((await told(folder)).origin).toBe(server.origin);
  });

  it("leaves nothing of a server that was killed while it wrote", async () => {
    const folder = repository();
    const dead = await serve(folder, ["--no-drive"]);
    dead.child.kill("SIGKILL");
    await dead.ended;
    const servers = join(folder, ".git/baton/servers");
    renameSync(join(servers, String(dead.port)), join(servers, `${dead.port}.${dead.child.pid}.tmp`));
    writeFileSync(join(servers, `5.${process.pid}.tmp`), "");
    const next = await serve(folder, ["--no-drive"]);
    expect(readdirSync(servers).sort()).toEqual([String(next.port), `5.${process.pid}.tmp`].sort());
  });
});
