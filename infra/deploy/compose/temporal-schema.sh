#!/bin/sh
# Makes Temporal's two databases and brings their tables up to date. What is there
# already stays, so it may be repeated. SQL_… say where and as who.
set -eu

for schema in temporal visibility; do
  case $schema in
    temporal) export SQL_DATABASE=temporal ;;
    visibility) export SQL_DATABASE=temporal_visibility ;;
  esac
  temporal-sql-tool create-database
  temporal-sql-tool setup-schema --version 0.0
  temporal-sql-tool update-schema --schema-name "postgresql/v12/$schema"
done
