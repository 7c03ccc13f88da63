import { expect, it } from "vitest";
import { verifySnapshot } from "../../src/audit/verify-snapshot.ts";
import { makeCheckpoint } from "../../src/audit/checkpoint.ts";
import { EMPTY_REGISTER } from "../../src/audit/register.ts";
import { hashOfText, messageChecksum } from "../../src/audit/hash-chain.ts";
import type { KeptCheckpoint, LogSnapshot } from "../../src/ports/log-snapshot.ts";
import { endRun } from "../contracts/pruning.ts";
import { openMemoryLog } from "../memory-log/open-memory-log.ts";

const ANYWHERE = { letters: Infinity, texts: Infinity, workflows: Infinity };

it("in the numbers of letters, texts and workflows are findings, unless the store numbers with gaps", async () => {
  const snapshot = withGaps(await storedSnapshot());
  expect(await findingsIn(snapshot)).toEqual([
    "letter-missing: letter 1 is missing (letter 1)",
    "text-missing: text 2 is missing (text 2)",
    "workflow-missing: workflow 1 is missing (workflow 1)",
  ]);
  expect(await findingsIn({ ...snapshot, gapsThrough: ANYWHERE })).toEqual([]);
});

it("do not hide that a text or the workflow of a run is missing", async () => {
  const snapshot = await storedSnapshot();
  const lacking: LogSnapshot = {
    ...withGaps(snapshot),
    gapsThrough: ANYWHERE,
    missingTexts: async (hashes) => new Set(hashes.filter((hash) => hash === hashOfText("second"))),
    hasWorkflow: async () => false,
  };
  const text = hashOfText("second").slice(0, 12);
  const [run] = await snapshot.runs(0, 1);
  const what = ["the text of its handoff", "the packet that its agent was given", "the last message of its agent"];
  expect(await findingsIn(lacking)).toEqual([
    ...what.map((name) => `text-missing: ${name} (${text}) is missing (run one, entry 2)`),
    `workflow-missing: its workflow ${run?.workflow.slice(0, 12)} is missing (run 1)`,
  ]);
});

it("of runs are always findings", async () => {
  const snapshot = await storedSnapshot();
  const runs: LogSnapshot["runs"] = async (after, limit) =>
    (await snapshot.runs(after, limit)).map((row) => ({ ...row, number: row.number + 1 }));
  expect(await findingsIn({ ...snapshot, runs, gapsThrough: ANYWHERE })).toContain(
    "run-missing: run 1 is missing (run 1)",
  );
});

it("leave it to the last checkpoint how many rows there were", async () => {
  const snapshot = withGaps(await storedSnapshot());
  const missing = async (hasGaps: boolean): Promise<string[]> => {
    const gapsThrough = hasGaps ? ANYWHERE : snapshot.gapsThrough;
    const counts = { ...snapshot.counts, letters: 0 };
    const checkpoints: LogSnapshot["checkpoints"] = async (after) =>
      after === 0 ? [await unsignedCheckpoint(snapshot)] : [];
    const letters: LogSnapshot["letters"] = async () => [];
    return findingsIn({ ...snapshot, checkpoints, letters, counts: { ...counts, checkpoints: 1 }, gapsThrough });
  };
  const message = "letter-missing: there were 1 at the last checkpoint, and there are 0 now";
  expect(await missing(true)).toEqual([`${message} (letters)`]);
  expect(await missing(false)).toContain(`${message} (letter 1)`);
});

/** One run with two texts. */
async function storedSnapshot(): Promise<LogSnapshot> {
  const log = openMemoryLog();
  await endRun(log, "one", 10, ["first", "second"]);
  await log.postMessage({ run: "one", id: "m1", input: { kind: "note" } });
  return log.snapshot();
}

/** The same rows, as a store numbers them that has skipped numbers. */
function withGaps(snapshot: LogSnapshot): LogSnapshot {
  return {
    ...snapshot,
    letters: async (after, limit) =>
      (await snapshot.letters(Math.max(0, after - 1), limit)).map((row) => {
        const number = row.number + 1;
        return { ...row, number, mark: messageChecksum(number, row.run ?? "", row.id, row.input) };
      }),
    texts: async (after, limit) =>
      (await snapshot.texts(after, limit)).map((row) => ({ ...row, number: row.number * 2 - 1 })),
    workflows: async (after, limit) =>
      (await snapshot.workflows(Math.max(0, after - 1), limit)).map((row) => ({ ...row, number: row.number + 1 })),
  };
}

async function unsignedCheckpoint({
  log,
  pruned,
  prunedTexts,
  counts,
  register,
}: LogSnapshot): Promise<KeptCheckpoint> {
  const last = (await register(0, 99)).at(-1) ?? EMPTY_REGISTER;
  const summary = { log, position: counts.entries, register: last, runs: [], pruned, prunedTexts, counts };
  return makeCheckpoint({ ...summary, previous: null }, { why: "there is no key" }, 1);
}

async function findingsIn(snapshot: LogSnapshot): Promise<string[]> {
  const { findings } = await verifySnapshot(snapshot, { keys: [], seen: [] });
  return findings.map(({ code, message, row, run, sequence }) => {
    const place = row ?? `run ${run}, entry ${sequence}`;
    return `${code}: ${message} (${place})`;
  });
}
