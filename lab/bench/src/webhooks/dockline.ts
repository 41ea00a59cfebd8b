/**
 * Dockline as a sender: the webhook adapter with its default settings over our stores on PostgreSQL, alone in its process. Messages are
 * appended in the same process, as for a pallet event. DATABASE_URL, DATABASE_CONNECTIONS and ENDPOINT are its settings. SIGTERM stops
 * it.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { plainSettings } from "@dockline/core/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { CustomerAuth } from "@dockline/webhook-adapter/auth/CustomerAuth"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import type { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import * as UndiciHttp from "@dockline/webhook-adapter/outbound/UndiciHttp"
import { Placement } from "@dockline/webhook-adapter/placement/Placement"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, References, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { setting } from "../Serve.ts"
import * as Sender from "./Sender.ts"
import { account, business, draftOf, signingSecret } from "./Workload.ts"

const services = CustomerAuth.layer().pipe(
  Layer.provideMerge(Layer.mergeAll(
    UndiciHttp.layer({ allow: ["127.0.0.0/8"], timeoutMillis: defaultWebhookConfig.timeoutMillis }),
    SecretsKey.layer([Redacted.make(randomBytes(32).toString("base64"))]),
    Placement.layerSingle,
    Sql.layer
  )),
  Layer.provide(Database.layer({
    ...Database.defaultDatabaseConfig,
    maxConnections: Number(setting("DATABASE_CONNECTIONS")),
    url: Redacted.make(setting("DATABASE_URL"))
  })),
  Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Error"))
)

const runtime = ManagedRuntime.make(services)

/** Creates the endpoint, and deletes that of an earlier measurement with its backlog. */
const createEndpoint = Effect.gen(function*() {
  const { create, list, remove } = yield* WebhookEndpointStore
  const { seal } = yield* SecretsVault
  const { items } = yield* list("*", { limit: 100, after: 0 })
  yield* Effect.forEach(items, ({ id }) => remove(id))
  const context = secretsContext(business)
  const password = yield* seal(Redacted.make(account.password), context)
  const sealed = yield* seal(Redacted.make(signingSecret), context)
  yield* create({
    business,
    facility: null,
    baseUrl: setting("ENDPOINT"),
    messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
    authentication: { type: "basic", settings: { username: account.username }, secrets: { password } },
    signingSecrets: [{ sealed, validUntil: null }],
    ...plainSettings,
    enabled: true,
    fromId: null,
    now: yield* Timestamp.now
  })
})

const append = (numbers: ReadonlyArray<number>) =>
  runtime.runPromise(Effect.flatMap(MessageLog, (log) => log.append(numbers.map(draftOf))))

const dispatching = Scope.makeUnsafe()

/** The adapter on the existing services, so that messages of this process wake it. */
const dispatch = Effect.gen(function*() {
  const context = yield* Effect.context<
    DeliveryStore | SecretsVault | OutboundHttp | CustomerAuth | Placement
  >()
  yield* Layer.buildWithScope(
    Layer.provide(WebhookAdapter.layer(), Layer.succeedContext(context)),
    dispatching
  )
})

await runtime.runPromise(createEndpoint)

Sender.listen({
  fill: async (numbers) => void await append(numbers),
  go: () => runtime.runPromise(dispatch),
  one: async (n) => (await append([n])).reduce((_, { id }) => id, 0)
})

process.once("SIGTERM", () =>
  void Effect.runPromise(Scope.close(dispatching, Exit.void))
    .finally(() => runtime.dispose())
    .finally(() => process.exit(0)))
