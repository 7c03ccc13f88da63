import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/fixtures/**"],
    // One line per file with its time; a failure is told in full.
    reporters: ["default"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
