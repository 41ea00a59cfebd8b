/**
 * A process that sends webhooks and does nothing else, to be killed by a test. It says `ready` when all is loaded, and
 * begins when it is told its name, so that a test can have the next one at hand.
 */
import * as Database from "@dockline/sql-storage/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { CustomerAuth } from "@dockline/webhook-adapter/CustomerAuth"
import { Placement } from "@dockline/webhook-adapter/Placement"
import * as SecretsKey from "@dockline/webhook-adapter/SecretsKey"
import * as UndiciHttp from "@dockline/webhook-adapter/UndiciHttp"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Effect, Layer, Redacted } from "effect"
import { once } from "node:events"
import { flushCompileCache } from "node:module"

const given = (name: string) => Redacted.make(process.env[name]!)

const sender = (userAgent: string) =>
  WebhookAdapter.layer({ ...defaultWebhookConfig, userAgent }).pipe(
    Layer.provide(CustomerAuth.layer()),
    Layer.provide(
      UndiciHttp.layer({ allow: ["127.0.0.0/8"], timeoutMillis: defaultWebhookConfig.timeoutMillis })
    ),
    Layer.provide(Placement.layerSingle),
    Layer.provide(Layer.mergeAll(Sql.layer, SecretsKey.layer([given("SECRETS_KEY")]))),
    Layer.provide(Database.layer({ ...Database.defaultDatabaseConfig, url: given("DATABASE_URL") }))
  )

// For the next one: this one will not come to it when it is killed.
flushCompileCache()
process.stdout.write("ready\n")
const [name] = await once(process.stdin.setEncoding("utf8"), "data")
await Effect.runPromise(Layer.launch(sender(String(name).trim())))
