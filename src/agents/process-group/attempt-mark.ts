import { createHash } from "node:crypto";

/** In the environment of every process of an attempt; a nested Baton adds its own mark to the one it was started with. */
const MARKS = "BATON_MARKS";

/**
 * What tells the processes of one attempt from all others. The folder is part of it, because two
 * orchestrators with stores of their own may give two attempts the same name.
 */
export function markOf(attempt: string, folder: string): string {
  return createHash("sha256").update(`${attempt}\0${folder}`).digest("hex").slice(0, 24);
}

/** The variables by which a process is known as ours, whatever it does with its group, session or parent. */
export function markedEnvironment(attempt: string, mark: string): Record<string, string> {
  const outer = process.env[MARKS];
  return { BATON_ATTEMPT: attempt, [MARKS]: outer === undefined ? mark : `${outer}:${mark}` };
}

/** `environ` as the kernel shows it: `NAME=value` with a NUL after each. */
export function holdsMark(environ: string, mark: string): boolean {
  if (!environ.includes(mark)) return false;
  const line = environ.split("\0").find((entry) => entry.startsWith(`${MARKS}=`));
  return (
    line !== undefined &&
    line
      .slice(MARKS.length + 1)
      .split(":")
      .includes(mark)
  );
}
