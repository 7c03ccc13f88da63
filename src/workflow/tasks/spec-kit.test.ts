import { describe, expect, it } from "vitest";
import { readSpecKit, writeSpecKit } from "./spec-kit.ts";

const LIST = `# Tasks: Ledger

## Format: \`[ID] [P?] [Story] Description\`

<!--
- [ ] T900 An example in a comment
-->

\`\`\`text
- [ ] T901 An example in code
\`\`\`

## Phase 1: Setup (Shared Infrastructure)

- [x] T001 Create the project
- [ ] T002 Choose the tools in package.json
- [ ] T003 [P] Configure the linter
- [ ] T004 [P] Configure the formatter

## Phase 2: Foundational (Blocking Prerequisites)

- [ ] T005 Make the database in src/db.ts

## Phase 3: User Story 1 - Bookings (Priority: P1) 🎯 MVP

### Tests for User Story 1

- [ ] T006 [P] [US1] Contract test in test/a.ts
- [ ] T007 [P] [US1] Integration test in test/b.ts

### Implementation for User Story 1

- [ ] T008 [P] [US1] Booking model in src/booking.ts
- [ ] T009 [US1] Booking service in src/service.ts (depends on T005, T008, T999)
  - with its errors

## Phase 4: User Story 2 - Report (Priority: P2)

- [ ] T010 [US2] Report in src/report.ts

## Phase 5: Polish & Cross-Cutting Concerns

- [ ] T011 [P] Write docs/guide.md
- [ ] TXXX Whatever comes
`;

describe("a tasks.md of Spec Kit", () => {
  const tasks = readSpecKit(LIST, "tasks.md");

  it("is read phase by phase; user stories wait for the foundation and not for each other", () => {
    expect(tasks.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ["T001", []],
      ["T002", ["T001"]],
      ["T003", ["T002"]],
      ["T004", ["T002"]],
      ["T005", ["T003", "T004"]],
      ["T006", ["T005"]],
      ["T007", ["T005"]],
      ["T008", ["T006", "T007"]],
      ["T009", ["T008", "T005"]],
      ["T010", ["T005"]],
      ["T011", ["T009", "T010"]],
    ]);
  });

  it("has ticks for what is done, notes and the titles above a task", () => {
    expect(tasks[0]).toMatchObject({ standing: "done", name: "Create the project" });
    expect(tasks[8]).toMatchObject({
      standing: "open",
      name: "Booking service in src/service.ts (depends on T005, T008, T999)",
      brief: expect.stringContaining("with its errors") as string,
    });
    expect(tasks[8]?.brief).toContain("Phase 3: User Story 1 - Bookings");
  });

  it("with a number twice is refused", () => {
    expect(() => readSpecKit("- [ ] T001 a\n\n- [ ] T001 b\n", "specs/1/tasks.md")).toThrow(
      "specs/1/tasks.md has the task T001 twice, in lines 1 and 3.",
    );
  });

  it("gets a tick, or loses it, and no other byte", () => {
    const ticked = LIST.replace("- [ ] T005", "- [X] T005");
    expect(writeSpecKit(LIST, "T005", "done")).toEqual({ kind: "changed", text: ticked });
    expect(writeSpecKit(ticked, "T005", "in-progress")).toEqual({ kind: "changed", text: LIST });
    for (const progress of ["pending", "in-progress", "failed", "blocked"] as const)
      expect(writeSpecKit(LIST, "T005", progress)).toEqual({ kind: "same" });
    expect(writeSpecKit(LIST, "T001", "done")).toEqual({ kind: "same" });
    const windows = LIST.replaceAll("\n", "\r\n");
    expect(writeSpecKit(windows, "T011", "done")).toEqual({
      kind: "changed",
      text: windows.replace("- [ ] T011", "- [X] T011"),
    });
  });

  it("without the task, or with two of it, is left alone", () => {
    expect(writeSpecKit(LIST, "T900", "done")).toEqual({
      kind: "impossible",
      why: "does not have the task T900 any more",
    });
    expect(writeSpecKit("- [ ] T1 a\n- [ ] T1 b\n", "T1", "done")).toMatchObject({ kind: "impossible" });
  });
});
