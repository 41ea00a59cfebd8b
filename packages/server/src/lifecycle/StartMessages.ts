/** The texts of a start: the banner of a server that is ready, and the reason why a server did not start, in words instead of a stack. */
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import { graphqlPath } from "@dockline/wire/Path"
import { Cause, Config, Console, Effect, Option, Predicate } from "effect"
import { readFileSync } from "node:fs"
import type { Settings } from "../settings/Settings.ts"
import * as DemoData from "./DemoData.ts"

const read = (): string => {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
    const { version = "unknown" }: { readonly version?: string } = JSON.parse(text)
    return version
  } catch {
    return "unknown"
  }
}

/** The version of the package of the server; `unknown` if it was bundled without one. */
export const version: string = read()

const json =
  `{"business":"acme","facility":"east","direction":"OUTBOUND","orderNumber":"SO-1001","dockSlug":"D1",` +
  `"items":[{"lpn":"LPN-1","sku":"SKU-1","quantity":12,"quantityUnit":"CASE"}]}`

const xml = `<Document><business>acme</business><facility>east</facility><direction>OUTBOUND</direction>` +
  `<orderNumber>SO-1002</orderNumber><items><lpn>LPN-2</lpn><sku>SKU-1</sku><quantity>8</quantity>` +
  `<quantityUnit>CASE</quantityUnit></items></Document>`

/** Three commands to paste: get a token, send a document in JSON, and send a document in XML. */
export const curlLines = (
  { baseUrl, authUrl }: Pick<Settings, "baseUrl" | "authUrl">
): ReadonlyArray<string> => {
  const credentials = JSON.stringify({
    client_id: "acme-client",
    client_secret: DemoData.secretOf("acme-client"),
    audience: audienceOf(baseUrl),
    grant_type: "client_credentials"
  })
  const send = (mediaType: string, body: string) =>
    `curl -sS ${baseUrl}/v1/documents -H "Authorization: Bearer $TOKEN" -H 'Content-Type: ${mediaType}' -d '${body}'`
  return [
    `TOKEN=$(curl -fsS ${authUrl}/oauth/token -H 'Content-Type: application/json' -d '${credentials}'` +
    ` | sed -nE 's/.*"access_token":"([^"]+)".*/\\1/p')`,
    send("application/json", json),
    send("application/xml", xml)
  ]
}

/** The banner of a server that is ready: its addresses, and how to send a first document. */
export const text = (settings: Settings, database: string): string => {
  const lines = [
    "",
    `  Dockline serves ${settings.baseUrl}`,
    `  Dashboard: ${settings.baseUrl}/dashboard`,
    `  Interactive reference: ${settings.baseUrl}/v1/docs/`,
    `  GraphQL, and GraphiQL in the browser: ${settings.baseUrl}${graphqlPath}`,
    `  Database: ${database}`,
    ""
  ]
  if (settings.demo) {
    lines.push(
      "  DEMO DATA IS ON: these clients and their secrets are public. Set DEMO=false for anything real.",
      "",
      ...Object.keys(DemoData.grants).map((id) => `    ${id.padEnd(18)} ${DemoData.secretOf(id)}`),
      "",
      ...Option.match(settings.external, {
        onSome: ({ issuer }) => [`  Tokens are issued by ${issuer}.`, ""],
        onNone: () => [
          "  Get a token, then send a document in JSON and one in XML:",
          "",
          ...curlLines(settings).flatMap((line) => [line, ""])
        ]
      })
    )
  } else {
    lines.push(
      "  Demo data is off. With DATABASE_URL or OPERATOR_CLIENT_ID it is on only if DEMO=true is set.",
      "  Businesses and clients are what the database holds.",
      ""
    )
  }
  return lines.join("\n")
}

/** Writes the reason to standard error. */
export const explain = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`dockline: ${reasonOf(Cause.squash(cause))}`)

/** The message of an error, with the messages of its causes that add information. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof Config.ConfigError) return settingOf(error)
  const messages: Array<string> = []
  for (let each: unknown = error; Predicate.isObject(each); each = causeOf(each)) {
    const message = messageOf(each)
    if (message !== "" && !messages.some((other) => other.includes(message))) messages.push(message)
  }
  const reason = messages.join(": ") || String(error)
  return reason.includes("EADDRINUSE") ? `${reason}; set PORT to another one` : reason
}

/** Turns `SchemaError(<what> at ["<variable>"])` into a sentence. */
const settingOf = (error: Config.ConfigError): string => {
  const [, what, variable] = /^SchemaError\((.*?)\s+at \["(\w+)"\]\)$/s.exec(error.message) ?? []
  return variable === undefined
    ? error.message.replace(/^SourceError: /, "")
    : `the setting ${variable} is wrong: ${what}`
}

/** The cause of an error. An SqlError holds its cause in its reason. */
const causeOf = (error: object): unknown => {
  if (Predicate.hasProperty(error, "reason") && Predicate.isObject(error.reason)) return causeOf(error.reason)
  return Predicate.hasProperty(error, "cause") ? error.cause : undefined
}

const messageOf = (error: object): string => {
  const message = Predicate.hasProperty(error, "message") && Predicate.isString(error.message)
    ? error.message
    : ""
  const code = Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : ""
  return message === "" ? code : message
}
