import { showFact } from "../../runtime/operations/show-fact.ts";
import { printJsonLines } from "../../shared/printable.ts";
import { EXIT } from "../exit-code.ts";
import { factRecord, printShown } from "./print-fact.ts";
import { oneFact, type Subcommand } from "./subcommand.ts";
import { display } from "../fit-lines.ts";

export const show: Subcommand = {
  name: "show",
  usage: "ID",
  about: "One fact: whether what it cites still stands, who said it, what opposes it, its history.",
  options: ["json"],
  async run(invocation, engine, terminal) {
    const shown = await showFact(engine, oneFact(invocation, "show"));
    const { fact, freshness, standing, opposes, history } = shown;
    if (invocation.has("json"))
      terminal.out(printJsonLines({ fact: factRecord(fact), freshness, standing, opposes, history }));
    else display(terminal, printShown(shown, terminal.colour.out));
    return EXIT.fine;
  },
};
