/** The text of a server that is ready: its addresses, and how to send it a first document. */
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import { graphqlPath } from "@dockline/wire/Path"
import { Option } from "effect"
import type { Settings } from "../settings/Settings.ts"
import * as DemoData from "./DemoData.ts"

const json =
  `{"business":"acme","facility":"east","direction":"OUTBOUND","orderNumber":"SO-1001","dockSlug":"D1",` +
  `"items":[{"lpn":"LPN-1","sku":"SKU-1","quantity":12,"quantityUnit":"CASE"}]}`

const xml = `<Document><business>acme</business><facility>east</facility><direction>OUTBOUND</direction>` +
  `<orderNumber>SO-1002</orderNumber><items><lpn>LPN-2</lpn><sku>SKU-1</sku><quantity>8</quantity>` +
  `<quantityUnit>CASE</quantityUnit></items></Document>`

/** Three commands to paste: get a token, send a document in JSON, send one in XML. */
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
      "  Demo data is off. Beside DATABASE_URL or OPERATOR_CLIENT_ID it is on only with DEMO=true.",
      "  Businesses and clients are what the database holds.",
      ""
    )
  }
  return lines.join("\n")
}
