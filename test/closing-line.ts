import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * At the end: how long each folder took, why tests were skipped, and one plain line, `N passed, N failed, N skipped`,
 * for programs that read it.
 */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const skipped = new Map<string, number>();
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) counts.failed++;
      for (const test of module.children.allTests()) {
        counts[test.result().state]++;
        const reason = reasonToSkip(module, test);
        if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      }
    }
    const reasons = [...skipped].map(([reason, count]) => `${String(count).padStart(5)} skipped: ${reason}\n`);
    process.stdout.write(
      `\n${timesOfFolders(modules).join("")}${reasons.join("")}${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped\n`,
    );
  }
}

/** The note of the test, or the suite that it stands in: those that skip as a whole have no note, but say why. */
function reasonToSkip(module: TestModule, test: TestCase): string | null {
  const result = test.result();
  if (result.state !== "skipped") return null;
  if (result.note !== undefined) return result.note;
  const suite = test.fullName.split(" > ")[0] ?? test.name;
  return `${relative(process.cwd(), module.moduleId)}, ${suite}`;
}

/** `src/protocol`, `test/e2e`, ...: the longest first. Files run side by side, so the sum is more than the time that passed. */
function timesOfFolders(modules: readonly TestModule[]): string[] {
  const folders = new Map<string, { milliseconds: number; files: number }>();
  for (const module of modules) {
    const folder = relative(process.cwd(), module.moduleId).split("/").slice(0, 2).join("/");
    const { duration, collectDuration } = module.diagnostic();
    const before = folders.get(folder) ?? { milliseconds: 0, files: 0 };
    folders.set(folder, { milliseconds: before.milliseconds + duration + collectDuration, files: before.files + 1 });
  }
  return [...folders]
    .sort(([, left], [, right]) => right.milliseconds - left.milliseconds)
    .map(([folder, { milliseconds, files }]) => {
      const seconds = (milliseconds / 1000).toFixed(1).padStart(7);
      return `${seconds} s in ${folder} (${files} ${files === 1 ? "file" : "files"})\n`;
    });
}
