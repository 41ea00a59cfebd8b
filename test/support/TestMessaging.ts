/** Test messages for servers under test: sent over real sockets, even to this machine. */
import type { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { CustomerAuth } from "@dockline/webhook-adapter/auth/CustomerAuth"
import * as TestMessages from "@dockline/webhook-adapter/dispatch/TestMessages"
import * as OutboundPolicy from "@dockline/webhook-adapter/outbound/OutboundPolicy"
import * as UndiciHttp from "@dockline/webhook-adapter/outbound/UndiciHttp"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Layer } from "effect"
import { lookup } from "node:dns/promises"
import type { OperatorOptions } from "./OperatorServices.ts"

const allow = ["127.0.0.0/8"]

/** The time limit for a customer's answer, in milliseconds. */
export const timeoutMillis = 2000

/** A name for an address that must not be called. */
export const privateName = "private.example"

const namesOf = async (name: string): Promise<ReadonlyArray<string>> =>
  name === privateName ? ["10.0.0.1"] : [(await lookup(name)).address]

/** The options of a server that seals with this vault. */
export const messaging = (vault: Layer.Layer<SecretsVault>): OperatorOptions => ({
  vault,
  outboundUrls: Layer.orDie(OutboundPolicy.layer({ allow })),
  testSender: TestMessages.layer({ ...defaultWebhookConfig, timeoutMillis }).pipe(
    Layer.provide(CustomerAuth.layer()),
    Layer.provide(UndiciHttp.layer({ allow, timeoutMillis, lookup: namesOf })),
    Layer.provide(vault),
    Layer.orDie
  )
})
