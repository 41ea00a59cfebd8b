import { skusSql } from "@dockline/sql-storage/skus/SkuSql"
import * as Sql from "@dockline/sql-storage/Sql"
import { skuStoreSuite } from "@dockline/testing/capabilities/skus/SkuStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

// Two instances on one database: what one of them keeps in its process, the other does not know.
Suite.register(runner, skuStoreSuite, Suite.alternating(Sql.layerWith([skusSql])), TestDatabase.layer)
