/** A tower: it reports each LPN that comes on standard input, and lights green or red by the verdict of the service. */
import { DocklineError, make } from "@dockline/client"
import { randomUUID } from "node:crypto"
import { createInterface } from "node:readline"

const { CLIENT_ID = "tower", CLIENT_SECRET = "tower-secret", SERVICE_URL = "http://localhost:8080" } =
  process.env
const tower = make({ url: SERVICE_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
const dockSlug = process.argv[2] ?? "D1"

const light = (isRight: boolean, lpn: string, text: string): void =>
  console.log(`${isRight ? "\u001b[32m● green" : "\u001b[31m● red  "}\u001b[0m  ${lpn}  ${text}`)

for await (const lpn of createInterface({ input: process.stdin })) {
  try {
    const { verdict } = await tower.recordPallet({
      eventId: randomUUID(),
      business: "acme",
      facility: "east",
      dockSlug,
      direction: "LOADING",
      occurredAt: new Date().toISOString(),
      labels: [{ name: "lpn", value: lpn }]
    })
    light(verdict.kind === "EXPECTED" || verdict.kind === "REPEATED", lpn, verdict.text)
  } catch (error) {
    light(false, lpn, error instanceof DocklineError ? `${error.message}. ${error.remedy}` : String(error))
  }
}
