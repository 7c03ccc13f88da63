import { expect, it } from "vitest";
import { WORKFLOW, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

interface Truth {
  readonly agent: string;
  readonly claims: number;
  readonly confirmed: number;
  readonly refuted: number;
  readonly unverifiable: number;
  readonly repairs: number;
}

it("baton report tells who lied, over all runs or one, and only what is recent", async () => {
  const repository = example("pipeline");
  const empty = await repository.baton("report");
  expect(empty).toMatchObject({ code: 0, stdout: "" });
  pretend(repository, { TestAgent: "lists a file it has not written, at first" });
  await repository.baton("trust", WORKFLOW);
  expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 0 });
  const events = await repository.events();

  const { agents, runs } = JSON.parse((await repository.baton("report", "--json")).stdout) as {
    agents: Truth[];
    runs: number;
  };
  expect(runs).toBe(1);
  expect(agents[0]).toMatchObject({ agent: "TestAgent", repairs: 1, refuted_kinds: { artifact: 1 } });
  expect(agents[0]?.refuted).toBe(1);
  for (const { claims, confirmed, refuted, unverifiable } of agents)
    expect(claims).toBe(confirmed + refuted + unverifiable);
  const judged = ofKind(events, "claims-verified").filter(({ gate }) => gate === null);
  expect(agents.reduce((sum, { claims }) => sum + claims, 0)).toBe(judged.flatMap((each) => each.judgements).length);

  const table = await repository.baton("report");
  expect(table.stdout).toMatch(/^TestAgent .* 1 .*\(artifact 1\)$/m);
  const [{ run }] = JSON.parse((await repository.baton("status", "--json")).stdout).runs;
  expect((await repository.baton("report", run)).stdout).toBe(table.stdout);
  expect(await repository.baton("report", "--since", "1h", "--json")).toMatchObject({ code: 0 });
  expect((await repository.baton("report", "nothing")).code).toBe(2);
  expect((await repository.baton("report", "--since", "yesterday")).code).toBe(2);
});
