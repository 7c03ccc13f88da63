import { createInterface } from "node:readline/promises";

/** Asks on the terminal; the end of the input is an empty answer. */
export async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}
