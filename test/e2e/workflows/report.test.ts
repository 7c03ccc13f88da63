import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseXml } from "@rgrove/parse-xml";
import { expect, it } from "vitest";
import type { RunsReport } from "../../../src/runtime/operations/report-runs.ts";
import { baton } from "../../cli/run-baton.ts";
import { type Repository, WORKFLOW, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

async function newestRun(repository: Repository): Promise<string> {
  return (await repository.view()).run;
}

it("baton report tells who lied, over all runs or one, and only what is recent", async () => {
  const repository = example("pipeline");
  const empty = await repository.baton("report");
  expect(empty).toMatchObject({ code: 0, stdout: "" });
  pretend(repository, { TestAgent: "lists a file it has not written, at first" });
  await repository.baton("trust", WORKFLOW);
  expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 0 });
  const events = await repository.events();

  const report = JSON.parse((await repository.baton("report", "--json")).stdout) as RunsReport;
  const { agents, runs, all } = report.metrics;
  expect(runs).toBe(1);
  expect(agents[0]).toMatchObject({ agent: "TestAgent", repairs: 1, refuted: 1, refuted_kinds: { artifact: 1 } });
  for (const { claims, confirmed, refuted, unverifiable } of agents)
    expect(claims).toBe(confirmed + refuted + unverifiable);
  const judged = ofKind(events, "claims-verified").filter(({ gate }) => gate === null);
  expect(agents.reduce((sum, { claims }) => sum + claims, 0)).toBe(judged.flatMap((each) => each.judgements).length);
  expect(all).toMatchObject({ repairs: 1, statuses: { completed: 1 }, cycle_time: { count: 1 } });

  const table = await repository.baton("report");
  expect(table.stdout).toMatch(/^ {2}TestAgent .* 1 .* artifact 1$/m);
  const run = await newestRun(repository);
  expect((await repository.baton("report", run)).stdout).toContain("Claims that are not true");
  expect(await repository.baton("report", "--since", "1h", "--json")).toMatchObject({ code: 0 });
  expect((await repository.baton("report", "nothing")).code).toBe(2);
  expect((await repository.baton("report", "--since", "yesterday")).code).toBe(2);
  expect((await repository.baton("report", run, "--since", "1h")).code).toBe(2);
});

it("002-R20: the status of a run gives the exit code in every format, and the report lists what is stored of it", async () => {
  const repository = example("feature");
  await repository.baton("trust", "feature");
  const waiting = await repository.baton("run", "feature", "--brief", "A user who forgot the password gets a token.");
  expect(waiting.code).toBe(1);
  const run = await newestRun(repository);
  for (const format of ["pretty", "markdown", "html", "json", "junit", "github"])
    expect(await repository.baton("report", run, "--format", format)).toMatchObject({ code: 1, stderr: "" });
  expect((await repository.baton("report")).code).toBe(0);
  await repository.baton("approve", "--note", "Good.");
  expect((await repository.baton("resume")).code).toBe(0);
  for (const format of ["pretty", "markdown", "html", "json", "junit", "github"])
    expect(await repository.baton("report", run, "--format", format)).toMatchObject({ code: 0, stderr: "" });

  const { run: one } = JSON.parse((await repository.baton("report", run, "--json")).stdout) as RunsReport;
  const events = await repository.events();
  const accepted = ofKind(events, "handoff-accepted");
  expect(one?.trail.map(({ agent, text }) => [agent, text])).toEqual(
    accepted.map(({ agent, delivery }) => [agent, delivery.text]),
  );
  const entries = (await repository.baton("log", run, "--json")).stdout.trimEnd().split("\n");
  const last = JSON.parse(entries.at(-1) ?? "") as { sequence: number; hash: string };
  expect(one?.head).toEqual({ sequence: last.sequence, hash: last.hash });
  const html = (await repository.baton("report", run, "--format", "html")).stdout;
  expect(parseXml(html).root?.name).toBe("html");
  for (const { delivery } of accepted) expect(html).toContain(delivery.text);
  expect((await repository.baton("cancel", run)).code).not.toBe(0);
});

it("a report goes into the summary of a job where there is one, after what stands there, and to the output elsewhere", async () => {
  const repository = example("feature");
  await repository.baton("trust", "feature");
  await repository.baton("run", "feature", "--brief", "A user who forgot the password gets a token.");
  const summary = join(mkdtempSync(`${repository.environment["HOME"] ?? ""}-summary-`), "summary.md");
  writeFileSync(summary, "before\n");
  const env = { ...repository.environment, GITHUB_STEP_SUMMARY: summary };
  const inJob = await baton(["report", "--format", "github"], { cwd: repository.folder, env });
  expect(inJob).toMatchObject({ code: 0, stdout: "The report is in the summary of this job.\n" });
  expect(readFileSync(summary, "utf8")).toMatch(/^before\n## .* All runs: 1 run\n/);
  const outside = await baton(["report", "--format", "github"], {
    cwd: repository.folder,
    env: { ...repository.environment, GITHUB_STEP_SUMMARY: "" },
  });
  expect(outside.stdout).toMatch(/^## /);
  const lost = { ...repository.environment, GITHUB_STEP_SUMMARY: "/nonexistent/folder/summary" };
  expect((await baton(["report", "--format", "github"], { cwd: repository.folder, env: lost })).code).toBe(3);
  expect((await repository.baton("report", "--pr-comment")).stdout).toMatch(/^<!-- baton report -->\n## /);
});
