import { describe, expect, it } from "vitest";
import { askForTrust, printCommands } from "./ensure-trusted.ts";

/** What an operator sees who gives these answers, and whether the commands are trusted. */
async function answering(...answers: readonly string[]): Promise<{ trusts: boolean; asked: number; notes: string }> {
  const [left, notes]: [string[], string[]] = [[...answers], []];
  let asked = 0;
  const terminal = {
    ask: () => Promise.resolve(left[asked++] ?? ""),
    note: (text: string) => void notes.push(text),
  };
  const trusts = await askForTrust("baton.yaml", "this file", ["npm test"], terminal).then(
    () => true,
    () => false,
  );
  return { trusts, asked, notes: notes.join("") };
}

describe("the question of trust", () => {
  it.each([
    ["yes", true],
    [" YES ", true],
    ["no", false],
    ["n", false],
    ["", false],
  ])("takes %j as it is", async (answer, trusts) => {
    expect(await answering(answer)).toMatchObject({ trusts, asked: 1 });
  });

  it("is asked again after anything else, until there is a whole word", async () => {
    const asked = await answering("y", "sure", "yes");
    expect(asked).toMatchObject({ trusts: true, asked: 3 });
    expect(asked.notes).toContain("Write yes in full");
    expect(await answering("y", "no")).toMatchObject({ trusts: false, asked: 2 });
  });

  it("is a no when nothing more comes", async () => {
    expect(await answering("y")).toMatchObject({ trusts: false, asked: 2 });
  });
});

it("commands of a stranger's workflow are no commands of a CI log", () => {
  expect(printCommands(["echo '##vso[task.complete]'", "::error::no"])).not.toMatch(/##\w*\[|^\s*::/m);
});
