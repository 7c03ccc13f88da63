const RANGE = "r.created_at >= :since AND r.created_at < :until";
const UPDATED = "r.updated_at >= :updatedFrom AND r.updated_at < :updatedBefore";
/** The row itself is left out: many runs may have begun in one millisecond. */
const AFTER = "(r.created_at, r.number) < (:createdAt, :number)";
const YOUNGEST_FIRST = "ORDER BY r.created_at DESC, r.number DESC LIMIT :limit";
const BEGINS = "r.run >= :begin AND r.run < :end";

/**
 * How pages of runs are found and counted. Each list is read from an index in the order in which it is shown, one
 * status after the other; a text that many runs have is counted among the newest of them only.
 */
export const RUN_LISTS = {
  place: "SELECT created_at, number FROM runs WHERE run = ?",
  listByStatus: `SELECT r.* FROM runs r INDEXED BY runs_by_status
    WHERE r.status = :status AND ${RANGE} AND ${AFTER} AND ${UPDATED} ${YOUNGEST_FIRST}`,
  listByName: `SELECT r.* FROM runs r INDEXED BY runs_by_name
    WHERE r.name = :name AND r.status = :status AND ${RANGE} AND ${AFTER} AND ${UPDATED} ${YOUNGEST_FIRST}`,
  listByText: `SELECT r.* FROM runs_text t CROSS JOIN runs r ON r.number = t.rowid
    WHERE runs_text MATCH :match AND t.rowid < :number AND r.status IN (SELECT value FROM json_each(:statuses))
      AND (:name IS NULL OR r.name = :name) AND ${RANGE}
      AND (r.status <> 'running' OR (${UPDATED})) ORDER BY t.rowid DESC LIMIT :limit`,
  listByBeginning: `SELECT r.* FROM runs r WHERE ${BEGINS} AND ${AFTER}
    AND r.status IN (SELECT value FROM json_each(:statuses)) AND (:name IS NULL OR r.name = :name) AND ${RANGE}
    AND (r.status <> 'running' OR (${UPDATED})) ${YOUNGEST_FIRST}`,

  countByStatus: `SELECT count(*) AS runs FROM runs r INDEXED BY runs_by_status WHERE r.status = :status AND ${RANGE}`,
  countByName: `SELECT count(*) AS runs FROM runs r INDEXED BY runs_by_name
    WHERE r.name = :name AND r.status = :status AND ${RANGE}`,
  countStalled: `SELECT count(*) AS runs FROM runs r INDEXED BY runs_by_status
    WHERE r.status = 'running' AND ${RANGE} AND (:name IS NULL OR r.name = :name) AND r.updated_at < :stalledBefore`,
  countByText: `SELECT r.status, count(*) AS runs, sum(r.status = 'running' AND r.updated_at < :stalledBefore) AS stalled
    FROM (SELECT rowid AS number FROM runs_text WHERE runs_text MATCH :match ORDER BY rowid DESC LIMIT :most) t
    CROSS JOIN runs r ON r.number = t.number
    WHERE (:name IS NULL OR r.name = :name) AND ${RANGE} GROUP BY r.status`,
  countByBeginning: `SELECT r.status, count(*) AS runs, sum(r.status = 'running' AND r.updated_at < :stalledBefore) AS stalled
    FROM runs r WHERE ${BEGINS} AND (:name IS NULL OR r.name = :name) AND ${RANGE} GROUP BY r.status`,
  dataVersion: "PRAGMA data_version",
  ownChanges: "SELECT total_changes() AS changes",
  nextName: "SELECT min(name) AS name FROM runs INDEXED BY runs_by_name WHERE name > ?",
  nextStatus: "SELECT min(status) AS status FROM runs INDEXED BY runs_by_status WHERE status > ?",
} as const;
