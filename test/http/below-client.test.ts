import { execFile } from "node:child_process";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import type { Inbox } from "../../src/api/answers.ts";
import { projectRoot } from "../cli/run-baton.ts";
import { type Room, openRoom } from "./server-room.ts";

const BATON = join(projectRoot, "dist/cli/baton.cjs");

interface Said {
  readonly code: number;
  readonly text: string;
}

/** Without marks of a client in the environment, whoever runs the tests. */
async function start(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const [name = "", ...args] = command;
  const { PATH = "", HOME = "" } = process.env;
  const done = await promisify(execFile)(name, args, { cwd, env: { PATH, HOME, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
  return done;
}

describe("below the process of a client", () => {
  let room: Room;
  let ask: string;
  let run: string;
  beforeAll(async () => {
    room = await openRoom("feature", { lines: 1, configFolder: "/nonexistent/baton" });
    const { asks } = (await (await room.get("/api/inbox")).json()) as Inbox;
    [run, ask] = [asks[0]?.run ?? "", asks[0]?.ask.id ?? ""];
  }, 120_000);

  const REFUSED = /comes from a command that (?:Claude Code|Codex|Gemini CLI) has started .*only a person/s;
  const node = process.execPath;

  it.each([["approve"], ["reject"], ["trust", "pipeline"], ["init", "--yes"], ["state", "adopt"], ["prune"]])(
    "`baton %s` is refused",
    async (...args) => {
      for (const env of [{ CLAUDECODE: "1" }, { CODEX_THREAD_ID: "0199" }, { GEMINI_CLI: "1" }])
        expect(await start([node, BATON, ...args], room.folder, env)).toMatchObject({
          code: 3,
          text: expect.stringMatching(REFUSED),
        });
    },
  );

  it("is found also when the environment is cleared, by what has started the command", async () => {
    const cleared = ["sh", "-c", `env -i PATH="$PATH" HOME="$HOME" "$@"; exit $?`, "sh", node, BATON, "approve", run];
    expect(await start(cleared, room.folder, { CLAUDECODE: "1" })).toMatchObject({
      code: 3,
      text: expect.stringMatching(REFUSED),
    });
    const script = join(room.folder, "..", "codex.mjs");
    const call = `import { spawnSync } from "node:child_process";
      const { status } = spawnSync(process.execPath, ${JSON.stringify([BATON, "approve"])}, { stdio: "inherit" });
      process.exit(status);`;
    writeFileSync(script, call);
    expect(await start([node, script], room.folder)).toMatchObject({ code: 3, text: expect.stringMatching(REFUSED) });
    const native = join(room.folder, "..", "claude");
    symlinkSync("/bin/sh", native);
    chmodSync(script, 0o700);
    const shell = [native, "-c", `${node} ${BATON} approve; exit $?`];
    expect(await start(shell, room.folder)).toMatchObject({ code: 3, text: expect.stringMatching(REFUSED) });
  });

  it("an answer with the token of the server is refused, and nothing was stored by all this", async () => {
    const post = `fetch(process.argv[1], { method: "POST", body: '{"choice":"approve"}', headers: {
      authorization: "Bearer " + process.argv[2], "content-type": "application/json" } })
      .then(async (answer) => console.log(answer.status, await answer.text()))`;
    const sent = [node, "-e", post, "--", `${room.origin}/api/runs/${run}/asks/${ask}`, room.token];
    expect((await start(sent, room.folder, { CLAUDECODE: "1" })).text).toMatch(/^403 .*"not-a-person".*Claude Code/);
    expect(await room.engine.ports.log.messages(run)).toEqual([]);
  });
});
