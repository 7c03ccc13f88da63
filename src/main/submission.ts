import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attemptToken } from "../http/tokens.ts";
import { keptSecret } from "./kept-secret.ts";

/** Where the server of a state folder says that it listens. */
const ADDRESS_FILE = "server-address";

/** With this an agent can hand in over HTTP; without a server it has a token and no address. */
export function submissionOf(stateFolder: string, run: string, attempt: string): Record<string, string> {
  const token = tokenOfAttempt(stateFolder, run, attempt);
  const address = addressIn(stateFolder);
  return {
    BATON_SUBMIT_TOKEN: token,
    ...(address !== null && { BATON_SUBMIT_URL: `${address}/api/runs/${run}/handoffs` }),
  };
}

export function tokenOfAttempt(stateFolder: string, run: string, attempt: string): string {
  return attemptToken(keptSecret(stateFolder, "submit-secret"), run, attempt);
}

/** Gives a function that takes it back, unless another server has put its own there. */
export function tellAddress(stateFolder: string, address: string): () => void {
  writeFileSync(join(stateFolder, ADDRESS_FILE), `${address}\n`, { mode: 0o600 });
  return () => {
    if (addressIn(stateFolder) === address) rmSync(join(stateFolder, ADDRESS_FILE), { force: true });
  };
}

function addressIn(stateFolder: string): string | null {
  try {
    const text = readFileSync(join(stateFolder, ADDRESS_FILE), "utf8").trim();
    return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(text) ? text : null;
  } catch {
    return null;
  }
}
