/**
 * The files that browsers, crawlers and programs look for at the root of every site: an icon, rules for crawlers, where to report a
 * hole (RFC 9116), and a guide for language models. They need no token.
 */
import { withoutSlashes } from "@dockline/core/internal/values/Url"
import { messageTypes } from "@dockline/core/Vocabulary"
import { graphqlPath } from "@dockline/wire/internal/Path"
import { Clock, Effect, Struct } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { RoutePattern } from "../answer/RouteTable.ts"
import type { HttpConfig } from "../HttpConfig.ts"

/** Nothing here is for a search engine: what there is to read is in the documentation of the project. */
const robots = "User-agent: *\nDisallow: /\n"

/** A file of RFC 9116 must name a day on which it is no longer to be trusted, in less than a year. */
const halfYear = 182 * 24 * 60 * 60 * 1000

const securityOf = (now: number): string =>
  [
    "Contact: https://github.com/dockline/dockline/security/advisories/new",
    `Expires: ${new Date(now + halfYear).toISOString()}`,
    "Policy: https://github.com/dockline/dockline/blob/main/SECURITY.md",
    "Preferred-Languages: en",
    ""
  ].join("\n")

const guideOf = (base: string): string =>
  `# Dockline

> Dockline tracks shipments, the orders on them and the pallets that cross the docks of a warehouse. Programs submit documents in JSON
> or XML, read what became of them, and are told of pallets and departures by webhooks or a GraphQL subscription.

Request an access token with a client id and secret at \`POST ${base}/oauth/token\`, and send it as bearer token.

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

/** The answers by their paths, for a service at this address. */
const files = {
  // Relative, as the service may lie under a path of a proxy.
  "/favicon.ico": () => Effect.succeed(HttpServerResponse.redirect("v1/docs/favicon.svg", { status: 308 })),
  "/robots.txt": () => Effect.succeed(text(robots)),
  "/.well-known/security.txt": () => Effect.map(Clock.currentTimeMillis, (now) => text(securityOf(now))),
  "/llms.txt": (base: string) => Effect.succeed(text(guideOf(base), "text/markdown; charset=utf-8"))
}

export const routes: ReadonlyArray<RoutePattern> = Struct.keys(files).map((path) => ({ method: "GET", path }))

export const layer = ({ baseUrl }: Pick<HttpConfig, "baseUrl">) =>
  HttpRouter.use((router) =>
    Effect.forEach(
      Struct.keys(files),
      (path) => router.add("GET", path, files[path](withoutSlashes(baseUrl))),
      { discard: true }
    )
  )
