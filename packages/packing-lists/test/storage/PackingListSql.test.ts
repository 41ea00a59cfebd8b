/** The suite of mappings on PostgreSQL. */
import { packingListsSql } from "@dockline/packing-lists/storage/PackingListSql"
import { mappingStoreSuite } from "@dockline/packing-lists/suites/MappingStoreSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

Suite.register(runner, mappingStoreSuite, Sql.layerWith([packingListsSql]), TestDatabase.layer)
