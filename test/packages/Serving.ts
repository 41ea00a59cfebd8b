/** Programs that serve: started on a free port, called once, and stopped like by a service manager. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../support/ProgramSettings.ts"
import type { FreshProject } from "./FreshProject.ts"

/** A program that has printed its address. */
export interface Served {
  readonly firstLine: string
  /** Requests it to stop, and waits until it has. */
  readonly stop: () => Promise<void>
}

/** Starts a program that prints a line when it is ready. */
export const serve = async (
  node: string,
  cwd: string,
  file: string,
  env: Readonly<Record<string, string>>
): Promise<Served> => {
  const child = spawn(node, [file], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, "line"), ended.then(() => undefined)])
  if (first === undefined) throw new Error(`${file} ended with ${child.exitCode} before it was ready`)
  return {
    firstLine: String(first[0]),
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    }
  }
}

/** The example address of PostgreSQL on pages. */
export const exampleUrl = "postgres://dockline:password@localhost:5432/dockline"

/** Starts a PostgreSQL, and prints its address. */
const databaseProgram = `
import * as EmbeddedPostgres from "@dockline/sql-storage/embedded/EmbeddedPostgres"
import { Effect, Redacted } from "effect"

const program = Effect.gen(function*() {
  const { url } = yield* EmbeddedPostgres.make({ directory: process.env["DATA"] ?? "data" })
  console.log(Redacted.value(url))
  return yield* Effect.never
})
const stop = Effect.runCallback(Effect.scoped(program))
process.once("SIGTERM", () => stop())
`

/** Starts a PostgreSQL of a project, whose address is its first line. */
export const serveDatabase = ({ directory, write }: FreshProject): Promise<Served> => {
  write("database.ts", databaseProgram)
  return serve(process.execPath, directory, "database.ts", { DATA: join(directory, "data") })
}

/** A request to a program that serves, with its expected answer. */
interface Question {
  readonly path: string
  readonly message: object
  readonly answer: object
}

const query = { message: { query: "{ __typename }" }, answer: { data: { __typename: "Query" } } }

/** The smallest request to the interface that a program serves, by the name of its file. */
export const questionOf = (file: string): Question => {
  if (file.includes("yoga")) return { path: "/graphql", ...query }
  return file.includes("mcp")
    ? {
      path: "/mcp",
      message: { jsonrpc: "2.0", id: 1, method: "ping" },
      answer: { jsonrpc: "2.0", id: 1, result: {} }
    }
    : { path: "/public_graphql", ...query }
}

/** The answer of a program that serves with the token `secret`. */
export const answersOf = async (
  node: string,
  cwd: string,
  file: string,
  { message, path }: Question
): Promise<{ readonly status: number; readonly body: string }> => {
  const port = await freePort()
  const child = spawn(node, [file], {
    cwd,
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const printed: Array<string> = []
  child.stdout.on("data", (text) => printed.push(String(text)))
  child.stderr.on("data", (text) => printed.push(String(text)))
  const ended = once(child, "exit")
  const ask = async (): Promise<Response> =>
    await fetch(`http://localhost:${port}${path}`, {
      method: "POST",
      headers: {
        authorization: "Bearer secret",
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify(message)
    })
  try {
    const until = Date.now() + 30_000
    while (Date.now() < until && child.exitCode === null) {
      // These programs print nothing when they begin to listen.
      const answer = await ask().catch(() => undefined)
      if (answer !== undefined) return { status: answer.status, body: await answer.text() }
      await setTimeout(50)
    }
    throw new Error(`${file} did not answer:\n${printed.join("")}`)
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}
