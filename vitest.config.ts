import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/closing-line.ts";

/** Tests of pure code: they leave nothing behind, so they share workers. `npm run check:quick` runs only these. */
const PURE = [
  "src/{shared,protocol,workflow,evidence,knowledge,views,api}/**/*.test.ts",
  "test/{architecture,requirements}/**/*.test.ts",
];
const exclude = ["**/node_modules/**", "test/fixtures/**"];

export default defineConfig({
  resolve: { alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/seeded-fast-check.ts` }] },
  test: {
    // One line per file with its time; a failure is told in full.
    reporters: ["default", new ClosingLine()],
    // Most of the long ones wait for programs they have started: with one worker half of the machine would idle.
    maxWorkers: 2,
    // Tests in folders without git keep their state here, and not among the user's own.
    env: { XDG_STATE_HOME: join(tmpdir(), "baton-test-state") },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "pure", include: PURE, exclude, isolate: false } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["src/**/*.test.ts", "dashboard/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...exclude, ...PURE],
        },
      },
    ],
  },
});
