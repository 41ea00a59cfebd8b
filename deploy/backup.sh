#!/usr/bin/env bash
# Saves all that Dockline has in the database of DATABASE_URL in a file, and restores it:
#
#   backup.sh save FILE      while the service runs; the file is whole, or not there
#   backup.sh restore FILE   into a database that holds no Dockline; all of it, or nothing
#
# It needs pg_dump and pg_restore of the database's version or a newer one. SECRETS_KEY is kept apart: without it the file does not
# give away what customers entrusted. After a restore move the ids on before anybody is let in: docs/guides/operate.md.
set -euo pipefail

usage() {
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

[ $# -eq 2 ] || usage
command=$1 file=$2
: "${DATABASE_URL:?set DATABASE_URL to postgres://user:password@host:port/database}"

# The password goes by the environment: everybody on the machine sees arguments.
if [[ $DATABASE_URL =~ ^(postgres(ql)?://[^:/@?#]*):([^@/?#]*)@(.*)$ ]]; then
  password=${BASH_REMATCH[3]//\\/\\\\}
  export PGPASSWORD
  PGPASSWORD=$(printf '%b' "${password//%/\\x}")
  DATABASE_URL="${BASH_REMATCH[1]}@${BASH_REMATCH[4]}"
fi

case $command in
  save)
    umask 077
    draft=$(mktemp "$file.XXXXXX")
    trap 'rm -f "$draft"' EXIT
    pg_dump --dbname="$DATABASE_URL" --schema=dockline --format=custom --no-owner --no-privileges --file="$draft"
    # A file that cannot be read is no backup.
    pg_restore --list "$draft" >/dev/null
    sync "$draft"
    mv "$draft" "$file"
    ;;
  restore)
    pg_restore --dbname="$DATABASE_URL" --single-transaction --exit-on-error --no-owner --no-privileges "$file"
    ;;
  *) usage ;;
esac
