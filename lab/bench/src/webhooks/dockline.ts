/**
 * Dockline as a sender: the webhook adapter with its default settings over our stores on PostgreSQL, alone in its
 * process. Messages are appended in the same process, as they are when a pallet event comes in: DATABASE_URL,
 * DATABASE_CONNECTIONS and ENDPOINTS say where. SIGTERM stops it.
 */
import "effect/schema/SchemaJITCompiler/enable"
import type { DeliveryStore } from "@dockline/core/DeliveryStore"
import { MessageLog } from "@dockline/core/MessageLog"
import { secretsContext, SecretsVault } from "@dockline/core/SecretsVault"
import * as Timestamp from "@dockline/core/Timestamp"
import { WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import * as Database from "@dockline/sql-storage/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { CustomerAuth } from "@dockline/webhook-adapter/CustomerAuth"
import type { OutboundHttp } from "@dockline/webhook-adapter/OutboundHttp"
import { Placement } from "@dockline/webhook-adapter/Placement"
import * as SecretsKey from "@dockline/webhook-adapter/SecretsKey"
import * as UndiciHttp from "@dockline/webhook-adapter/UndiciHttp"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, References, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { setting } from "../Serve.ts"
import * as Sender from "./Sender.ts"
import { account, business, draftOf, signingSecret } from "./Workload.ts"

/** Messages of one append. */
const batch = 500

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

/** Endpoints of an earlier measurement with what they were still to get. */
const removeEndpoints = Effect.gen(function*() {
  const { list, remove } = yield* WebhookEndpointStore
  const { items } = yield* list("*", { limit: 100, after: 0 })
  yield* Effect.forEach(items, ({ id }) => remove(id))
  return items.length > 0
}).pipe(Effect.repeat({ while: (wereThere) => wereThere }))

const createEndpoints = Effect.gen(function*() {
  const { create } = yield* WebhookEndpointStore
  const { seal } = yield* SecretsVault
  const context = secretsContext(business)
  const password = yield* seal(Redacted.make(account.password), context)
  const sealed = yield* seal(Redacted.make(signingSecret), context)
  const now = yield* Timestamp.now
  yield* Effect.forEach(Sender.endpoints(), (baseUrl) =>
    create({
      business,
      facility: null,
      baseUrl,
      messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
      authentication: {
        type: "basic",
        settings: { username: account.username },
        secrets: { password }
      },
      signingSecrets: [{ sealed, validUntil: null }],
      enabled: true,
      fromId: null,
      now
    }))
})

const append = (from: number, count: number) =>
  Effect.flatMap(
    MessageLog,
    (log) => log.append(Array.from({ length: count }, (_, at) => draftOf(from + at)))
  )

const dispatching = Scope.makeUnsafe()

/** The adapter on the services that are there already, so that it hears of what this process appends. */
const dispatch = Effect.gen(function*() {
  const context = yield* Effect.context<
    DeliveryStore | SecretsVault | OutboundHttp | CustomerAuth | Placement
  >()
  yield* Layer.buildWithScope(
    Layer.provide(WebhookAdapter.layer(), Layer.succeedContext(context)),
    dispatching
  )
})

await runtime.runPromise(Effect.andThen(removeEndpoints, createEndpoints))

Sender.listen({
  fill: async (from, count) => {
    for (let start = from; start < from + count; start += batch) {
      await runtime.runPromise(append(start, Math.min(batch, from + count - start)))
    }
  },
  go: () => runtime.runPromise(dispatch),
  one: async (n) => (await runtime.runPromise(append(n, 1)))[0]!.id
})

process.once("SIGTERM", () =>
  void Effect.runPromise(Scope.close(dispatching, Exit.void))
    .finally(() => runtime.dispose())
    .finally(() => process.exit(0)))
