import { expect, it } from "vitest";
import { readSession, sinceThen, writeSession } from "./session-token.ts";

it("a session keeps its id and what it had used", () => {
  const session = { id: "01a1e1d9-fa28", tokens: 21_350, money: 0.0953 };
  expect(readSession(writeSession(session))).toEqual(session);
  expect(readSession("bare-id")).toEqual({ id: "bare-id", tokens: 0, money: 0 });
  expect(readSession("id?tokens=-1&money=x")).toEqual({ id: "id", tokens: 0, money: 0 });
  expect(readSession(null)).toBeNull();
});

it("a session whose name a client could misunderstand is refused", () => {
  for (const text of ["", "--last", "-", "a b", "../x", "?tokens=1"]) expect(() => readSession(text)).toThrow();
});

it("an attempt is charged for what came after, and for all of it when the count began anew", () => {
  expect(sinceThen(10, 4)).toBe(6);
  expect(sinceThen(3, 4)).toBe(3);
  expect(sinceThen(null, 4)).toBeNull();
});
