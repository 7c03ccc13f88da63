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

/** Asks for one key, which needs no Enter; Ctrl-C and the end of the input are an empty answer. */
export async function askKey(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (typeof stdin.setRawMode !== "function") return (await askLine(question)).trim().slice(0, 1);
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    const [key] = await new Promise<string>((resolve) => {
      stdin.once("data", (bytes: Buffer) => resolve(bytes.toString("utf8")));
      stdin.once("end", () => resolve(""));
      stdin.resume();
    });
    const isPrintable = key !== undefined && key >= " ";
    stderr.write(`${isPrintable ? key : ""}\n`);
    return isPrintable ? key : "";
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}
