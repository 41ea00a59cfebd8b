/**
 * Holds the peer to the rules: both servers answer the same documents, and must give the same answers up to ids and
 * the current time. Without that, who is faster says nothing.
 */
import { Effect } from "effect"
import { attempt, BenchError } from "../BenchError.ts"
import type { Server } from "../Servers.ts"
import { accepted, refused } from "./DifferentialSteps.ts"
import type { Step } from "./DifferentialSteps.ts"

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly location: boolean
  readonly body: unknown
}

/** Ids by order of appearance over all answers of a server, so that an entity must stay itself in both. */
class Labels {
  readonly #labels = new Map<string, string>()

  of(kind: string, id: unknown): string {
    const key = `${kind} ${String(id)}`
    const known = this.#labels.get(key)
    if (known !== undefined) return known
    const label = `${kind} ${this.#labels.size + 1}`
    this.#labels.set(key, label)
    return label
  }
}

const kindOf = (entity: Readonly<Record<string, unknown>>): string =>
  typeof entity["type"] === "string"
    ? entity["type"]
    : "lpn" in entity
    ? "ORDER_ITEM"
    : "orderNumber" in entity
    ? "ORDER"
    : "SHIPMENT"

const isNow = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT/.test(text) && Math.abs(Date.parse(text) - Date.now()) < 600_000

const normalize = (value: unknown, labels: Labels): unknown => {
  if (typeof value === "string") return isNow(value) ? "now" : value
  if (Array.isArray(value)) return value.map((member) => normalize(member, labels))
  if (typeof value !== "object" || value === null) return value
  const entity = value as Readonly<Record<string, unknown>>
  // caseSerials have an id of the client's.
  const isSerial = Object.keys(entity).length === 2 && "quantity" in entity
  return Object.fromEntries(
    Object.entries(entity).map(([name, member]) => [
      name,
      name === "id" && !isSerial ? labels.of(kindOf(entity), member) : normalize(member, labels)
    ])
  )
}

/** Texts of 400 and 422 are each library's own; which fields are wrong is not. */
const withoutTexts = (body: unknown): unknown => {
  const { code, errors } = body as {
    readonly code?: string
    readonly errors?: ReadonlyArray<{ readonly path: string }>
  }
  return { code, paths: [...new Set(errors?.map(({ path }) => path))].sort() }
}

const answerOf = async (server: Server, body: string, labels: Labels): Promise<Answer> => {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/documents`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body
  })
  const received: unknown = await response.json()
  const isBodyFault = response.status === 400 || response.status === 422
  return {
    status: response.status,
    contentType: response.headers.get("content-type")?.split(";")[0] ?? "",
    location: response.headers.has("location"),
    body: isBodyFault ? withoutTexts(received) : normalize(received, labels)
  }
}

const take = async (server: Server, step: Step, labels: Labels): Promise<Answer | undefined> => {
  if ("body" in step) return answerOf(server, step.body, labels)
  await server.database.sql.unsafe(step.statement)
  return undefined
}

/** Where two values differ first, for the message. */
const difference = (left: unknown, right: unknown, path: string): string | undefined => {
  if (Object.is(left, right)) return undefined
  if (typeof left === "object" && typeof right === "object" && left !== null && right !== null) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)])
    for (const name of names) {
      const found = difference(
        (left as Record<string, unknown>)[name],
        (right as Record<string, unknown>)[name],
        `${path}.${name}`
      )
      if (found !== undefined) return found
    }
    return undefined
  }
  return `${path}: ${JSON.stringify(left)} and ${JSON.stringify(right)}`
}

/** Compares the answers of two servers on fresh databases; returns how many were compared. */
export const compare = Effect.fnUntraced(function*(left: Server, right: Server) {
  const labels = [new Labels(), new Labels()] as const
  const faults: Array<string> = []
  let compared = 0
  for (const step of [...accepted, ...refused]) {
    const [one, other] = yield* attempt(
      `differential test, "${step.name}"`,
      () => Promise.all([take(left, step, labels[0]), take(right, step, labels[1])])
    )
    const found = difference(one, other, "answer")
    if (found !== undefined) faults.push(`- ${step.name}: ${found}`)
    if (one === undefined) continue
    compared++
    if (Math.floor(one.status / 100) !== (accepted.includes(step) ? 2 : 4)) {
      faults.push(`- ${step.name}: both answer ${one.status}`)
    }
  }
  if (faults.length > 0) {
    return yield* new BenchError({
      message: `${left.name} and ${right.name} do not answer alike:\n${faults.join("\n")}`
    })
  }
  return compared
})
