/** The suite of telling people, on PostgreSQL. */
import { alertsSql } from "@dockline/alerts/storage/AlertSql"
import { exceptionsSql } from "@dockline/sql-storage/exceptions/ExceptionSql"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { tellingSuite } from "../send/Telling.ts"

Suite.register(runner, tellingSuite, Sql.layerWith([exceptionsSql, alertsSql]), TestDatabase.layer)
