/** The GraphQL routes on a real socket, and a client of it. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { assert } from "vitest"
import * as GraphqlAdapter from "../src/GraphqlAdapter.ts"
import { defaultGraphqlConfig } from "../src/GraphqlConfig.ts"
import type { GraphqlConfig } from "../src/GraphqlConfig.ts"
import { services } from "./EngineSetup.ts"
import type { servicesOver } from "./EngineSetup.ts"

/** An answer of GraphQL. */
export interface Answer {
  readonly data?: Record<string, never> | null
  readonly errors?: ReadonlyArray<{
    readonly message: string
    readonly path?: ReadonlyArray<string | number>
    readonly extensions?: Readonly<Record<string, unknown>>
  }>
}

/** An answer with its response. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Answer
  readonly text: string
}

/** A running interface. */
export class TestGraphql extends Context.Service<TestGraphql, {
  readonly url: string
  /** Sends a request as it is; with the token of `acme-client` unless another, or none, is given. */
  readonly send: (init?: RequestInit, search?: string) => Promise<Reply>
  /** Sends an operation as JSON. */
  readonly ask: (
    query: string,
    variables?: Record<string, unknown>,
    options?: { readonly client?: string; readonly accept?: string }
  ) => Promise<Reply>
}>()("TestGraphql") {}

const settings = (config: Partial<GraphqlConfig>): GraphqlConfig => ({ ...defaultGraphqlConfig, ...config })

/** Serves the routes on a free port, over the services of the engine's setup unless others are given. */
export const server = (
  config: Partial<GraphqlConfig> = {},
  over: ReturnType<typeof servicesOver<unknown>> = services
) =>
  Layer.effect(
    TestGraphql,
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      assert(address._tag === "InetAddressV4")
      const url = `http://127.0.0.1:${address.port}/public_graphql`
      const send = async (init: RequestInit = {}, search = ""): Promise<Reply> => {
        const headers = new Headers(init.headers)
        if (!headers.has("authorization")) headers.set("authorization", "Bearer acme-client")
        const response = await fetch(url + search, { ...init, headers })
        const text = await response.text()
        const isJson = /json/.test(response.headers.get("content-type") ?? "")
        return {
          status: response.status,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) as Answer : {}
        }
      }
      return TestGraphql.of({
        url,
        send,
        ask: (query, variables, { client = "acme-client", accept = "application/json" } = {}) =>
          send({
            method: "POST",
            headers: { authorization: `Bearer ${client}`, "content-type": "application/json", accept },
            body: JSON.stringify({ query, variables })
          })
      })
    })
  ).pipe(
    Layer.provideMerge(
      HttpRouter.serve(GraphqlAdapter.routes(settings(config)), {
        disableLogger: true,
        disableListenLog: true
      })
    ),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
    Layer.provideMerge(GraphqlAdapter.layer(settings(config))),
    Layer.provideMerge(over)
  )
