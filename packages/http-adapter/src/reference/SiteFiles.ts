/**
 * The files that browsers, crawlers and programs look for at the root of every site (D16.4): an icon, rules for crawlers, the address for
 * reports of vulnerabilities (RFC 9116), and a guide for language models. They need no token.
 */
import { withoutSlashes } from "@dockline/core/values/Clip"
import { ResourceNotFound } from "@dockline/core/values/RequestErrors"
import { MessageTypes } from "@dockline/core/values/Vocabulary"
import { graphqlPath } from "@dockline/wire/Path"
import { Clock, Effect, Struct } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import type { RoutePattern } from "../answer/RouteTable.ts"
import type { HttpConfig } from "../HttpConfig.ts"

/** No page here is for search engines: readable pages are in the documentation of the project. */
const robots = "User-agent: *\nDisallow: /\n"

/** The time of validity: a file of RFC 9116 must name a day, less than a year ahead, after which it is no longer valid. */
const halfYear = 182 * 24 * 60 * 60 * 1000

/** Names the operator of this service, not the author of the program, because only the operator can fix this service. */
const securityOf = (contact: string, now: number): string =>
  `Contact: ${contact}\nExpires: ${new Date(now + halfYear).toISOString()}\n`

/** How programs authenticate; a service with its own `Authenticator` issues no tokens. */
const accessOf = (base: string, hasTokens: boolean): string =>
  hasTokens
    ? `Request an access token with a client id and secret at \`POST ${base}/oauth/token\`, and send it as bearer token.`
    : "Send the credentials that this service gave you in the header `Authorization`."

const guideOf = (base: string, messageTypes: ReadonlyArray<string>, hasTokens: boolean): string =>
  `# Dockline

> Dockline tracks shipments, the orders on them and the pallets that cross the docks of a warehouse. Programs submit documents in JSON
> or XML, read the results, and receive messages about pallets and departures by webhooks or a GraphQL subscription.

${accessOf(base, hasTokens)}

## Contracts

- [OpenAPI](${base}/v1/openapi.json): every operation, with examples and errors; [in YAML](${base}/v1/openapi.yaml)
- [GraphQL schema](${base}${graphqlPath}/schema.graphql): queries, mutations and the subscription
- [AsyncAPI](${base}/v1/asyncapi.json): webhooks, the subscription and server-sent events
${
    messageTypes.map((type) =>
      `- [JSON Schema of ${type}](${base}/v1/schemas/${type}.json): the payload of a message`
    ).join("\n")
  }

## Reference

- [Interactive reference](${base}/v1/docs/): operations, tried in the browser
`

const text = (content: string, contentType = "text/plain; charset=utf-8") =>
  HttpServerResponse.text(content, {
    contentType,
    headers: { "cache-control": "public, max-age=86400", "x-content-type-options": "nosniff" }
  })

/** The settings of a service that the files contain. */
interface Site extends Pick<HttpConfig, "baseUrl" | "securityContact"> {
  /** Whether the service issues tokens. */
  readonly hasTokens: boolean
}

/** The path of the file of RFC 9116. */
export const securityPath = "/.well-known/security.txt"

const securityFile = ({ securityContact }: Site) =>
  securityContact === undefined
    ? Effect.succeed(Answer.problem(new ResourceNotFound({ path: securityPath })))
    : Effect.map(Clock.currentTimeMillis, (now) => text(securityOf(securityContact, now)))

/** The answers by their paths. */
const files = {
  // The address is relative, because the service may be below a path of a proxy.
  "/favicon.ico": () => Effect.succeed(HttpServerResponse.redirect("v1/docs/favicon.svg", { status: 308 })),
  "/robots.txt": () => Effect.succeed(text(robots)),
  [securityPath]: securityFile,
  "/llms.txt": ({ baseUrl, hasTokens }: Site) =>
    Effect.map(
      MessageTypes,
      (types) => text(guideOf(withoutSlashes(baseUrl), types, hasTokens), "text/markdown; charset=utf-8")
    )
}

export const routes: ReadonlyArray<RoutePattern> = Struct.keys(files).map((path) => ({ method: "GET", path }))

export const layer = (site: Site) =>
  HttpRouter.use((router) =>
    Effect.forEach(
      Struct.keys(files),
      (path) => router.add("GET", path, files[path](site)),
      { discard: true }
    )
  )
