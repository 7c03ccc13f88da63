import { describe, expect, it } from "vitest";
import { plainReason } from "./plain-reason.ts";

const refusal = (code: string): Error =>
  Object.assign(new Error(`${code}: oh no, open '/home/ada/x'`), { code, syscall: "open" });

describe("why the system refused", () => {
  it.each([
    ["ENOENT", "there is no such file"],
    ["ENOTDIR", "a part of its path is a file, not a folder"],
    ["EISDIR", "it is a folder"],
    ["EACCES", "permission is denied"],
    ["ENOSPC", "the disk is full"],
  ])("is told in plain words: %s", (code, words) => {
    expect(plainReason(refusal(code))).toBe(words);
  });

  it("never names the path, also where there are no words for it", () => {
    expect(plainReason(refusal("EXDEV"))).toBe("the system says EXDEV");
    expect(plainReason(refusal("toString"))).toBe("the system says toString");
  });

  it("is the message of whatever else went wrong", () => {
    expect(plainReason(new Error("it is no JSON"))).toBe("it is no JSON");
    expect(plainReason("odd")).toBe("odd");
  });
});
