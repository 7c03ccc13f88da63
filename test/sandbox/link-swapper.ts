import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A hostile neighbour in a process of its own: as fast as it can it makes two paths of a folder what they should be,
 * and links that lead outside. `file.json` is a file or a link to one, `folder` a folder with a file or a link to one.
 */
const [root = "", outside = ""] = process.argv.slice(2);
const [file, folder] = [join(root, "file.json"), join(root, "folder")];
process.stdout.write("ready\n");

for (;;) {
  writeFileSync(join(root, "next"), "fine");
  renameSync(join(root, "next"), file);
  swapFolder(() => symlinkSync(outside, folder));
  symlinkSync(join(outside, "handoff.json"), join(root, "next"));
  renameSync(join(root, "next"), file);
  swapFolder(() => {
    mkdirSync(folder);
    writeFileSync(join(folder, "handoff.json"), "fine");
  });
}

/** The other side makes the folder too, and writes into it: then it was quicker. */
function swapFolder(put: () => void): void {
  try {
    rmSync(folder, { recursive: true, force: true });
    put();
  } catch {
    // The next turn comes at once.
  }
}
