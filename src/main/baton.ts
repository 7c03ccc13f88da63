import { writeSync } from "node:fs";
import packageFile from "../../package.json" with { type: "json" };

// A stand-in until the command line is written.
writeSync(1, `${packageFile.version}\n`);
