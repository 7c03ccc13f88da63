import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Hosts, STEPS } from "./hosts.ts";

/** Every run but those that are named. */
export async function untilAllEnded(hosts: Hosts, except: readonly string[] = []): Promise<void> {
  const deadline = performance.now() + 150_000;
  for (;;) {
    const left = [...(await hosts.unfinished()).keys()].filter((run) => !except.includes(run));
    if (left.length === 0) return;
    if (performance.now() > deadline) throw new Error(`these do not end: ${left.join(", ")}`);
    await sleep(200);
  }
}

/** Every run has ended well, every step was accepted once, and what was acknowledged is there once. */
export async function expectWhole(hosts: Hosts, except: readonly string[] = []): Promise<void> {
  const journal = hosts.lines(hosts.journal);
  const wrong: string[] = [];
  const entriesOf = new Map<string, number>();
  for (const run of hosts.runs.filter((one) => !except.includes(one))) {
    const row = await hosts.log.run(run);
    const entries = await hosts.log.entries(run);
    entriesOf.set(run, entries.length);
    if (row?.status !== "completed") wrong.push(`${run} is ${row?.status ?? "gone"}`);
    if (entries.some(({ at }) => Math.abs(at - Date.now()) > AN_HOUR / 2)) wrong.push(`${run} has a wrong time`);
    if (entries.some(({ sequence }, index) => sequence !== index + 1)) wrong.push(`${run} has a gap`);
    const accepted = entries.filter(({ kind }) => kind === "handoff-accepted").map(({ data }) => data);
    if (accepted.length !== STEPS.length) wrong.push(`${run} has accepted ${accepted.length}`);
    const ended = entries.filter(({ kind }) => kind === "attempt-ended").map(({ data }) => data as unknown as Ended);
    const attempts = ended.map(({ attempt }) => attempt);
    if (new Set(attempts).size !== attempts.length) wrong.push(`${run} has recorded an attempt twice`);
    for (const { attempt: name } of ended.filter(({ end }) => end === "finished")) {
      const id = `${run}.${name}`;
      const said = journal.filter(([, attempt]) => attempt === id).map(([what]) => what);
      if (said.join(" ") !== "begin end") wrong.push(`${id} is recorded, and was: ${said.join(" ")}`);
    }
  }
  const seen = new Set<string>();
  for (const [run = "", sequence = "", pid = ""] of hosts.lines(hosts.acknowledged)) {
    if ((entriesOf.get(run) ?? Infinity) < Number(sequence))
      wrong.push(`${run} has lost what ${pid} had stored up to ${sequence}`);
    if (seen.has(`${run} ${sequence}`)) wrong.push(`${run} was at ${sequence} twice`);
    seen.add(`${run} ${sequence}`);
  }
  expect(wrong).toEqual([]);
  await expect.poll(() => hosts.livingAgents(), { timeout: 20_000 }).toEqual([]);
  expect(await hosts.log.findBreak()).toBeNull();
}

/** How wrong the clocks of some workers are. */
const AN_HOUR = 3_600_000;

interface Ended {
  readonly attempt: string;
  readonly end: string;
}
