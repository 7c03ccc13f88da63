import { describe, expect, it } from "vitest";
import { askView, choiceEffect } from "./run-page.ts";

describe("what a choice does", () => {
  it.each([
    ["before", ["approve", "reject"]],
    ["after", ["approve", "reject"]],
    ["review", ["approve", "reject"]],
    ["question", ["answer", "fail"]],
    ["escalation", ["retry", "continue", "fail"]],
    ["blocked", ["resolved", "fail"]],
    ["human", ["done", "done-with-warnings", "needs-fixes", "failed", "blocked"]],
    ["command", ["approve", "reject"]],
  ] as const)("is said for every choice of a question of the kind %s", (kind, choices) => {
    const effects = choices.map((choice) => choiceEffect({ kind, agent: "One" }, choice));
    expect(effects).not.toContain(null);
    expect(new Set(effects).size).toBe(choices.length);
  });

  it("comes with the question, for each choice that is known", () => {
    const ask = { id: "q1", kind: "before", task: "main", agent: "One", title: "May One start?", details: [] } as const;
    const view = askView({ ...ask, choices: ["approve", "dance", "reject"], openedAt: 1, dueAt: null, reminders: 0 });
    expect(view).toMatchObject(ask);
    expect(view.effects).toEqual({ approve: "lets One start", reject: "says no: the task ends as failed" });
  });

  it("is not made up for what nobody knows", () => {
    expect(choiceEffect({ kind: "before", agent: "One" }, "constructor")).toBe(null);
    expect(choiceEffect({ kind: "toString" as "before", agent: "One" }, "approve")).toBe(null);
  });
});
