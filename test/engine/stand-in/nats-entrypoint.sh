#!/bin/sh
# As that of the official image: arguments alone are those of the server.
case "${1:-}" in -* | '') set -- nats-server "$@" ;; esac
exec "$@"
