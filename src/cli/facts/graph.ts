import { drawKnowledge, type GraphFormat } from "../../runtime/operations/draw-knowledge.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { wholeNumber } from "../shared-options.ts";
import { KNOWLEDGE, type Subcommand, wrongUse } from "./subcommand.ts";

const DEFAULT_LIMIT = 200;

export const graph: Subcommand = {
  name: "graph",
  usage: "[NODE]",
  about: "What stands around a fact, task, run, agent, file or tag; around the newest run when none is named.",
  options: ["depth", "format", "limit", "json"],
  async run(invocation, engine, terminal) {
    const [node, ...more] = invocation.operands;
    if (more.length > 0) throw wrongUse("One node at a time.");
    const format = (invocation.has("json") ? "json" : (invocation.text("format") ?? "mermaid")) as GraphFormat;
    const most = wholeNumber(KNOWLEDGE, invocation, "limit") ?? DEFAULT_LIMIT;
    const depth = wholeNumber(KNOWLEDGE, invocation, "depth") ?? null;
    const drawn = await drawKnowledge(engine.machine, { node: node ?? null, depth, most, format });
    if (drawn.nodes > 0 || format === "json") terminal.out(drawn.text);
    if (drawn.nodes === 0) say(terminal, "Nothing is known yet. Runs learn from the handoffs they accept.\n");
    if (drawn.isCut) say(terminal, `Only ${drawn.nodes} nodes are shown; --limit takes more.\n`);
    return EXIT.fine;
  },
};
