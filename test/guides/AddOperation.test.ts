/** The instructions of CONTRIBUTING.md for adding an operation, carried out in a copy: afterwards every interface has it. */
import { Effect, Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, it } from "vitest"
import { freePort } from "../support/ProgramSettings.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { copyProject } from "./Copy.ts"
import { root } from "./Project.ts"

interface Change {
  readonly file: string
  readonly lines: ReadonlyArray<string>
}

/** The changes of a page: each block names its file, and shows existing lines beside new ones. */
const changesOf = (page: string): ReadonlyArray<Change> =>
  Array.from(page.matchAll(/^```diff (\S+)\n(.*?)^```$/gms), ([, file, text]) => ({
    file: file!,
    lines: text!.split("\n").slice(0, -1)
  }))

/** Makes a change at the only place where its existing lines are. */
const changed = (text: string, { file, lines }: Change): string => {
  const plain = (line: string) => line.slice(1)
  const before = lines.filter((line) => !line.startsWith("+")).map(plain).join("\n")
  const after = lines.map(plain).join("\n")
  const parts = text.split(`\n${before}\n`)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${before}`)
  return parts.join(`\n${after}\n`)
}

const node = (...args: ReadonlyArray<string>) => ["--conditions=@dockline/source", ...args]

const carryOut = (copy: string, changes: ReadonlyArray<Change>): void => {
  for (const change of changes) {
    const path = join(copy, change.file)
    writeFileSync(path, changed(readFileSync(path, "utf8"), change))
  }
}

const changes = changesOf(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"))

it("is told by the compiler what a named operation still needs", async () => {
  const copy = copyProject()
  carryOut(copy, changes.filter(({ file }) => /ShipmentOperations|operations.Operations/.test(file)))
  const options = { noEmit: true, composite: false, incremental: false, lib: ["ES2024", "DOM"] }
  const include = [
    ...["core", "http-adapter", "graphql-adapter", "client", "cli"].map((name) => `packages/${name}/src`),
    "packages/http-adapter/test/openapi/ExampleAnswers.test.ts",
    "test/security/tenants/Asked.ts",
    "test/support/PostgresServer.ts"
  ]
  writeFileSync(
    join(copy, "tsconfig.json"),
    JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions: options, include })
  )
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const refused = await promisify(execFile)(process.execPath, [tsc, "-p", copy], { cwd: copy }).then(
    () => assert.fail("the compiler has nothing to say"),
    (error: { readonly stdout: string }) => error.stdout
  )
  const named = new Set(Array.from(refused.matchAll(/^(\S+?)\(\d+,\d+\): error/gm), ([, file]) => file))
  const asked = changes.map(({ file }) => file).filter((file) =>
    /Handlers|Declared|ExampleAnswers|Asked/.test(file)
  )
  assert.includeMembers(Array.from(named), asked, refused)
})

it("adds an operation to every interface, as CONTRIBUTING.md says", () =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const copy = copyProject()
    assert.isAtMost(new Set(changes.map(({ file }) => file)).size, 7)
    carryOut(copy, changes)

    const { url } = yield* TestDatabase.createMigrated
    const port = yield* Effect.promise(freePort)
    const base = `http://127.0.0.1:${port}`
    const settings = {
      PATH: process.env["PATH"] ?? "",
      HOME: copy,
      DATABASE_URL: Redacted.value(url),
      PORT: String(port),
      BASE_URL: base,
      DEMO: "true",
      LOG_LEVEL: "None"
    }
    const server = spawn(process.execPath, node("packages/server/src/main.ts"), { cwd: copy, env: settings })
    let said = ""
    server.stderr.on("data", (text) => said += String(text))
    yield* Effect.addFinalizer(() => Effect.sync(() => server.kill("SIGKILL")))
    const ready = Effect.tryPromise(async () => assert.isTrue((await fetch(`${base}/readyz`)).ok))
    yield* Effect.eventually(
      Effect.tap(Effect.exit(ready), () => {
        if (server.exitCode !== null) throw new Error(said)
        return Effect.sleep("100 millis")
      }).pipe(Effect.flatten)
    )

    const asked = yield* Effect.promise(() => askEverywhere(copy, base))
    const progress = { expectedPallets: 2, passedPallets: 0, missingPallets: 2, unexpectedPallets: 0 }
    assert.deepStrictEqual(asked, {
      rest: progress,
      graphql: progress,
      mcp: progress,
      client: progress,
      command: progress
    })
  }))))

/** The answer of each interface about a shipment with two pallets. */
const askEverywhere = async (copy: string, base: string) => {
  const clientSecret = { client_id: "acme-client", client_secret: "acme-client-secret" }
  const send = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(base + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers
      },
      body: JSON.stringify(body)
    })
    return await response.json() as never
  }
  const { access_token: token }: { readonly access_token: string } = await send("/oauth/token", {
    ...clientSecret,
    audience: `${base}/public_graphql`,
    grant_type: "client_credentials"
  })
  const authorization = `Bearer ${token}`
  const { shipment: { id } }: { readonly shipment: { readonly id: number } } = await send("/v1/documents", {
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber: "PROGRESS-1",
    items: ["P-1", "P-2"].map((lpn) => ({ lpn, sku: "SKU", quantity: 1, quantityUnit: "CASE" }))
  }, { authorization })
  const run = async (...args: ReadonlyArray<string>): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, node(...args), {
      cwd: copy,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: copy,
        DOCKLINE_URL: base,
        DOCKLINE_CLIENT_ID: clientSecret.client_id,
        DOCKLINE_CLIENT_SECRET: clientSecret.client_secret
      }
    })
    return JSON.parse(stdout)
  }
  const rest = await (await fetch(`${base}/v1/shipments/${id}/progress`, { headers: { authorization } }))
    .json()
  const fields = "expectedPallets passedPallets missingPallets unexpectedPallets"
  const graphql: { readonly data?: { readonly progress: unknown } } = await send(
    "/public_graphql",
    { query: `{ progress(id: ${id}) { ${fields} } }` },
    { authorization }
  )
  const mcp: { readonly result?: { readonly structuredContent: unknown } } = await send("/mcp", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "getProgress", arguments: { id: String(id) } }
  }, { authorization })
  writeFileSync(
    join(copy, "packages/client/call.ts"),
    `import * as Client from "@dockline/client"
     const [url, clientId, clientSecret, id] = process.argv.slice(2)
     const dockline = Client.make({ url: url!, clientId: clientId!, clientSecret: clientSecret! })
     console.log(JSON.stringify(await dockline.progress(id!)))
     dockline.close()`
  )
  return {
    rest,
    graphql: graphql.data?.progress ?? graphql,
    mcp: mcp.result?.structuredContent ?? mcp,
    client: await run("packages/client/call.ts", base, ...Object.values(clientSecret), String(id)),
    command: await run("packages/cli/src/main.ts", "shipment", "progress", String(id), "--json")
  }
}
