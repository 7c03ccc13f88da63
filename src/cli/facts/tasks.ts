import { type KnownTask, listKnownTasks } from "../../runtime/operations/search-knowledge.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import { EXIT } from "../exit-code.ts";
import { display, say } from "../fit-lines.ts";
import { wholeNumber } from "../shared-options.ts";
import { time } from "./print-fact.ts";
import { kindsOf } from "./search.ts";
import { KNOWLEDGE, type Subcommand, wrongUse } from "./subcommand.ts";

const DEFAULT_LIMIT = 50;

export const tasks: Subcommand = {
  name: "tasks",
  usage: "",
  about: "Tasks that said a fact of this --type, or with this --tag; the newest first.",
  options: ["tag", "type", "run", "limit", "json"],
  async run(invocation, engine, terminal) {
    const [kinds, tags] = [kindsOf(invocation), invocation.texts("tag")];
    if (kinds.length > 1 || tags.length > 1) throw wrongUse("baton knowledge tasks takes one --type and one --tag.");
    const run = invocation.text("run");
    const found = await listKnownTasks(engine.machine, {
      ...(tags[0] === undefined ? {} : { tag: tags[0] }),
      ...(kinds[0] === undefined ? {} : { kind: kinds[0] }),
      ...(run === undefined ? {} : { run }),
      most: wholeNumber(KNOWLEDGE, invocation, "limit") ?? DEFAULT_LIMIT,
    });
    if (invocation.has("json")) terminal.out(printJsonLines({ tasks: found.map(taskRecord) }));
    else if (found.length === 0)
      say(terminal, "No task has said such a thing. `baton knowledge search` finds facts.\n");
    else display(terminal, found.map(printTask).join(""));
    return EXIT.fine;
  },
};

function taskRecord({ run, id, name, status, dependsOn, at }: KnownTask): object {
  return { run, id, name, status, depends_on: dependsOn, at };
}

function printTask({ run, id, name, status, at }: KnownTask): string {
  return `${printable(`${id}  ${status}  ${time(at)}  ${name}  (run ${run})`)}\n`;
}
