import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/closing-line.ts";

export default defineConfig({
  resolve: { alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/seeded-fast-check.ts` }] },
  test: {
    include: ["src/**/*.test.ts", "dashboard/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/fixtures/**"],
    // One line per file with its time; a failure is told in full.
    reporters: ["default", new ClosingLine()],
    // Most of the long ones wait for programs they have started: with one worker half of the machine would idle.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
