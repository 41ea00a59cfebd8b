/**
 * The settings of the customer's program: flags, else environment variables, else what fits the demo data.
 */
import { parseArgs } from "node:util"
import { Refused } from "./Failure.ts"
import { authentications } from "./WebhookAuth.ts"
import type { Account, Authentication } from "./WebhookAuth.ts"
import { verifierOf } from "./WebhookMessage.ts"

export interface Settings {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly business: string
  readonly facility: string | undefined
  readonly stateFile: string
  /** Whether the log is followed; else messages come by webhook alone. */
  readonly follow: boolean
  readonly webhooks: WebhookSettings | undefined
  /** One line of JSON for each message, instead of a table. */
  readonly json: boolean
}

export interface WebhookSettings {
  readonly host: string
  readonly port: number
  readonly secrets: ReadonlyArray<string>
  readonly account: Account
  readonly palletAuthentication: Authentication
  readonly completionAuthentication: Authentication
}

/** What is asked for: help, or the settings to run with. */
export type Request = { readonly type: "help" } | { readonly type: "run"; readonly settings: Settings }

interface Setting {
  readonly name: string
  readonly shown: string
  readonly value: string
  readonly meaning: string
}

const declared = [
  { name: "BASE_URL", value: "http://localhost:8080", meaning: "Address of the service" },
  { name: "AUTH_URL", shown: "BASE_URL", value: "", meaning: "Address of the token endpoint's server" },
  { name: "CLIENT_ID", value: "acme-client", meaning: "Client id" },
  {
    name: "CLIENT_SECRET",
    value: "acme-client-secret",
    meaning: "Client secret; as a flag, others on this machine can see it"
  },
  { name: "BUSINESS", value: "acme", meaning: "Slug of the business to follow" },
  { name: "FACILITY", shown: "all of them", value: "", meaning: "Slug of one facility" },
  { name: "STATE_FILE", value: "./customer-state.json", meaning: "Where it is stored what has been handled" },
  { name: "FOLLOW", value: "true", meaning: "false: do not follow the log, take webhooks alone" },
  { name: "WEBHOOK_PORT", shown: "no webhooks", value: "", meaning: "Port to take webhooks on" },
  { name: "WEBHOOK_HOST", value: "127.0.0.1", meaning: "Address to take webhooks on" },
  {
    name: "WEBHOOK_SECRET",
    shown: "none",
    value: "",
    meaning: "Signing secret, whsec_...; while it is rotated two, with a comma between"
  },
  { name: "WEBHOOK_USERNAME", shown: "none", value: "", meaning: "User name that the service signs in with" },
  { name: "WEBHOOK_PASSWORD", shown: "none", value: "", meaning: "Its password" },
  { name: "WEBHOOK_AUTH", value: "basic", meaning: "basic, token or none: for /api/palletEvent" },
  { name: "WEBHOOK_COMPLETION_AUTH", value: "basic", meaning: "The same for /api/shipmentComplete" }
] as const

type Name = (typeof declared)[number]["name"]

const settings: ReadonlyArray<Setting> = declared.map((each) => ({ shown: each.value, ...each }))

/** `CLIENT_ID` as a flag: `client-id`. */
const flagOf = (name: string): string => name.toLowerCase().replaceAll("_", "-")

const helpLine = (flag: string, name: string, text: string): string =>
  `  --${flag.padEnd(23)}  ${name.padEnd(23)}  ${text}`

export const help = [
  "Stays current with the pallets of a business: what was missed since the last run, then live; by following the",
  "message log, by webhook, or by both at once.",
  "",
  "  npm run customer -- [flags]",
  "",
  ...settings.map(({ name, shown, meaning }) => helpLine(flagOf(name), name, `${meaning} (${shown})`)),
  helpLine("json", "", "One line of JSON for each message, instead of a table"),
  "",
  "Each flag can be an environment variable instead. Ctrl-C ends it; the next run goes on where it was.",
  "",
  "Webhooks: set WEBHOOK_PORT and WEBHOOK_SECRET, and have the operator make an endpoint whose base URL leads here.",
  "Its paths are /api/palletEvent and /api/shipmentComplete, and /login for authentication by token. It must be of the",
  "same business and facility as BUSINESS and FACILITY. The service calls https alone: put what ends TLS in front."
].join("\n")

/** Reads arguments and environment. Throws `Refused`, naming what is wrong. */
export const read = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Request => {
  const flags = parse(args)
  if (flags["help"] === true) return { type: "help" }
  const value = (name: Name): string => {
    const given = flags[flagOf(name)] ?? env[name]
    // An empty variable is how an env file says "not set".
    return typeof given === "string" && given !== ""
      ? given
      : settings.find((each) => each.name === name)!.value
  }
  const baseUrl = url("BASE_URL", value("BASE_URL"))
  const follow = oneOf("FOLLOW", value("FOLLOW"), ["true", "false"]) === "true"
  const webhooks = webhooksOf(value)
  if (!follow && webhooks === undefined) {
    throw new Refused("FOLLOW is false and WEBHOOK_PORT is not set: there would be nothing to do")
  }
  return {
    type: "run",
    settings: {
      baseUrl,
      authUrl: value("AUTH_URL") === "" ? baseUrl : url("AUTH_URL", value("AUTH_URL")),
      clientId: value("CLIENT_ID"),
      clientSecret: value("CLIENT_SECRET"),
      business: value("BUSINESS"),
      facility: value("FACILITY") || undefined,
      stateFile: value("STATE_FILE"),
      follow,
      webhooks,
      json: flags["json"] === true
    }
  }
}

const webhooksOf = (value: (name: Name) => string): WebhookSettings | undefined => {
  if (value("WEBHOOK_PORT") === "") return undefined
  const port = Number(value("WEBHOOK_PORT"))
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Refused(`WEBHOOK_PORT must be a port, 0 to 65535, not ${JSON.stringify(value("WEBHOOK_PORT"))}`)
  }
  const palletAuthentication = oneOf("WEBHOOK_AUTH", value("WEBHOOK_AUTH"), authentications)
  const completionAuthentication = oneOf(
    "WEBHOOK_COMPLETION_AUTH",
    value("WEBHOOK_COMPLETION_AUTH"),
    authentications
  )
  const account = { username: value("WEBHOOK_USERNAME"), password: value("WEBHOOK_PASSWORD") }
  const isOpen = palletAuthentication === "none" && completionAuthentication === "none"
  if (!isOpen && (account.username === "" || account.password === "")) {
    throw new Refused("WEBHOOK_USERNAME and WEBHOOK_PASSWORD must be set, as agreed with the operator")
  }
  return {
    host: value("WEBHOOK_HOST"),
    port,
    secrets: secretsOf(value("WEBHOOK_SECRET")),
    account,
    palletAuthentication,
    completionAuthentication
  }
}

const secretsOf = (text: string): ReadonlyArray<string> => {
  const secrets = text.split(",").map((secret) => secret.trim())
  try {
    verifierOf(secrets)
  } catch {
    throw new Refused(
      "WEBHOOK_SECRET must be the signing secret that the operator was shown, whsec_ and base64; or two, with a comma"
    )
  }
  return secrets
}

const oneOf = <Word extends string>(name: string, text: string, words: ReadonlyArray<Word>): Word => {
  const word = words.find((each) => each === text)
  if (word === undefined) {
    throw new Refused(`${name} must be ${words.join(" or ")}, not ${JSON.stringify(text)}`)
  }
  return word
}

const parse = (args: ReadonlyArray<string>): Readonly<Record<string, string | boolean | undefined>> => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...Object.fromEntries(settings.map(({ name }) => [flagOf(name), { type: "string" as const }])),
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" }
      }
    }).values
  } catch (error) {
    throw new Refused(`${error instanceof Error ? error.message : String(error)}; --help lists the flags`)
  }
}

const url = (name: string, text: string): string => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? "")) {
    throw new Refused(`${name} must be an address such as https://host, not ${JSON.stringify(text)}`)
  }
  return text.replace(/\/+$/, "")
}
