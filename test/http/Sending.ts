/** Requests whose body is a value as JSON, unchanged text or bytes, or nothing without a Content-Type. */
import { Effect } from "effect"
import { TestServer } from "../support/TestServer.ts"
import type { RequestOptions } from "../support/TestServer.ts"
import type { Reply } from "./Wire.ts"

/** Sends a request of a client. */
export const send = (
  method: string,
  path: string,
  body: unknown,
  options: RequestOptions
): Effect.Effect<Reply, never, TestServer> =>
  Effect.flatMap(TestServer, ({ request }) =>
    request(method, path, {
      ...options,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) })
    }))
