/** The storage while PostgreSQL is away, as its port has it. */
import * as Sql from "@dockline/sql-storage/Sql"
import { Outage, outageSuite, Suite } from "@dockline/testing"
import { Effect, Layer } from "effect"
import * as Way from "../../../../test/support/database/DatabaseWay.ts"
import { DatabaseWay } from "../../../../test/support/database/DatabaseWay.ts"
import { runner } from "../../../../test/support/Runner.ts"

const outage = Layer.effect(
  Outage,
  DatabaseWay.useSync(({ cut, restore }) =>
    Outage.of({ during: (effect) => Effect.acquireUseRelease(cut, () => effect, () => restore) })
  )
)

Suite.register(runner, outageSuite, Layer.mergeAll(Sql.layer, outage), Way.layer)
