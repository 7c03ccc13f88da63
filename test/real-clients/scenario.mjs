// What the fake model says: an echo of how often it was asked, or nothing for ever.
import { writeFileSync } from "node:fs";

/** @param {{ messages: { role: string, text: string }[] }} turn */
const scenario = async (turn) => {
  const asked = turn.messages.filter((message) => message.role === "user").map((message) => message.text);
  if (asked.at(-1)?.includes("never answer")) {
    // The server stands in the workspace; a test waits for this file.
    writeFileSync("asked", "");
    await new Promise(() => undefined);
  }
  const colours = ["red", "blue"].filter((colour) => asked.some((text) => text.includes(`the word is ${colour}`)));
  return [{ text: `heard ${colours.join(" and ")}` }];
};
// oxlint-disable-next-line import/no-default-export -- the fake model server asks for it
export default scenario;
