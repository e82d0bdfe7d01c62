# Serve until standard input ends, which it does with whoever started this; then leave nothing behind.
# Arguments: the folder of the programs; an empty folder; the server's options. Says "ready"; what went wrong is in "log".
set -eu
trap '' PIPE
programs=$1 folder=$2 options=$3
export LC_ALL=C
exec 2>> "$folder/log"
"$programs/initdb" --no-sync --auth=trust --encoding=utf8 -U postgres -D "$folder/data" >&2
"$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -o "$options" -t 120 -w start >&2
echo ready || :
read -r _ || :
"$programs/pg_ctl" -D "$folder/data" -m fast stop >&2 || "$programs/pg_ctl" -D "$folder/data" -m immediate stop >&2
rm -rf "$folder"
