import { afterAll, expect, it } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { sample } from "../cli/run-baton.ts";
import { type Ended, makeRoom, type Repository } from "./run-room.ts";
import { checkIntegrity, judgeRun } from "./run-verdict.ts";
import { killHard, processesIn } from "./run-victims.ts";

const PROCESSES = Number(process.env["BATON_PROCESSES"] ?? 32);
/** So many of them stop at a question, which another process answers. */
const ASKING = PROCESSES >> 2;
const LOOKS = 3;

const room = makeRoom();
afterAll(() => {
  for (const survivor of processesIn(room.folder)) killHard(survivor);
  room.remove();
});

it(`${PROCESSES} baton processes on one database lose nothing and see no lock`, async () => {
  const started = performance.now();
  const plain = room.addRepository("plain", files("plain", ""));
  const asking = room.addRepository("asking", files("asking", "approve: before"));
  const seen: Ended[] = [];
  await Promise.all([
    ...Array.from({ length: PROCESSES - ASKING }, async () => seen.push(await startRun(plain).ended)),
    ...Array.from({ length: ASKING }, () => askAndAnswer(asking, seen)),
    lookOn(plain, seen),
  ]);

  const log = openSqliteLog(room.database);
  const rows = await log.runs({ limit: 10_000 });
  const journals = new Map([plain, asking].map((repository) => [repository.name, repository.journal()]));
  const verdicts = await Promise.all(
    rows.map((row) => judgeRun(log, row, journals.get(row.name) ?? [], ["One 1", "Two 1", "Three 1"])),
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${seen.length} processes, ${rows.length} runs, ${verdicts.length * 3} handoffs, ${seconds} s`);
  expect(verdicts.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(rows).toHaveLength(PROCESSES);
  expect(seen.filter(({ code }) => code !== 0)).toEqual([]);
  expect(seen.filter(({ stderr }) => /lock|busy|error|trying again|warning/i.test(stderr))).toEqual([]);
  expect(processesIn(room.folder)).toEqual([]);
  expect(await log.findBreak()).toBeNull();
  await log.close();
  expect(checkIntegrity(room.database)).toBe("ok");
}, 300_000);

function startRun({ baton, hash }: Repository): ReturnType<Repository["baton"]> {
  return baton(["run", "--trust", hash]);
}

/** Four processes one after the other: the run stops, is looked at, answered, and goes on. */
async function askAndAnswer(repository: Repository, seen: Ended[]): Promise<void> {
  const waiting = await startRun(repository).ended;
  expect(waiting, waiting.stderr).toMatchObject({ code: 1 });
  const [, run = "?"] = /run (\w+) of asking started/.exec(waiting.stderr) ?? [];
  const status = await repository.baton(["status", run, "--json"]).ended;
  const { asks } = JSON.parse(status.stdout) as { asks: { id: string }[] };
  const answer = await repository.baton(["answer", run, asks[0]?.id ?? "?", "approve"]).ended;
  seen.push({ ...waiting, code: 0 }, status, answer, await repository.baton(["resume", run]).ended);
}

async function lookOn(repository: Repository, seen: Ended[]): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    seen.push(
      ...(await Promise.all([repository.baton(["status"]).ended, repository.baton(["status", "--json"]).ended])),
    );
  }
}

/** Two commands with a function between them. */
function files(name: string, approval: string): Record<string, string> {
  return {
    journal: "",
    "baton.yaml": `baton: 1
# What the sample says of files is not true here, and not what this is about.
verify: off
name: ${name}
mode: semi
start: One
agents:
  One:
    run: { process: [sh, agent.sh] }
    dialect: pipeline-json
    routes: { done: Two }
  Two:
    run: { function: "${room.folder}/${name}/two.mjs#answer" }
    dialect: pipeline-json
    ${approval}
    routes: { done: Three }
  Three:
    run: { process: [sh, agent.sh] }
    dialect: pipeline-json
    routes: { done: end }
`,
    "agent.sh": `echo "begin $BATON_ATTEMPT" >> journal
cat > /dev/null
next=Two; if [ $BATON_AGENT = Three ]; then next=COMPLETE; fi
sed -e "s/BackendBuilder/$BATON_AGENT/; s/TestAgent/$next/; s/One currency per cart/$BATON_ATTEMPT/" handoff.json
echo "deliver $BATON_ATTEMPT" >> journal
`,
    "two.mjs": `import { appendFileSync, readFileSync } from "node:fs";
export function answer({ attempt }) {
  appendFileSync("journal", "begin " + attempt + "\\ndeliver " + attempt + "\\n");
  const text = readFileSync("handoff.json", "utf8");
  return text.replace("BackendBuilder", "Two").replace("TestAgent", "Three").replace("One currency per cart", attempt);
}
`,
    "handoff.json": sample("pipeline-json"),
  };
}
