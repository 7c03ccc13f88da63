/** `4.2 s`, `3 min 05 s`, `2 h 10 min`, `3 d 04 h`. */
export function printElapsed(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${padded(Math.floor(seconds % 60))} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${padded(minutes % 60)} min` : `${Math.floor(hours / 24)} d ${padded(hours % 24)} h`;
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
