import * as Memory from "@dockline/core/Memory"
import { Layer } from "effect"
import { apiClientsSuite } from "./ApiClientsSuite.ts"
import { businessesSuite } from "./BusinessesSuite.ts"
import { clientStoreSuite } from "./ClientStoreSuite.ts"
import { deliveriesSuite } from "./DeliveriesSuite.ts"
import { directorySuite } from "./DirectorySuite.ts"
import { readScopeSuite } from "./ReadScopeSuite.ts"
import { webhookAddressesSuite } from "./WebhookAddressesSuite.ts"
import { webhookChangesSuite } from "./WebhookChangesSuite.ts"
import { webhooksSuite } from "./WebhooksSuite.ts"

businessesSuite("businesses in memory", Layer.empty, Memory.layer)
directorySuite("the directory in memory", Layer.empty, Memory.layer)
apiClientsSuite("API clients in memory", Layer.empty, Memory.layer)
clientStoreSuite("the store of API clients in memory", Layer.empty, Memory.layer)
webhooksSuite("webhook endpoints in memory", Layer.empty, Memory.layer)
webhookChangesSuite("changes of webhook endpoints in memory", Layer.empty, Memory.layer)
webhookAddressesSuite("addresses of webhook endpoints in memory", Layer.empty, Memory.layer)
deliveriesSuite("deliveries in memory", Layer.empty, Memory.layer)
readScopeSuite("reading every business in memory", Layer.empty, Memory.layer)
