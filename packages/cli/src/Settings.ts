/**
 * The settings of every command: flags that stand anywhere in the line, and the environment behind them.
 *
 * Guarantee: a secret is no flag. It comes from the environment or from the terminal, so that no list of processes and
 * no history of a shell shows it.
 */
import { Config, Effect, Option, Redacted, Schema } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { WrongUsage } from "./Failure.ts"
import { askSecret } from "./Question.ts"

/** The variable of each setting. */
export const variables = {
  url: "DOCKLINE_URL",
  authUrl: "DOCKLINE_AUTH_URL",
  audience: "DOCKLINE_AUDIENCE",
  clientId: "DOCKLINE_CLIENT_ID",
  clientSecret: "DOCKLINE_CLIENT_SECRET"
} as const

/** Where the service is when nothing else is said. */
export const defaultUrl = "http://localhost:8080"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** `--json`: the answer as the service gave it, for scripts. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Write the answer as one JSON document, for scripts"),
    Flag.withDefault(false)
  )
})

/** `--url` */
export const Url = GlobalFlag.Setting("url")({
  flag: text("url", `Address of the service; else ${variables.url}, else ${defaultUrl}`)
})

/** `--auth-url` */
export const AuthUrl = GlobalFlag.Setting("auth-url")({
  flag: text(
    "auth-url",
    `Where tokens are asked for; else ${variables.authUrl}, else the address of the service`
  )
})

/** `--audience` */
export const Audience = GlobalFlag.Setting("audience")({
  flag: text("audience", `Audience of the token; else ${variables.audience}, else <url>/public_graphql`)
})

/** `--client-id` */
export const ClientId = GlobalFlag.Setting("client-id")({
  flag: text(
    "client-id",
    `Your API client; else ${variables.clientId}. Its secret: ${variables.clientSecret}, or asked for`
  )
})

/** `--timeout` */
export const Timeout = GlobalFlag.Setting("timeout")({
  flag: Flag.Finite("timeout").pipe(
    Flag.withDescription("Seconds that one answer may take (30)"),
    Flag.withSchema(
      Schema.Finite.check(
        Schema.isBetween({ minimum: 0.1, maximum: 3600 }, {
          message: "must be a number of seconds from 0.1 to 3600"
        })
      )
    ),
    Flag.withDefault(30)
  )
})

/** The flags that every command has. */
export const flags = [Json, Url, AuthUrl, Audience, ClientId, Timeout] as const

/** How the service is reached, and as whom. */
export interface Connection {
  /** Without a trailing slash. */
  readonly url: string
  readonly authUrl: string
  readonly audience: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly timeoutMillis: number
}

/** A variable that is set; an empty one is how an env file says "not set". */
const variable = (name: string): Effect.Effect<Option.Option<string>> =>
  Config.option(Config.String(name)).pipe(
    Effect.orDie,
    Effect.map(Option.filter((value) => value !== ""))
  )

const setting = (flag: Option.Option<string>, name: string) =>
  Option.isSome(flag) ? Effect.succeed(flag) : variable(name)

const address = Effect.fnUntraced(function*(text: string, what: string) {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return yield* new WrongUsage({
      message: `${what} must be an address such as https://dockline.example, not "${text}"`
    })
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return yield* new WrongUsage({ message: `${what} must be an address without user, query and fragment` })
  }
  return url.href.replace(/\/+$/, "")
})

/** Puts flags, environment and defaults together; asks for the secret where the environment has none. */
export const connection = Effect.gen(function*() {
  const url = yield* address(
    Option.getOrElse(yield* setting(yield* Url, variables.url), () => defaultUrl),
    `--url or ${variables.url}`
  )
  const authUrl = yield* Option.match(yield* setting(yield* AuthUrl, variables.authUrl), {
    onNone: () => Effect.succeed(url),
    onSome: (given) => address(given, `--auth-url or ${variables.authUrl}`)
  })
  const clientId = yield* setting(yield* ClientId, variables.clientId)
  if (Option.isNone(clientId)) {
    return yield* new WrongUsage({
      message: `Say which API client you are: --client-id or ${variables.clientId}`
    })
  }
  const secret = yield* variable(variables.clientSecret)
  const connection: Connection = {
    url,
    authUrl,
    audience: Option.getOrElse(
      yield* setting(yield* Audience, variables.audience),
      () => `${url}/public_graphql`
    ),
    clientId: clientId.value,
    clientSecret: Option.isSome(secret)
      ? Redacted.make(secret.value)
      : yield* askSecret(`Secret of client ${clientId.value}`, `Set ${variables.clientSecret}`),
    timeoutMillis: (yield* Timeout) * 1000
  }
  return connection
})
