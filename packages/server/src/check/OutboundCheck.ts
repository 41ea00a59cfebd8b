/** Whether customers, identity providers and collectors can be reached from here. */
import type { WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import * as Dashboard from "@dockline/dashboard/Dashboard"
import * as NameLookup from "@dockline/webhook-adapter/internal/outbound/NameLookup"
import * as OutboundPolicy from "@dockline/webhook-adapter/internal/outbound/OutboundPolicy"
import { Effect, Option, Result } from "effect"
import { isIP } from "node:net"
import type { Settings } from "../settings/Settings.ts"
import { on } from "./Finding.ts"
import type { Finding } from "./Finding.ts"
import { listen } from "./SettingsCheck.ts"

const { ok, problem, warning } = on("outbound")

/** How long somebody else's server may take to answer. */
const patienceMillis = 5000

/** A shorter prefix opens many hosts that the operator hardly means. */
const widePrefix = 8

const wide = ({ outboundAllow }: Settings): ReadonlyArray<Finding> =>
  outboundAllow.filter((network) => Number(network.split("/")[1]) < widePrefix).map((network) =>
    warning(
      `anyone who makes webhook endpoints can reach all of ${network}; name smaller networks in OUTBOUND_ALLOW`
    )
  )

const source = ({ sourceAddress }: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  sourceAddress === undefined
    ? Effect.succeed([])
    : listen(sourceAddress, 0).pipe(
      Effect.as([]),
      Effect.catch(() =>
        Effect.succeed([
          problem(
            `${sourceAddress} is no address of this machine; set OUTBOUND_SOURCE_ADDRESS to one that is`
          )
        ])
      )
    )

/** Why an endpoint cannot be called: its name, or where that leads. */
const faultOf = (
  policy: OutboundPolicy.OutboundPolicy,
  lookup: NameLookup.NameLookup,
  address: string
): Effect.Effect<string | undefined> => {
  const { hostname, protocol } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  if (isIP(host) !== 0) return Effect.succeed(policy.urlFault(address))
  return Effect.tryPromise(() => lookup(host)).pipe(
    Effect.map((addresses) => {
      const faults = addresses.map((each) => policy.addressFault(each, protocol === "https:"))
      return faults.includes(undefined) ? undefined : faults[0]
    }),
    Effect.catch(() => Effect.succeed("its name leads nowhere")),
    Effect.map((fault) => fault === undefined ? undefined : `${host}: ${fault}`)
  )
}

const customers = (
  settings: Settings,
  endpoints: ReadonlyArray<WebhookEndpoint>
): Effect.Effect<Finding> =>
  Effect.gen(function*() {
    const policy = Result.getOrThrow(OutboundPolicy.make({ allow: settings.outboundAllow }))
    const lookup = NameLookup.system()
    const enabled = endpoints.filter((each) => each.enabled)
    const found = yield* Effect.forEach(enabled, ({ baseUrl }) => faultOf(policy, lookup, baseUrl), {
      concurrency: 16
    })
    const faults = [...new Set(found.filter((fault) => fault !== undefined))]
    return faults.length === 0
      ? ok(`the addresses of all ${enabled.length} enabled webhook endpoints may be called`)
      : warning(
        `${faults.length} addresses of webhook endpoints cannot be called (${
          faults.slice(0, 3).join("; ")
        }); `
          + "tell the customers, or see to DNS and OUTBOUND_ALLOW"
      )
  })

/** Asks an address that the settings name; any answer will do where nothing else is wanted. */
const answer = (url: string): Effect.Effect<Response, string> =>
  Effect.tryPromise({
    try: (signal) => fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMillis)]) }),
    catch: (error) =>
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
  })

const issuer = ({ external }: Settings): Effect.Effect<ReadonlyArray<Finding>> => {
  if (Option.isNone(external)) return Effect.succeed([])
  const { jwksUrl } = external.value
  const { ok, problem } = on("issuer")
  return answer(jwksUrl).pipe(
    Effect.flatMap((response) =>
      Effect.tryPromise({
        try: async () => {
          const { keys } = (await response.json()) as { readonly keys: ReadonlyArray<unknown> }
          return keys.length
        },
        catch: () => `its answer ${response.status} holds none`
      })
    ),
    Effect.match({
      onSuccess: (count) => ok(`${jwksUrl} has ${count} keys`),
      onFailure: (why) =>
        problem(
          `the keys of the tokens cannot be read from ${jwksUrl} (${why}); see to EXTERNAL_ISSUER, EXTERNAL_JWKS_URL`
        )
    }),
    Effect.map((finding) => [finding])
  )
}

const people = ({ baseUrl, provider }: Settings): Effect.Effect<ReadonlyArray<Finding>> => {
  if (provider === undefined) return Effect.succeed([])
  const { ok, problem } = on("sign-in")
  return Effect.map(Dashboard.providerFault(provider), (fault) => [
    fault === undefined
      ? ok(
        `people sign in at ${provider.issuer}, which must lead them back to ${baseUrl}/dashboard/sign-in/callback`
      )
      : problem(`nobody can sign in at ${provider.issuer} (${fault}); see to OIDC_ISSUER`)
  ])
}

const collector = ({ otlpEndpoint }: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Option.isNone(otlpEndpoint)
    ? Effect.succeed([])
    : answer(otlpEndpoint.value).pipe(
      Effect.as([]),
      Effect.catch((why) =>
        Effect.succeed([
          on("traces").warning(
            `no collector answers at ${otlpEndpoint.value} (${why}); see to OTEL_EXPORTER_OTLP_ENDPOINT`
          )
        ])
      )
    )

/** All findings, for the endpoints that are stored. */
export const check = (
  settings: Settings,
  endpoints: ReadonlyArray<WebhookEndpoint>
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(
    Effect.all([
      source(settings),
      customers(settings, endpoints),
      issuer(settings),
      people(settings),
      collector(settings)
    ]),
    ([ofSource, ofCustomers, ofIssuer, ofPeople, ofCollector]) => [
      ...wide(settings),
      ...ofSource,
      ofCustomers,
      ...ofIssuer,
      ...ofPeople,
      ...ofCollector
    ]
  )
