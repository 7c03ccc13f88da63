import { commandRunner } from "../../src/agents/run-command.ts";
import { aGate } from "./gates.ts";

/** An orchestrator with one gate that has daemons; it is there to be killed. */
const [directory = "", token = ""] = process.argv.slice(2);
const nap = `sleep ${token}`;
const script = `echo begun > begun; setsid env -i ${nap} & (setsid sh -c '${nap} & ${nap}' &) & nohup ${nap} & trap "" TERM HUP; ${nap}; ${nap}`;
const gate = aGate(directory, ["sh", "-c", script], { timeout: 600_000 });
process.stdout.write(`${gate.id}\n`);
await commandRunner.run(gate);
