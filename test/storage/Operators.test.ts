/** The operator services over PostgreSQL. */
import { ediSql } from "@dockline/edi/storage/EdiSql"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { operatorSuite } from "../../packages/core/test/operator/OperatorSuite.ts"
import { runner } from "../support/Runner.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

Suite.register(runner, operatorSuite, Sql.layerWith([ediSql]), TestDatabase.layer)
