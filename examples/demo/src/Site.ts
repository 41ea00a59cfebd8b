/**
 * The service as the demo calls it: tokens, and requests that must be answered as expected.
 */
import { AccessTokens } from "@dockline/example-customer/src/AccessTokens.ts"
import { textOf } from "@dockline/example-customer/src/Failure.ts"
import { isObject } from "@dockline/example-customer/src/Json.ts"
import type { JsonObject } from "@dockline/example-customer/src/Json.ts"
import * as DemoData from "@dockline/server/lifecycle/DemoData"

export interface Site {
  /** Asks for the token that requests are sent with. */
  readonly signIn: () => Promise<void>
  /** Gets JSON; the answer must have status 200. */
  readonly get: (path: string) => Promise<JsonObject>
  /** Posts JSON and returns the answer, which must have that status. */
  readonly post: (path: string, body: object, status: number) => Promise<JsonObject>
  /** Posts without a body; the answer must have that status, and need not hold anything. */
  readonly trigger: (path: string, status: number) => Promise<void>
}

/** The service at an address, for one of its demo clients. */
export const make = (baseUrl: string, clientId: string, signal: AbortSignal): Site => {
  const tokens = new AccessTokens({
    baseUrl,
    authUrl: baseUrl,
    clientId,
    clientSecret: DemoData.secretOf(clientId)
  })
  const send = async (method: string, path: string, body: object | undefined) =>
    fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${await tokens.get(signal)}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    }).catch((error: unknown) => {
      throw new Error(`${method} ${path} was not answered: ${textOf(error)}`)
    })
  const call = async (method: string, path: string, body: object | undefined, status: number) => {
    let response = await send(method, path, body)
    if (response.status === 401) {
      // It expired on the way.
      tokens.forget()
      response = await send(method, path, body)
    }
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.status !== status) {
      const detail = isObject(answer) ? String(answer["detail"]) : "no JSON"
      throw new Error(`${method} ${path} was answered ${response.status}, not ${status}: ${detail}`)
    }
    return answer
  }
  const withJson = async (method: string, path: string, body: object | undefined, status: number) => {
    const answer = await call(method, path, body, status)
    if (!isObject(answer)) throw new Error(`${method} ${path} was answered without a JSON object`)
    return answer
  }
  return {
    signIn: async () => {
      await tokens.get(signal)
    },
    get: (path) => withJson("GET", path, undefined, 200),
    post: (path, body, status) => withJson("POST", path, body, status),
    trigger: async (path, status) => {
      await call("POST", path, undefined, status)
    }
  }
}
