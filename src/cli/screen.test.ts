import { describe, expect, it } from "vitest";
import { Screen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";

/** A terminal that begins with an empty screen, and counts how often all of it is cleared. */
function emptyTerminal() {
  let lines: string[] = [];
  let row = 0;
  let cleared = 0;
  const commands: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => (row = Math.max(0, row - count)),
    K: () => (lines[row] = ""),
    J: () => {
      if (row === 0) cleared++;
      lines = lines.slice(0, row);
    },
  };
  const note = (text: string): void => {
    for (const [, count = "", command = "", plain = ""] of text.matchAll(/\u001B\[(\d*)([A-Z])|([^\u001B\r]+|\r)/g)) {
      commands[command]?.(Number(count));
      for (const [index, part] of plain.replace("\r", "").split("\n").entries()) {
        if (index > 0) row++;
        lines[row] = (lines[row] ?? "") + part;
      }
    }
  };
  const shown = (): string => lines.join("\n").trimEnd();
  return { terminal: { note } as Partial<Terminal> as Terminal, shown, cleared: () => cleared };
}

describe("the screen", () => {
  it("draws each picture over the one before, below the lines that stay", () => {
    const { terminal, shown } = emptyTerminal();
    const screen = new Screen(terminal);
    screen.show([], ["a long first line", "second", "third"]);
    screen.show(["it happened"], ["short"]);
    expect(shown()).toBe("it happened\nshort");
    screen.show(["and again"], ["one", "two"]);
    expect(shown()).toBe("it happened\nand again\none\ntwo");
    screen.end();
    expect(shown()).toBe("it happened\nand again");
  });

  it("is never cleared as a whole: tmux would keep each picture to scroll back to", () => {
    const { terminal, shown, cleared } = emptyTerminal();
    const screen = new Screen(terminal);
    for (const picture of ["one", "two", "three"]) screen.show([], [picture]);
    screen.end();
    expect(shown()).toBe("");
    expect(cleared()).toBe(0);
  });
});
