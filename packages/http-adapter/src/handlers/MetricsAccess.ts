/**
 * Who may see the metrics: whoever has their token, or, without one and only where the settings say so, the machine
 * itself.
 *
 * Guarantee: tokens are compared in constant time. A request with a header that proxies add is not one of this machine,
 * whatever address it comes from.
 */
import { MetricsForbidden, Unauthenticated } from "@dockline/core/Errors"
import { Option, Redacted, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import type { HttpConfig } from "../api/HttpConfig.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected))

/** Addresses by which a machine reaches itself, as sockets write them. */
const loopback = /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$|^::1$/i

/** Headers that say that somebody passed the request on. */
const passedOn = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-original-.*)$/

const isLocal = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  loopback.test(Option.getOrElse(remoteAddress, () => "")) &&
  !Object.keys(headers).some((name) => passedOn.test(name))

/** Refuses a request that may not see the metrics. */
export const check = (
  request: HttpServerRequest.HttpServerRequest,
  { metricsLocally = false, metricsToken: token }: Pick<HttpConfig, "metricsLocally" | "metricsToken">
): Result.Result<void, Unauthenticated | MetricsForbidden> => {
  if (token === undefined) {
    return metricsLocally && isLocal(request) ? Result.void : Result.fail(new MetricsForbidden())
  }
  const given = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "")?.[1]
  return given !== undefined && isSame(given, Redacted.value(token))
    ? Result.void
    : Result.fail(new Unauthenticated(given === undefined ? {} : { reason: "invalid" }))
}
