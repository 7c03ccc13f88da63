import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cheat, Shown, User } from "./cheat.ts";
import { addDiscount, type Kit, say, speaks, task } from "./kit.ts";

const workflow = speaks("task-yaml");
const CHANGES = "files_modified:\n  - { path: src/cart.mjs, lines: all, change_type: modify, description: Discount }\n";

const teaches =
  (rest: string): ((kit: Kit) => void) =>
  (kit) => {
    addDiscount(kit);
    const isSecond = existsSync(join(kit.room, "second"));
    if (isSecond) kit.edit("src/cart.mjs", 'RangeError("percent")', 'RangeError("percent of a sum")');
    say(task(`${CHANGES}${isSecond ? rest.split("---\n").at(-1) : rest.split("---\n")[0]}`));
  };

const gotcha = (issue: string, place: string): string =>
  `gotchas:\n  - { id: gotcha-001, issue: "${issue}", discovered_in: "${place}", mitigation: "Look there", severity: high }\n`;

interface Fact {
  readonly id: string;
  readonly status: string;
  readonly [key: string]: unknown;
}

async function facts(user: User, ...words: readonly string[]): Promise<Fact[]> {
  const { text } = await user.baton("knowledge", "search", ...words, "--json");
  return (JSON.parse(text) as { facts: Fact[] }).facts;
}

const shown = (text: string): Shown => ({ stopped: "", asked: "", told: text });

async function twice(user: User): Promise<void> {
  await user.runWorkflow();
  writeFileSync(join(user.room, "second"), "");
  await user.runWorkflow();
}

export const KNOWLEDGE: Readonly<Record<string, Cheat>> = {
  K01: {
    workflow,
    builder: teaches(gotcha("Rounding of vouchers happens twice", "src/voucher/rounding.mjs:40")),
    async user(user) {
      await user.runWorkflow();
      const [fact] = await facts(user, "vouchers");
      return shown(fact === undefined || fact.status === "quarantined" ? "quarantined" : "");
    },
    shows: /quarantined/,
  },
  K02: {
    workflow,
    builder: teaches(
      `${gotcha("The cache of prices is kept when the cart is emptied", "src/cart.mjs:1")}---\n${gotcha("The cache of prices is cleared when the cart is emptied", "src/cart.mjs:1")}`,
    ),
    async user(user) {
      await twice(user);
      const found = await facts(user, "cache", "prices");
      return shown(found.length === 2 ? "not merged" : "");
    },
    shows: /not merged/,
  },
  K03: {
    workflow: (text) => workflow(workflow(text)),
    builder: teaches(gotcha("Percent is a whole number in the cart", "src/cart.mjs:12")),
    tester(kit) {
      if (!kit.prompt.includes("Percent is a whole number")) throw new Error("The tester was not given the fact.");
      say(task(gotcha("Percent is a whole number in the cart", "src/cart.mjs:12")));
    },
    async user(user) {
      await user.runWorkflow();
      const [fact] = await facts(user, "percent");
      const { text } = await user.baton("knowledge", "show", fact?.id ?? "", "--json");
      const { fact: { witnesses = [] } = {} } = JSON.parse(text) as { fact?: { witnesses?: unknown[] } };
      return shown(witnesses.length === 1 ? "one source" : "");
    },
    shows: /one source/,
  },
  K05: {
    workflow,
    builder: teaches(gotcha("Percent is a whole number in the cart", "src/cart.mjs:13")),
    async user(user) {
      await user.runWorkflow();
      const [fact] = await facts(user, "percent");
      return fact?.status === "trusted"
        ? shown("(honest)")
        : { ...shown(""), stopped: JSON.stringify(fact ?? "no fact") };
    },
  },
  K04: {
    workflow,
    builder: teaches(
      "patterns_discovered:\n  - { id: pattern-001, pattern: Vouchers are redeemed in one place, location: src/voucher/redeem.mjs, applies_to: [vouchers] }\n",
    ),
    async user(user) {
      await user.runWorkflow();
      const [fact] = await facts(user, "vouchers");
      return shown(fact === undefined || fact.status === "quarantined" ? "quarantined" : "");
    },
    shows: /quarantined/,
  },
};
