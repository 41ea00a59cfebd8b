/**
 * The settings of the customer's program: flags, else environment variables, else what fits the demo data.
 */
import { parseArgs } from "node:util"
import { Refused } from "./Failure.ts"

/** The settings. */
export interface Settings {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly business: string
  readonly facility: string | undefined
  readonly stateFile: string
  /** One line of JSON for each message, instead of a table. */
  readonly json: boolean
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
  { name: "STATE_FILE", value: "./customer-state.json", meaning: "Where the last message handled is stored" }
] as const

const settings: ReadonlyArray<Setting> = declared.map((each) => ({ shown: each.value, ...each }))

/** `CLIENT_ID` as a flag: `client-id`. */
const flagOf = (name: string): string => name.toLowerCase().replaceAll("_", "-")

/** What `--help` prints. */
export const help = [
  "Follows the pallets of a business: what was missed since the last run, then live.",
  "",
  "  npm run customer -- [flags]",
  "",
  ...settings.map(({ name, shown, meaning }) =>
    `  --${flagOf(name).padEnd(14)}  ${name.padEnd(13)}  ${meaning} (${shown})`
  ),
  `  --${"json".padEnd(14)}  ${"".padEnd(13)}  One line of JSON for each message, instead of a table`,
  "",
  "Each flag can be an environment variable instead. Ctrl-C ends it; the next run goes on where it was."
].join("\n")

/** Reads arguments and environment. Throws `Refused`, naming what is wrong. */
export const read = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Request => {
  const flags = parse(args)
  if (flags["help"] === true) return { type: "help" }
  const value = (name: (typeof declared)[number]["name"]): string => {
    const given = flags[flagOf(name)] ?? env[name]
    // An empty variable is how an env file says "not set".
    return typeof given === "string" && given !== ""
      ? given
      : settings.find((each) => each.name === name)!.value
  }
  const baseUrl = url("BASE_URL", value("BASE_URL"))
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
      json: flags["json"] === true
    }
  }
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
