import { describe, expect, it } from "vitest";
import { CHEATS } from "../../proofs/cheats/cheats.ts";
import { readRows, type Row, runCheat } from "../../proofs/cheats/run-cheat.ts";

/** The table in `proofs/cheats` says what a user must see of each: a few of them here, all of them as a proof. */
const HERE = ["T03", "T27", "R01", "R05", "R21", "C04", "H01", "H10", "D01", "D10", "F04", "F11", "F12", "A01", "S04"];
const MANY = Number(process.env["BATON_CHEATS"] ?? HERE.length);

const rows = readRows();
const isHere = ({ id }: Row): boolean => HERE.includes(id);
const order = [...rows.filter(isHere), ...rows.filter((row) => !isHere(row))];

describe("an agent that cheats", () => {
  it("is in the table, and the table says nothing without an agent", () => {
    expect(rows.map(({ id }) => id)).toEqual([...new Set(rows.map(({ id }) => id))]);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(Object.keys(CHEATS).toSorted());
    expect(rows.filter(({ least }) => least !== "honest").length).toBeGreaterThan(60);
    expect(rows.filter(({ least }) => least === "unnoticed").length).toBeLessThanOrEqual(4);
    // A count in the ledger is a count of rows.
    expect(MANY).toBeLessThanOrEqual(rows.length);
  });

  it.concurrent.each(order.slice(0, MANY))("$id: $does", { timeout: 120_000 }, async (row) => {
    const { verdict, isRight, shown } = await runCheat(row);
    expect({ verdict, isRight, shown: isRight ? "" : JSON.stringify(shown) }).toEqual({
      verdict,
      isRight: true,
      shown: "",
    });
  });
});
