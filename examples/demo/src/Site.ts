/**
 * The service as the demo calls it: tokens, and requests that must be answered as expected.
 */
import { AccessTokens } from "@dockline/example-customer/src/AccessTokens.ts"
import { textOf } from "@dockline/example-customer/src/Failure.ts"
import { isObject } from "@dockline/example-customer/src/Json.ts"
import type { JsonObject } from "@dockline/example-customer/src/Json.ts"
import * as DemoData from "@dockline/example-server/src/DemoData.ts"

/** A client of the service. */
export interface Site {
  /** Asks for the token that requests are sent with. */
  readonly signIn: () => Promise<void>
  /** Posts JSON and returns the answer, which must have that status. */
  readonly post: (path: string, body: object, status: number) => Promise<JsonObject>
}

/** The service at an address, for one of its demo clients. */
export const make = (baseUrl: string, clientId: string, signal: AbortSignal): Site => {
  const tokens = new AccessTokens({
    baseUrl,
    authUrl: baseUrl,
    clientId,
    clientSecret: DemoData.secretOf(clientId)
  })
  const send = async (path: string, body: object) =>
    fetch(baseUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${await tokens.get(signal)}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    }).catch((error: unknown) => {
      throw new Error(`POST ${path} was not answered: ${textOf(error)}`)
    })
  return {
    signIn: async () => {
      await tokens.get(signal)
    },
    post: async (path, body, status) => {
      let response = await send(path, body)
      if (response.status === 401) {
        // It expired on the way.
        tokens.forget()
        response = await send(path, body)
      }
      const answer = await response.json().catch(() => undefined) as unknown
      if (response.status !== status || !isObject(answer)) {
        const detail = isObject(answer) ? String(answer["detail"]) : "no JSON"
        throw new Error(`POST ${path} was answered ${response.status}, not ${status}: ${detail}`)
      }
      return answer
    }
  }
}
