/**
 * Reads requests to `POST /oauth/token` in JSON or as the form of RFC 6749 (D10.1). A refusal names the parameter at
 * fault, and quotes nothing of the request, as it may hold a secret.
 */
import * as JsonText from "@dockline/core/internal/input/JsonText"
import * as HeaderValue from "@dockline/wire/internal/HeaderValue"
import { Data, Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Charset from "../body/Charset.ts"
import * as LimitedBody from "../body/LimitedBody.ts"

/** A refusal of the endpoint, with an error code of RFC 6749 (sections 4.1.2.1 and 5.2) or RFC 8707 (section 2). */
export class TokenError extends Data.TaggedError("TokenError")<{
  readonly status: 400 | 401 | 413 | 415 | 429 | 500 | 503
  readonly error:
    | "invalid_request"
    | "invalid_client"
    | "invalid_target"
    | "unsupported_grant_type"
    | "server_error"
    | "temporarily_unavailable"
  /** The `error_description` for an integrator: ASCII without quotes and backslashes. */
  readonly description: string
  readonly usedBasic?: boolean
  readonly retryAfterSeconds?: number | undefined
}> {}

/** Refuses a request with a description for an integrator. */
export const refused = (
  status: TokenError["status"],
  error: TokenError["error"],
  description: string,
  more: Pick<TokenError, "usedBasic" | "retryAfterSeconds"> = {}
): TokenError => new TokenError({ status, error, description, ...more })

export interface TokenRequest {
  readonly clientId: string
  readonly clientSecret: string
  readonly usedBasic: boolean
  /** The audiences asked for; none when a form leaves them out. */
  readonly audiences: ReadonlyArray<string>
  /** No token has a scope: operators grant permissions to clients. */
  readonly asksForScope: boolean
}

/** `audience` is ours, to name it where it is missing. */
export const read = Effect.fnUntraced(function*(
  request: HttpServerRequest,
  bodyLimitBytes: number,
  audience: string
): Effect.fn.Return<TokenRequest, TokenError> {
  const format = yield* Effect.fromResult(formatOf(request))
  const bytes = yield* LimitedBody.read(request, bodyLimitBytes).pipe(
    Effect.catchTags({
      BodyAlreadyRead: ({ message }) => Effect.fail(refused(500, "server_error", message)),
      PayloadTooLarge: ({ message }) => Effect.fail(refused(413, "invalid_request", message)),
      RequestAborted: ({ message }) => Effect.fail(invalid(message))
    })
  )
  const parameters = Result.flatMap(format === "json" ? fromJson(bytes) : fromForm(bytes), collect)
  const basic = basicCredentials(request.headers["authorization"])
  return yield* Effect.fromResult(
    Result.flatMap(parameters, (parameters) => toRequest(parameters, basic, format, audience))
  )
})

const invalid = (description: string): TokenError => refused(400, "invalid_request", description)

const unsupported = refused(
  415,
  "invalid_request",
  "send application/json or application/x-www-form-urlencoded, in UTF-8 and without content coding"
)

type Format = "json" | "form"

const formatOf = ({ headers }: HttpServerRequest): Result.Result<Format, TokenError> => {
  const coding = headers["content-encoding"]
  const [type, ...more] = HeaderValue.parse(headers["content-type"] ?? "")
  const charset = type?.parameters.find(({ name }) => name === "charset")?.value ?? "utf-8"
  if (
    type === undefined || more.length > 0 || !type.wellFormed || Charset.fromName(charset) !== "utf-8" ||
    (coding !== undefined && coding.toLowerCase() !== "identity")
  ) return Result.fail(unsupported)
  if (type.name === "application/json") return Result.succeed("json")
  return type.name === "application/x-www-form-urlencoded" ? Result.succeed("form") : Result.fail(unsupported)
}

const names = ["grant_type", "client_id", "client_secret", "audience", "resource"] as const

interface Parameters extends Readonly<Partial<Record<typeof names[number], string>>> {
  readonly asksForScope: boolean
}

/** Values by the name of their parameter. */
type Members = ReadonlyMap<string, ReadonlyArray<unknown>>

/** Reads the known parameters; others are ignored (RFC 6749 section 3.2). */
const collect = (members: Members): Result.Result<Parameters, TokenError> => {
  const parameters: { [Name in typeof names[number]]?: string } = {}
  for (const name of names) {
    const [value, ...more] = members.get(name) ?? []
    if (more.length > 0) return Result.fail(invalid(`${name} is given twice`))
    if (value !== undefined && typeof value !== "string") {
      return Result.fail(invalid(`${name} must be a string`))
    }
    // A parameter without a value counts as absent (RFC 6749 section 3.2).
    if (value !== undefined && value !== "") parameters[name] = value
  }
  return Result.succeed({ ...parameters, asksForScope: members.has("scope") })
}

const fromJson = (bytes: Uint8Array): Result.Result<Members, TokenError> => {
  const parsed = JsonText.parse(bytes)
  if (Result.isFailure(parsed)) {
    const { line, column, errors } = parsed.failure
    const twice = names.find((name) => errors.some(({ path }) => path === name))
    return Result.fail(
      invalid(
        twice === undefined
          ? `the body is not JSON in UTF-8: line ${line}, column ${column}`
          : `${twice} is given twice`
      )
    )
  }
  const value = parsed.success
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Result.succeed(new Map(Object.entries(value).map(([name, member]) => [name, [member]])))
    : Result.fail(invalid("the body must be a JSON object"))
}

const notForm = invalid("the body is not a form in UTF-8")

const fromForm = (bytes: Uint8Array): Result.Result<Members, TokenError> => {
  const text = Charset.decode(bytes, "utf-8")
  if (Result.isFailure(text)) return Result.fail(notForm)
  const members = new Map<string, Array<string>>()
  for (const pair of text.success.split("&")) {
    const equals = pair.includes("=") ? pair.indexOf("=") : pair.length
    const name = decodeFormText(pair.slice(0, equals))
    const value = decodeFormText(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return Result.fail(notForm)
    members.set(name, [...(members.get(name) ?? []), value])
  }
  return Result.succeed(members)
}

/** Strict where `URLSearchParams` replaces bytes that are not UTF-8: they would become another secret. */
const decodeFormText = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    // It throws only for text that is not form-urlencoded UTF-8.
    return undefined
  }
}

interface Credentials {
  readonly id: string
  readonly secret: string
}

/**
 * The credentials of RFC 6749 section 2.3.1; `undefined` when the header is of another scheme: some HTTP clients send
 * their old bearer token with every request.
 */
const basicCredentials = (header: string | undefined): Credentials | "malformed" | undefined => {
  if (header === undefined || !/^Basic(?: |$)/i.test(header)) return undefined
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header)?.[1]
  const text = Charset.decode(Buffer.from(encoded ?? "", "base64"), "utf-8")
  if (Result.isFailure(text) || !text.success.includes(":")) return "malformed"
  const colon = text.success.indexOf(":")
  const id = decodeFormText(text.success.slice(0, colon))
  const secret = decodeFormText(text.success.slice(colon + 1))
  return id === undefined || secret === undefined ? "malformed" : { id, secret }
}

const toRequest = (
  parameters: Parameters,
  basic: Credentials | "malformed" | undefined,
  format: Format,
  ours: string
): Result.Result<TokenRequest, TokenError> => {
  const credentials = basic === undefined ? bodyCredentials(parameters) : checkBasic(parameters, basic)
  return Result.flatMap(credentials, ({ id, secret }) => {
    const { asksForScope, audience, grant_type: grantType, resource } = parameters
    if (grantType === undefined) return Result.fail(missing("grant_type"))
    if (format === "json" && audience === undefined) {
      return Result.fail(invalid(`audience is missing; it must be ${ours}`))
    }
    if (grantType !== "client_credentials") {
      return Result.fail(refused(400, "unsupported_grant_type", "grant_type must be client_credentials"))
    }
    const audiences = [audience, resource].filter((each) => each !== undefined)
    return Result.succeed({
      clientId: id,
      clientSecret: secret,
      usedBasic: basic !== undefined,
      asksForScope,
      audiences
    })
  })
}

const missing = (name: typeof names[number]): TokenError => invalid(`${name} is missing`)

const bodyCredentials = (parameters: Parameters): Result.Result<Credentials, TokenError> => {
  const { client_id: id, client_secret: secret } = parameters
  if (id === undefined) return Result.fail(missing("client_id"))
  return secret === undefined ? Result.fail(missing("client_secret")) : Result.succeed({ id, secret })
}

/** The body may repeat the `client_id` (RFC 6749 section 3.2.1). */
const checkBasic = (
  parameters: Parameters,
  basic: Credentials | "malformed"
): Result.Result<Credentials, TokenError> => {
  if (parameters.client_secret !== undefined) {
    return Result.fail(invalid("client_secret is given in the body and in the Authorization header"))
  }
  if (basic === "malformed") {
    return Result.fail(
      refused(401, "invalid_client", "the Basic credentials cannot be read", { usedBasic: true })
    )
  }
  return parameters.client_id === undefined || parameters.client_id === basic.id
    ? Result.succeed(basic)
    : Result.fail(invalid("client_id differs from that in the Authorization header"))
}
