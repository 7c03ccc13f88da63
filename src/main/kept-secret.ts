import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../shared/app-error.ts";

/** A random text that is made once for a state folder and readable by its owner only. */
export function keptSecret(stateFolder: string, name: string): string {
  const path = join(stateFolder, name);
  return read(path) ?? make(path);
}

function read(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    return /^[\w-]{43}$/.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** Whole or not at all, and of two processes that make it at once both get the same. */
function make(path: string): string {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(temporary, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
    try {
      linkSync(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // Somebody was faster, or it holds something else.
      if (read(path) === null) {
        rmSync(path);
        linkSync(temporary, path);
      }
    }
  } catch (error) {
    const hint = "Check the permissions of the state folder.";
    throw new AppError("cannot-write", `${path} cannot be made: ${String(error)}.`, hint);
  } finally {
    rmSync(temporary, { force: true });
  }
  return read(path) ?? "";
}

/** Values of our own environment that look like secrets by their names; they are masked wherever they turn up. */
export function secretValues(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (/^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/.test(name)) return headerValues(value);
    return /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|CREDENTIAL/i.test(name) ? [value] : [];
  });
}

/** `name=value,name=value`: with what the operator's collector is opened, the word before a token left out. */
function headerValues(headers: string): string[] {
  return headers.split(",").flatMap((header) => {
    const value = header.slice(header.indexOf("=") + 1).trim();
    return [value, value.replace(/^\w+(?: |%20)+/, "")];
  });
}
