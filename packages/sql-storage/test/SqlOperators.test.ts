import * as Sql from "@dockline/sql-storage/Sql"
import { Layer } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { apiClientsSuite } from "../../core/test/ApiClientsSuite.ts"
import { businessesSuite } from "../../core/test/BusinessesSuite.ts"
import { clientStoreSuite } from "../../core/test/ClientStoreSuite.ts"
import { deliveriesSuite } from "../../core/test/DeliveriesSuite.ts"
import { directorySuite } from "../../core/test/DirectorySuite.ts"
import { readScopeSuite } from "../../core/test/ReadScopeSuite.ts"
import { webhookAddressesSuite } from "../../core/test/WebhookAddressesSuite.ts"
import { webhookChangesSuite } from "../../core/test/WebhookChangesSuite.ts"
import { webhooksSuite } from "../../core/test/WebhooksSuite.ts"

const base = Layer.orDie(TestDatabase.layer)

businessesSuite("businesses on PostgreSQL", base, Sql.layer)
directorySuite("the directory on PostgreSQL", base, Sql.layer)
apiClientsSuite("API clients on PostgreSQL", base, Sql.layer)
clientStoreSuite("the store of API clients on PostgreSQL", base, Sql.layer)
webhooksSuite("webhook endpoints on PostgreSQL", base, Sql.layer)
webhookChangesSuite("changes of webhook endpoints on PostgreSQL", base, Sql.layer)
webhookAddressesSuite("addresses of webhook endpoints on PostgreSQL", base, Sql.layer)
deliveriesSuite("deliveries on PostgreSQL", base, Sql.layer)
readScopeSuite("reading every business on PostgreSQL", base, Sql.layer)
