/**
 * Turns the headers that an operator entered into headers that can be stored, with sealed values (D15.3).
 *
 * Guarantee: as in `SealedAuthentication.ts`.
 */
import { Effect, Result } from "effect"
import type { InvalidRequest } from "../../values/Errors.ts"
import type { SealedText } from "../SecretsVault.ts"
import type { EndpointHeader, EndpointSettings } from "../WebhookEndpoint.ts"
import type { HeaderInput } from "./EndpointHeaders.ts"
import { again, refusal, sealer } from "./SealedAuthentication.ts"

type Before = Pick<EndpointSettings, "headers" | "baseUrl">

/** The unchanged headers of an endpoint at a base URL; refused when their values would be sent to another address. */
export const headersAt = (
  { baseUrl: before, headers }: Before,
  baseUrl: string
): Result.Result<ReadonlyArray<EndpointHeader>, InvalidRequest> =>
  baseUrl === before || headers.length === 0 ? Result.succeed(headers) : refusal({ headers: again })

/**
 * Seals the values of headers. The returned function joins them with the endpoint's previous headers, whose values stay where none
 * are given; headers that are not named go.
 */
export const headersOf = Effect.gen(function*() {
  const seal = yield* sealer
  return Effect.fnUntraced(function*(inputs: ReadonlyArray<HeaderInput>, business: string) {
    const references: Array<{ readonly name: string; readonly sealed: SealedText | undefined }> = []
    for (const { name, value } of inputs) {
      references.push({ name, sealed: value === undefined ? undefined : yield* seal(value, business) })
    }
    return (
      before: Before | undefined,
      baseUrl: string
    ): Result.Result<ReadonlyArray<EndpointHeader>, InvalidRequest> => {
      const headers: Array<EndpointHeader> = []
      for (const [index, { name, sealed }] of references.entries()) {
        const present = before?.headers.find((each) => each.name.toLowerCase() === name.toLowerCase())
        const path = `headers[${index}].value`
        if (sealed !== undefined) headers.push({ name, sealed })
        else if (present === undefined) return refusal({ [path]: "is required" })
        else if (before?.baseUrl !== baseUrl) return refusal({ [path]: again })
        else headers.push({ name, sealed: present.sealed })
      }
      return Result.succeed(headers)
    }
  })
})
