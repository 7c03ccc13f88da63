/**
 * Retries while the disk is full, as the store does. A full disk is not the fault of the agent, and the same check has
 * the same result once there is space.
 */
export async function retryWhileDiskFull<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  notify: (message: string) => void = () => undefined,
): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error) || signal.aborted) throw error;
      if (!isTold) notify(`The disk is full: ${error instanceof Error ? error.message : String(error)}. Trying again.`);
      await new Promise((resolve) => setTimeout(resolve, NEXT_TRY));
    }
  }
}

const NEXT_TRY = 500;

/** By the error code, or by the error message of git. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "ENOSPC") || error.message.includes("No space left on device");
}
