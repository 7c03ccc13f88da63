import type { JsonRecord } from "../../../shared/json-value.ts";

export const example: JsonRecord = {
  outcome: "completed",
  files_created: [{ path: "src/gift-card/redeem.ts", purpose: "Redeems a gift card against an order", lines: "1-84" }],
  files_modified: [
    {
      path: "src/cart/total.ts",
      lines: "40-58",
      change_type: "modify",
      description: "Totals take a gift card into account",
    },
  ],
  patterns_discovered: [
    {
      id: "pattern-001",
      pattern: "Money goes through Amount.of()",
      location: "src/money/amount.ts",
      applies_to: ["money", "price-rules"],
    },
  ],
  gotchas: [
    {
      id: "gotcha-001",
      issue: "The card service answers 200 for an expired card",
      discovered_in: "Redeeming a test card",
      mitigation: "Read the state field, not the status code",
      severity: "high",
    },
  ],
  dependencies_for_next: [{ file: "src/gift-card/redeem.ts", reason: "The refund must undo what it does" }],
  open_questions: [
    {
      question: "May a card pay for shipping?",
      context: "The rules do not say",
      recommendation: "No, until asked",
      blocking: false,
    },
  ],
  suggested_next_steps: [{ step: "Refund to the card", priority: "high", depends_on: ["src/gift-card/redeem.ts"] }],
};
