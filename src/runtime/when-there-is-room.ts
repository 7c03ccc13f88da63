/**
 * Tries again while the disk is full, as the store does: whoever handed over did nothing wrong, and the same look finds
 * the same once there is room.
 */
export async function whenThereIsRoom<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error) || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, NEXT_TRY));
    }
  }
}

const NEXT_TRY = 500;

/** By the system's code, or in the words of a git that met it. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "ENOSPC") || error.message.includes("No space left on device");
}
