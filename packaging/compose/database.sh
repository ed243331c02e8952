#!/bin/sh
# Once, while PostgreSQL makes its data: the user and the database of the consoles.
psql --username=postgres --dbname=postgres --no-psqlrc --quiet --set=ON_ERROR_STOP=1 <<'SQL'
\set password `cat /run/secrets/database-password`
create role console login password :'password';
create database console owner console;
revoke connect on database console from public;
SQL
