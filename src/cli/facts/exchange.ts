import { basename, relative, resolve } from "node:path";
import {
  exportKnowledge,
  type ImportedKnowledge,
  importKnowledge,
  MAX_GRAPH_FILE,
} from "../../runtime/operations/exchange-knowledge.ts";
import { rebuildKnowledge } from "../../runtime/operations/rebuild-knowledge.ts";
import { personOf } from "../../runtime/request-source.ts";
import type { FactStatus } from "../../runtime/operations/search-knowledge.ts";
import { count } from "../../shared/count.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { readInput } from "../read-input.ts";
import { writeNewFile } from "../write-file.ts";
import { type Subcommand, wrongUse } from "./print-fact.ts";

const exporting: Subcommand = {
  name: "export",
  usage: "[FILE]",
  about: "Write knowledge_graph.json (003) with what is trusted, or what has this --status.",
  options: ["status", "json"],
  async run(invocation, engine, terminal) {
    const [file, ...more] = invocation.operands;
    if (more.length > 0) throw wrongUse("Name one file to write.");
    const wanted = invocation.texts("status") as readonly FactStatus[];
    const graph = await exportKnowledge(engine.ports, wanted.length === 0 ? ["trusted"] : wanted);
    const text = printJsonLines(graph);
    if (file === undefined || file === "-") terminal.out(text);
    else {
      writeNewFile(resolve(terminal.directory, file), text);
      say(terminal, `${printable(file)} holds ${count(graph.nodes.length, "node")}.\n`);
    }
    return EXIT.fine;
  },
};

const importing: Subcommand = {
  name: "import",
  usage: "FILE|-",
  about: "Learn from a knowledge_graph.json; everything is quarantined, nothing is overwritten.",
  options: ["json"],
  makesState: true,
  async run(invocation, engine, terminal) {
    const [file, ...more] = invocation.operands;
    if (file === undefined || more.length > 0) throw wrongUse("Name one file to import.");
    personOf(await terminal.requestSource(), "`baton knowledge import`");
    const path = file === "-" ? file : resolve(terminal.directory, file);
    const input = readInput(path, MAX_GRAPH_FILE, terminal);
    if (input.refused !== null) {
      say(terminal, `${printable(file)}: ${input.refused.message}\n`);
      return EXIT.findings;
    }
    const known = await importKnowledge(engine.ports, sourceName(engine.root, path), input.text);
    for (const problem of known.problems) say(terminal, `${printable(`${file}: ${problem}`)}\n`);
    const facts = [...new Set(known.facts.map(({ id }) => id))];
    if (invocation.has("json")) {
      const { run, tasks, known: before, problems } = known;
      terminal.out(printJsonLines({ run, tasks, facts, known: before, problems }));
    } else say(terminal, `${printable(`${file}: ${describeImport(known, facts.length)}`)}\n`);
    return known.problems.length === 0 ? EXIT.fine : EXIT.findings;
  },
};

function describeImport({ run, tasks, known }: ImportedKnowledge, facts: number): string {
  const before = [
    ...(known.facts === 0 ? [] : [count(known.facts, "fact")]),
    ...(known.tasks === 0 ? [] : [count(known.tasks, "task")]),
  ];
  const left = before.length === 0 ? "" : ` Known here already, and left as it is: ${before.join(" and ")}.`;
  if (facts === 0 && tasks === 0) return `nothing is new.${left}`;
  const where = `baton knowledge search --status quarantined --run ${run}`;
  return `${count(facts, "fact")} and ${count(tasks, "task")}.${left} What is new is quarantined: ${where}`;
}

/** From the root of the repository; a file elsewhere is known by its name alone. */
function sourceName(root: string, path: string): string {
  if (path === "-") return "stdin";
  const inside = relative(root, path);
  return inside.startsWith("..") ? basename(path) : inside;
}

const rebuild: Subcommand = {
  name: "rebuild",
  usage: "",
  about: "Remove what was changed without Baton, and learn from every handoff of the log again.",
  options: ["json"],
  async run(invocation, engine, terminal) {
    if (invocation.operands.length > 0) throw wrongUse("baton knowledge rebuild takes all runs of the log.");
    personOf(await terminal.requestSource(), "`baton knowledge rebuild`");
    const rebuilt = await rebuildKnowledge(engine.ports);
    const { runs, handoffs, sayings, pruned, forgotten } = rebuilt;
    if (invocation.has("json")) terminal.out(printJsonLines(rebuilt));
    else if (runs === 0) say(terminal, "There is no run to learn from. `baton run` starts one.\n");
    else
      say(
        terminal,
        `${count(runs, "run")}, ${count(handoffs, "handoff")}: facts were said ${count(sayings, "time")}.\n`,
      );
    if (forgotten.length > 0)
      say(terminal, `Changed without Baton, and so removed before: ${printable(forgotten.join(", "))}\n`);
    if (pruned.length > 0) say(terminal, `Pruned, and so not learned from: ${printable(pruned.join(", "))}\n`);
    return EXIT.fine;
  },
};

export const EXCHANGES: readonly Subcommand[] = [exporting, importing, rebuild];
