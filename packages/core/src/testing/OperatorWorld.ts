/**
 * What the suites of the operator services work with: businesses of their own, operators of every kind, and a vault
 * that shows what was sealed for whom.
 */
import { Effect, Layer, Redacted, Result } from "effect"
import type { Grant, Permission, Principal } from "../access/Access.ts"
import type { ClientStore } from "../access/ClientStore.ts"
import { Intake } from "../document/Intake.ts"
import type { IntakeStore } from "../document/IntakeStore.ts"
import type * as RequestInput from "../input/RequestInput.ts"
import type { MessageLog } from "../messages/MessageLog.ts"
import type { MovementStore } from "../movement/MovementStore.ts"
import { Shipments } from "../movement/Shipments.ts"
import { ApiClients } from "../operator/ApiClients.ts"
import { Businesses } from "../operator/Businesses.ts"
import { Directory } from "../places/Directory.ts"
import type { ShipmentStore } from "../shipment/ShipmentStore.ts"
import type { FieldError } from "../values/Errors.ts"
import { SecretUnreadable } from "../values/OperatorErrors.ts"
import { Deliveries } from "../webhooks/Deliveries.ts"
import type { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { OutboundUrls } from "../webhooks/OutboundUrls.ts"
import { SecretsVault } from "../webhooks/SecretsVault.ts"
import type { Sealed } from "../webhooks/SecretsVault.ts"
import type { WebhookEndpointStore } from "../webhooks/WebhookEndpointStore.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"
import { aGrant } from "./Given.ts"
import * as Suite from "./Suite.ts"
import { unique } from "./Unique.ts"

/** What the operator services are held against: the ports that they, and what follows from them, are built on. */
export type Ports =
  | ClientStore
  | DeliveryStore
  | Directory
  | IntakeStore
  | MessageLog
  | MovementStore
  | ShipmentStore
  | WebhookEndpointStore

/** The services of the suites, over the ports. */
export type Services =
  | ApiClients
  | Businesses
  | Deliveries
  | Intake
  | Ports
  | SecretsVault
  | Shipments
  | Webhooks

/** A vault whose seal can be taken off by everybody, but under the same context only. */
export const openVault: Layer.Layer<SecretsVault> = Layer.succeed(SecretsVault, {
  seal: (secret, context) =>
    Effect.sync(() => `${context}|${Buffer.from(Redacted.value(secret), "utf8").toString("hex")}` as Sealed),
  open: (sealed, context) => {
    const [sealedFor, hex] = sealed.split("|")
    return sealedFor === context
      ? Effect.succeed(Redacted.make(Buffer.from(hex!, "hex").toString("utf8")))
      : Effect.fail(new SecretUnreadable({ reason: "another context" }))
  }
})

/** A policy that calls nothing on the test network 192.0.2.0/24. */
export const policy: Layer.Layer<OutboundUrls> = Layer.succeed(OutboundUrls, {
  fault: (url) => url.includes("192.0.2.") ? "must not lead to the test network" : undefined
})

const services = (vault: Layer.Layer<SecretsVault>) =>
  Layer.mergeAll(
    ApiClients.layer,
    Businesses.layer,
    Deliveries.layer,
    Intake.layer(),
    Shipments.layer(),
    Webhooks.layer.pipe(Layer.provide(policy))
  ).pipe(Layer.provideMerge(vault))

/** Adds a case of the services, by title; secrets are sealed by {@link openVault} unless another vault is given. */
export type Test = <A, E>(
  title: string,
  program: Effect.Effect<A, E, Services>,
  vault?: Layer.Layer<SecretsVault>
) => void

/** Cases that belong together: a part of the suite of the services. */
export type Part = (test: Test, describe: Suite.Author<never>["describe"]) => void

/** Makes a suite of cases of the services, each with services of its own over the stores that are held against it. */
export const suiteOf = (name: string, write: Part): Suite.Suite<Ports> =>
  Suite.make(
    name,
    ({ describe, test }) =>
      write(
        (title, program, vault = openVault) =>
          test(title, Effect.provide(program, services(vault), { local: true })),
        describe
      )
  )

/** Makes suites of cases of some services over the ports that these are built on. */
export const suiteOver = <S, R>(services: Layer.Layer<S, never, R>) =>
(
  name: string,
  write: (
    test: <A, E>(title: string, program: Effect.Effect<A, E, S | R>) => void,
    describe: Suite.Author<never>["describe"]
  ) => void
): Suite.Suite<R> =>
  Suite.make<R>(
    name,
    ({ describe, test }) =>
      write(
        (title, program) => test(title, Effect.provide(program, services, { local: true })),
        describe
      )
  )

/** A client with these grants. */
export const aPrincipal = (...grants: ReadonlyArray<Grant>): Principal => ({ clientId: "me", grants })

/** An operator of the whole service. */
export const whole = aPrincipal(aGrant("*", "*", ["operator"]))

/** An operator of these businesses. */
export const operatorOf = (...businesses: ReadonlyArray<string>): Principal =>
  aPrincipal(...businesses.map((business) => aGrant(business, "*", ["operator"])))

/** Everything but operating. */
export const ordinary: ReadonlyArray<Permission> = [
  "documents:write",
  "messages:read",
  "pallets:write",
  "shipments:write"
]

/** A slug that nothing has yet. */
export const aSlug = (): string => unique("operated")

/** A slug that nothing has, ever. */
export const nowhere: string = unique("nowhere")

/** A business of its own, with the facilities `east` (docks D1 and D2) and `west`. */
export const aBusiness = Effect.gen(function*() {
  const directory = yield* Directory
  const slug = aSlug()
  yield* directory.put([{
    slug,
    name: `The ${slug}`,
    fieldMap: [],
    facilities: [
      { slug: "east", name: "East", docks: ["D1", "D2"] },
      { slug: "west", name: "West", docks: [] }
    ]
  }])
  return slug
})

/** Makes a client with these grants. */
export const createClient = (...grants: ReadonlyArray<Grant>) =>
  Effect.flatMap(ApiClients, ({ create }) => create({ name: "A client", grants }, whole))

/** The code of a refusal, or `ok`. */
export const outcome = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "ok", onFailure: ({ code }) => code })

/** What a refusal names. */
export const faultsOf = <
  A,
  E extends { readonly code: string; readonly errors?: ReadonlyArray<FieldError> },
  R
>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ code, errors = [] }) => ({ code, errors }))

/** The pages of a list, up to the last. */
export const pagesOf = Effect.fnUntraced(function*<A, E, R>(
  list: (query: { readonly limit: number; readonly after: string }) => Effect.Effect<
    { readonly items: ReadonlyArray<A>; readonly next: string | null },
    E,
    R
  >,
  limit: number
) {
  const pages: Array<ReadonlyArray<A>> = []
  let after = ""
  for (;;) {
    const { items, next } = yield* list({ limit, after })
    pages.push(items)
    if (next === null) return pages
    after = next
  }
})

/** What a reader makes of an acceptable value. */
export const readWith = <A>(read: RequestInput.Reader<A>, raw: unknown): A =>
  Result.getOrThrowWith(read(raw), (error) => new Error(JSON.stringify(error)))
