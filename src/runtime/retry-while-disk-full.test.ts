import { describe, expect, it } from "vitest";
import { retryWhileDiskFull } from "./retry-while-disk-full.ts";

const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
const fullForGit = new Error("git add failed: error: file write error: No space left on device");

describe("work that needs room on the disk", () => {
  it.each([
    ["as the system says", full],
    ["as git says", fullForGit],
  ])("is done once there is some, %s", async (_who, error) => {
    let tries = 0;
    const work = (): Promise<string> => (++tries < 2 ? Promise.reject(error) : Promise.resolve("seen"));
    expect(await retryWhileDiskFull(work, new AbortController().signal)).toBe("seen");
    expect(tries).toBe(2);
  });

  it("is given up when it is to stop", async () => {
    await expect(retryWhileDiskFull(() => Promise.reject(full), AbortSignal.abort())).rejects.toBe(full);
  });

  it("fails at once for any other reason", async () => {
    const error = new Error("its repository is gone");
    await expect(retryWhileDiskFull(() => Promise.reject(error), new AbortController().signal)).rejects.toBe(error);
  });
});
