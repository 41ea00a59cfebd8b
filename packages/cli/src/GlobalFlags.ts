/**
 * The settings of all commands. The client's secret is never a flag: it comes from the environment or the terminal, so
 * that no list of processes and no shell history shows it.
 */
import { withoutSlashes } from "@dockline/core/values/Clip"
import { graphqlPath } from "@dockline/wire/Path"
import { Config, Effect, Option, Redacted } from "effect"
import { GlobalFlag } from "effect/cli"
import { seconds, switchFlag, text } from "./Arguments.ts"
import { wrongUsage } from "./Failure.ts"
import { askSecret } from "./Screen.ts"

export const variables = {
  url: "DOCKLINE_URL",
  authUrl: "DOCKLINE_AUTH_URL",
  audience: "DOCKLINE_AUDIENCE",
  clientId: "DOCKLINE_CLIENT_ID",
  clientSecret: "DOCKLINE_CLIENT_SECRET",
  webhookSecret: "DOCKLINE_WEBHOOK_SECRET"
} as const

export const defaultUrl = "http://localhost:8080"

/** `--json`: writes the answer unchanged, for scripts. */
export const Json = GlobalFlag.Setting("json")({
  flag: switchFlag("json", "Write the answer as one JSON document, for scripts")
})

const setting = <const Name extends string>(name: Name, description: string) =>
  GlobalFlag.Setting(name)({ flag: text(name, description) })

const Url = setting("url", `Address of the service; ${variables.url} or ${defaultUrl} when absent`)

const AuthUrl = setting(
  "auth-url",
  `Where tokens are requested; ${variables.authUrl} or the address of the service when absent`
)

const Audience = setting(
  "audience",
  `Audience of the token; ${variables.audience} or <url>${graphqlPath} when absent`
)

const ClientId = setting(
  "client-id",
  `Your API client; ${variables.clientId} when absent. Its secret comes from ${variables.clientSecret}, or is asked for`
)

const Timeout = GlobalFlag.Setting("timeout")({
  flag: seconds("timeout", "Seconds that one answer may take", 30)
})

export const flags = [Json, Url, AuthUrl, Audience, ClientId, Timeout] as const

/** A variable of the environment; an empty value counts as not set, as in env files. */
export const variable = (name: string): Effect.Effect<Option.Option<string>> =>
  Config.option(Config.String(name)).pipe(Effect.orDie, Effect.map(Option.filter((value) => value !== "")))

const flagOrVariable = (flag: Option.Option<string>, name: string) =>
  Option.isSome(flag) ? Effect.succeed(flag) : variable(name)

const address = Effect.fnUntraced(function*(text: string, what: string) {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return yield* wrongUsage(`${what} must be an address such as https://dockline.example, not "${text}"`)
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return yield* wrongUsage(`${what} must be an address without user, query and fragment`)
  }
  return withoutSlashes(url.href)
})

/** Combines flags, environment and defaults; prompts for the secret when the environment has none. */
export const connection = Effect.gen(function*() {
  const url = yield* address(
    Option.getOrElse(yield* flagOrVariable(yield* Url, variables.url), () => defaultUrl),
    `--url or ${variables.url}`
  )
  const issuer = yield* flagOrVariable(yield* AuthUrl, variables.authUrl)
  const authUrl = Option.isSome(issuer)
    ? yield* address(issuer.value, `--auth-url or ${variables.authUrl}`)
    : url
  const clientId = yield* flagOrVariable(yield* ClientId, variables.clientId)
  if (Option.isNone(clientId)) {
    return yield* wrongUsage(`Name your API client with --client-id or ${variables.clientId}`)
  }
  const audience = yield* flagOrVariable(yield* Audience, variables.audience)
  const secret = yield* variable(variables.clientSecret)
  return {
    url,
    authUrl,
    audience: Option.getOrElse(audience, () => `${url}${graphqlPath}`),
    clientId: clientId.value,
    clientSecret: Option.isSome(secret)
      ? Redacted.make(secret.value)
      : yield* askSecret(`Secret of client ${clientId.value}`, `Set ${variables.clientSecret}`),
    timeoutMillis: (yield* Timeout) * 1000
  }
})

/** The addresses of the service, without slashes at their ends, and the client to authenticate as. */
export type Connection = Effect.Success<typeof connection>
