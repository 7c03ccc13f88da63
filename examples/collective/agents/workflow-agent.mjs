// The second hub: leads the work through its phases, one agent at a time.
import { handOver, returned } from "./kit.mjs";

const ORDER = ["research-agent", "implementation-agent", "testing-agent", "quality-agent"];

const next = ORDER[ORDER.indexOf(returned) + 1];
if (next === undefined) handOver("Every phase is done.", "Planning", null, "complete");
else handOver(`${next} is next.`, "Planning", next, "complete");
