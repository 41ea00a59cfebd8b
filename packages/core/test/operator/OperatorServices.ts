/**
 * The operator services over any storage, as their suite works with them: clients of every kind, and a vault that shows
 * what was sealed for whom.
 */
import * as Suite from "@dockline/testing/Suite"
import { whole } from "@dockline/testing/worlds/OperatorWorld"
import { Effect, Layer, Redacted, Result } from "effect"
import type { Grant, Permission, Principal } from "../../src/access/Access.ts"
import type { AuditLog } from "../../src/access/AuditLog.ts"
import type { ClientStore } from "../../src/access/Principals.ts"
import type { IntakeStore } from "../../src/document/DocumentRecord.ts"
import { Intake } from "../../src/document/Intake.ts"
import type * as RequestInput from "../../src/input/RequestInput.ts"
import type { MessageLog } from "../../src/messages/MessageLog.ts"
import type { MovementStore } from "../../src/movement/Movement.ts"
import { Shipments } from "../../src/movement/Shipments.ts"
import { ApiClients } from "../../src/operator/ApiClients.ts"
import { Audit } from "../../src/operator/Audit.ts"
import { Businesses } from "../../src/operator/Businesses.ts"
import { Deliveries } from "../../src/operator/Deliveries.ts"
import { Webhooks } from "../../src/operator/Webhooks.ts"
import type { Directory } from "../../src/places/Place.ts"
import type { ShipmentStore } from "../../src/shipment/ShipmentStore.ts"
import { SecretUnreadable } from "../../src/values/OperatorErrors.ts"
import type { DeliveryStore } from "../../src/webhooks/DeliveryStore.ts"
import { SecretsVault } from "../../src/webhooks/SecretsVault.ts"
import type { SealedText } from "../../src/webhooks/SecretsVault.ts"
import { OutboundUrls } from "../../src/webhooks/WebhookEndpoint.ts"
import type { WebhookEndpointStore } from "../../src/webhooks/WebhookEndpoint.ts"

/** What the operator services are held against: the ports that they, and what follows from them, are built on. */
export type Ports =
  | AuditLog
  | ClientStore
  | DeliveryStore
  | Directory
  | IntakeStore
  | MessageLog
  | MovementStore
  | ShipmentStore
  | WebhookEndpointStore

/** A vault whose seal can be taken off by everybody, but under the same context only. */
export const openVault: Layer.Layer<SecretsVault> = Layer.succeed(SecretsVault, {
  seal: (secret, context) =>
    Effect.sync(() =>
      `${context}|${Buffer.from(Redacted.value(secret), "utf8").toString("hex")}` as SealedText
    ),
  open: (text, context) => {
    const [sealedFor, hex] = text.split("|")
    return sealedFor === context
      ? Effect.succeed(Redacted.make(Buffer.from(hex!, "hex").toString("utf8")))
      : Effect.fail(new SecretUnreadable({ reason: "another context" }))
  },
  webhookKeys: () => []
})

/** A policy that calls nothing on the test network 192.0.2.0/24. */
export const policy: Layer.Layer<OutboundUrls> = Layer.succeed(OutboundUrls, {
  fault: (url) => url.includes("192.0.2.") ? "must not lead to the test network" : undefined
})

const services = (vault: Layer.Layer<SecretsVault>) =>
  Layer.mergeAll(
    ApiClients.layer,
    Audit.layer,
    Businesses.layer,
    Deliveries.layer,
    Intake.layer(),
    Shipments.layer(),
    Webhooks.layer.pipe(Layer.provide(policy))
  ).pipe(Layer.provideMerge(vault))

/** The services of the suites, over the ports. */
export type Services = Layer.Success<ReturnType<typeof services>> | Ports

/**
 * Adds a case of the services, by title; secrets are sealed by {@link openVault} unless another vault is given. `More` are the ports of
 * the capability that the cases are of.
 */
export type Test<More = never> = <A, E>(
  title: string,
  program: Effect.Effect<A, E, Services | More>,
  vault?: Layer.Layer<SecretsVault>
) => void

/** Cases that belong together: a part of the suite of the services. */
export type Part<More = never> = (test: Test<More>, describe: Suite.Author<never>["describe"]) => void

/** Makes a suite of cases of the services, each with services of its own over the stores that are held against it. */
export const suiteOf = <More = never>(name: string, write: Part<More>): Suite.Suite<Ports | More> =>
  Suite.make<Ports | More>(
    name,
    ({ describe, test }) =>
      write(
        (title, program, vault = openVault) =>
          test(title, Effect.provide(program, services(vault), { local: true })),
        describe
      )
  )

/** Everything but operating. */
export const ordinary: ReadonlyArray<Permission> = [
  "documents:write",
  "messages:read",
  "pallets:write",
  "shipments:write"
]

const handlers = Effect.gen(function*() {
  return {
    ...(yield* ApiClients),
    ...(yield* Businesses),
    ...(yield* Deliveries),
    ...(yield* Webhooks)
  }
})

type Handlers = Effect.Success<typeof handlers>

type Answer<Name extends keyof Handlers> = ReturnType<Handlers[Name]>

/** Asks for an operation on behalf of an operator of the whole service, or of another principal. */
export const ask = <Name extends keyof Handlers>(
  name: Name,
  input: Parameters<Handlers[Name]>[0],
  principal: Principal = whole
) =>
  Effect.flatMap(handlers, (all): Effect.Effect<Effect.Success<Answer<Name>>, Effect.Error<Answer<Name>>> => {
    // The compiler does not see that the handler of a name takes the input of that name, and answers as it does.
    const handler = all[name] as (...args: ReadonlyArray<unknown>) => never
    return handler(input, principal)
  })

/** Makes a client with these grants. */
export const createClient = (...grants: ReadonlyArray<Grant>) =>
  ask("createClient", { body: { name: "A client", grants } })

/** What a reader makes of an acceptable value. */
export const readWith = <A>(read: RequestInput.Reader<A>, raw: unknown): A =>
  Result.getOrThrowWith(read(raw), (error) => new Error(JSON.stringify(error)))
