import { keptSecret } from "./kept-secret.ts";
import { livingAddress } from "./submission.ts";

const LONGEST_WAIT = 2_000;

export interface FoundServer {
  readonly port: number;
  /** Without a token where that of the state folder does not open it. */
  readonly link: string;
}

/**
 * The server that another process keeps for this state, if it answers. Agents can write where the addresses are kept,
 * so it is shown no token but that of the state folder, which whoever writes there can read as well.
 */
export async function findServer(stateFolder: string, mayShowToken: boolean): Promise<FoundServer | null> {
  const address = livingAddress(stateFolder, () => undefined);
  if (address === null) return null;
  const token = mayShowToken ? keptSecret(stateFolder, "server-token") : null;
  const status = await statusOf(`${address}/api/about`, token);
  const port = Number(new URL(address).port);
  if (status === 200 && token !== null) return { port, link: `${address}/?token=${token}` };
  return status === 401 ? { port, link: address } : null;
}

/** Null when nobody answers. */
async function statusOf(url: string, token: string | null): Promise<number | null> {
  try {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(LONGEST_WAIT) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}
