// The first hub: gives the work away, and ends the run when it comes back.
import { handOver, returned } from "./kit.mjs";

if (returned === null) handOver("This needs all phases.", "Planning", "workflow-agent", "complete");
else handOver(`${returned} is through with it.`, "Complete", null, "complete");
