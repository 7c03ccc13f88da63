#!/bin/bash
# offline-client.sh OFFLINE RUNDIR SCENARIO [VAR=value ...] -- client args...
# A real client through offline.sh, which keeps its input and outputs for itself and its exit code in a line:
# here they are handed through, so that an adapter can speak with the client. The marks of the attempt are
# handed through too; everything else of the environment stays outside.
exec 7<&0 8>&1 9>&2
offline=$1 run=$2 scenario=$3
shift 3
vars=()
while [ "$1" != -- ]; do vars+=("$1"); shift; done
shift
"$offline" "$run" "$scenario" "BATON_ATTEMPT=$BATON_ATTEMPT" "BATON_MARKS=$BATON_MARKS" "${vars[@]}" -- \
  bash -c 'exec "$@" <&7 >&8 2>&9 7<&- 8>&- 9>&-' client "$@" > "$run/rc.txt" 2> "$run/offline.txt"
exit "$(sed -n 's/^rc=//p' "$run/rc.txt")"
