// What `baton validate FOLDER` is compared with: reads every file below a folder and parses it, and nothing else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { SaxesParser } from "saxes";

for (const entry of readdirSync(process.argv[2] ?? ".", { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
  if (entry.name.endsWith(".json")) JSON.parse(text);
  else if (entry.name.endsWith(".yaml")) load(text);
  else new SaxesParser().write(text).close();
}
