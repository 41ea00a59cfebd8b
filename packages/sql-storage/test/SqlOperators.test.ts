import { apiClientsSuite } from "@dockline/core/testing/ApiClientsSuite"
import { businessesSuite } from "@dockline/core/testing/BusinessesSuite"
import { clientStoreSuite } from "@dockline/core/testing/ClientStoreSuite"
import { deliveriesSuite } from "@dockline/core/testing/DeliveriesSuite"
import { directorySuite } from "@dockline/core/testing/DirectorySuite"
import { readScopeSuite } from "@dockline/core/testing/ReadScopeSuite"
import { webhookAddressesSuite } from "@dockline/core/testing/WebhookAddressesSuite"
import { webhookChangesSuite } from "@dockline/core/testing/WebhookChangesSuite"
import { webhooksSuite } from "@dockline/core/testing/WebhooksSuite"
import * as Sql from "@dockline/sql-storage/Sql"
import { Layer } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

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
