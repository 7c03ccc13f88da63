import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { EXAMPLES } from "../../../examples/prepare-example.mjs";
import { examples } from "./repository.ts";

const example = examples();

it("knowledge that was edited by hand is found by the audit, and is learned again from the log", async () => {
  const repository = example("pipeline");
  for (const { args } of EXAMPLES["pipeline"] ?? []) expect(await repository.baton(...args)).toMatchObject({ code: 0 });
  const texts = async (): Promise<string[]> => {
    const { stdout } = await repository.baton("knowledge", "search", "cents", "--json");
    const { facts } = JSON.parse(stdout) as { readonly facts: readonly { readonly text: string; status: string }[] };
    return facts.map(({ text, status }) => `${status} ${text}`);
  };
  const before = await texts();
  expect(before).not.toEqual([]);
  expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
  const database = new DatabaseSync(join(repository.folder, ".git/baton/knowledge.db"));
  database.exec("UPDATE facts SET body = replace(body, 'cents', 'floats')");
  database.close();
  expect(await repository.baton("audit", "verify")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^broken: [^]*knowledge-changed at fact \d+: it is not as it was learned/),
  });
  expect(await repository.baton("knowledge", "rebuild")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Changed without Baton, and so removed"),
  });
  expect(await texts()).toEqual(before);
  expect(await repository.baton("audit", "verify")).toMatchObject({ code: 0 });
});
