/** What a checkpoint is made of and kept by. Numbers have no gap: the last one is how many there are. */
export const CHECKPOINTS = {
  ledger: "SELECT log, pruned, pruned_texts FROM ledger WHERE one = 1",
  lastNumbers: `SELECT
    (SELECT coalesce(max(number), 0) FROM runs) AS runs,
    (SELECT coalesce(max(number), 0) FROM letters) AS letters,
    (SELECT coalesce(max(number), 0) FROM texts) AS texts,
    (SELECT coalesce(max(rowid), 0) FROM workflows) AS workflows`,
  hashAt: "SELECT hash FROM entries WHERE position = ?",
  insertCheckpoint: "INSERT INTO checkpoints (number, body, signature) VALUES (?, ?, ?)",
  lastCheckpoint: "SELECT number, body, signature FROM checkpoints ORDER BY number DESC LIMIT 1",
  checkpoint: "SELECT number, body, signature FROM checkpoints WHERE number = ?",
} as const;
