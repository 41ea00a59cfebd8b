/**
 * What the operator services promise over every storage: businesses and places, API clients and their secrets, webhook
 * endpoints, deliveries, and who may see and change what (D10, D11). A storage whose ports each pass their own suites
 * passes this one; it shows that they also fit together.
 */
import type { Suite } from "@dockline/testing/Suite"
import { businesses } from "./OperatorBusinesses.ts"
import { clients } from "./OperatorClients.ts"
import { clientSecrets } from "./OperatorClientSecrets.ts"
import { deliveries } from "./OperatorDeliveries.ts"
import { preconditions } from "./OperatorPreconditions.ts"
import { reach } from "./OperatorReach.ts"
import { suiteOf } from "./OperatorServices.ts"
import type { Part, Ports } from "./OperatorServices.ts"
import { webhookAddresses } from "./OperatorWebhookAddresses.ts"
import { webhookChanges } from "./OperatorWebhookChanges.ts"
import { webhookHeaders } from "./OperatorWebhookHeaders.ts"
import { webhooks } from "./OperatorWebhooks.ts"

const parts: ReadonlyArray<readonly [name: string, part: Part]> = [
  ["businesses", businesses],
  ["API clients", clients],
  ["the secrets of API clients", clientSecrets],
  ["webhook endpoints", webhooks],
  ["changes of webhook endpoints", webhookChanges],
  ["headers of webhook endpoints", webhookHeaders],
  ["addresses of webhook endpoints", webhookAddresses],
  ["deliveries", deliveries],
  ["preconditions", preconditions],
  ["reach", reach]
]

/** The suite of the operator services over the stores. */
export const operatorSuite: Suite<Ports> = suiteOf("the operator services", (test, describe) => {
  for (const [name, part] of parts) describe(name, () => part(test, describe))
})
