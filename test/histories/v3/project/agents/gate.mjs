// A gate: passes at once, or when the file `go` is there.
import { existsSync } from "node:fs";

while (existsSync("wait") && !existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 50));
console.log("the total is right");
