import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHEATS } from "./cheats.ts";
import { addDiscount, artifact, type Kit, makeKit } from "./kit.ts";

/** One start of a scripted agent: what its row says of it, else honest work. */
export function behave(room: string): void {
  const kit = makeKit(room);
  appendFileSync(join(room, "started"), `${kit.agent}\n`);
  const cheat = CHEATS[readFileSync(join(room, "id"), "utf8")];
  const behaviour = kit.agent === "builder" ? (cheat?.builder ?? build) : (cheat?.tester ?? test);
  behaviour(kit);
}

function build(kit: Kit): void {
  addDiscount(kit);
  kit.handOver({ artifacts: [artifact("src/cart.mjs")] });
}

function test(kit: Kit): void {
  kit.handOver();
}
