#!/bin/sh
# Runs FerretDB on PostgreSQL as the official image runs mongod; the arguments are those of mongod.
set -eu
data=/data/db/postgres
sockets=/run/mongodb
bin=/usr/lib/postgresql/18/bin
query() { "$bin/psql" -h "$sockets" -U postgres -X -q -v ON_ERROR_STOP=1 -f -; }
value() { eval "file=\${$1_FILE:-}"; if [ -n "$file" ]; then cat "$file"; else eval "printf %s \"\${$1:-}\""; fi; }

start() {
	su -s /bin/sh mongodb -c "exec $bin/postgres -D $data" &
	postgres=$!
	until echo 'select 1' | query >/dev/null 2>&1; do
		kill -0 "$postgres" || exit 1
		sleep 0.1
	done
}

mkdir -p "$sockets"
chown mongodb "$sockets" /data/db
if [ ! -e "$data" ]; then
	rm -rf "$data.new"
	su -s /bin/sh mongodb -c \
		"$bin/initdb -D $data.new -A trust -U postgres --locale=C.UTF-8 -E UTF8" >/dev/null
	cat /etc/postgresql.conf >>"$data.new/postgresql.conf"
	mv "$data.new" "$data"
fi
start
if [ ! -e "$data/ready" ]; then
	{
		echo 'create extension if not exists documentdb cascade;'
		echo 'create extension if not exists documentdb_extended_rum;'
	} | query
	MONGOSH_USER=$(value MONGO_INITDB_ROOT_USERNAME) MONGOSH_PASSWORD=$(value MONGO_INITDB_ROOT_PASSWORD) \
		mongosh /docker-entrypoint-initdb.d/*.js | query >/dev/null
	touch "$data/ready"
fi
su -s /bin/sh mongodb -c "exec ferretdb --postgresql-url='postgres://postgres@/postgres?host=$sockets' \
	--listen-addr=:27017 --telemetry=disable --state-dir=$sockets --debug-addr=- --log-level=error" &
ferretdb=$!
trap 'kill -TERM $ferretdb; wait $ferretdb; kill -INT $postgres; wait $postgres; exit 0' TERM INT
while kill -0 "$ferretdb" && kill -0 "$postgres"; do sleep 1; done
exit 1
