import * as Memory from "@dockline/core/Memory"
import { Layer } from "effect"
import { apiClientsSuite } from "../src/testing/ApiClientsSuite.ts"
import { businessesSuite } from "../src/testing/BusinessesSuite.ts"
import { clientStoreSuite } from "../src/testing/ClientStoreSuite.ts"
import { deliveriesSuite } from "../src/testing/DeliveriesSuite.ts"
import { directorySuite } from "../src/testing/DirectorySuite.ts"
import { readScopeSuite } from "../src/testing/ReadScopeSuite.ts"
import { webhookAddressesSuite } from "../src/testing/WebhookAddressesSuite.ts"
import { webhookChangesSuite } from "../src/testing/WebhookChangesSuite.ts"
import { webhooksSuite } from "../src/testing/WebhooksSuite.ts"

businessesSuite("businesses in memory", Layer.empty, Memory.layer)
directorySuite("the directory in memory", Layer.empty, Memory.layer)
apiClientsSuite("API clients in memory", Layer.empty, Memory.layer)
clientStoreSuite("the store of API clients in memory", Layer.empty, Memory.layer)
webhooksSuite("webhook endpoints in memory", Layer.empty, Memory.layer)
webhookChangesSuite("changes of webhook endpoints in memory", Layer.empty, Memory.layer)
webhookAddressesSuite("addresses of webhook endpoints in memory", Layer.empty, Memory.layer)
deliveriesSuite("deliveries in memory", Layer.empty, Memory.layer)
readScopeSuite("reading every business in memory", Layer.empty, Memory.layer)
