import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeEach, describe, inject, it } from "vitest"
import { WebSocket } from "ws"
import * as RefusingDatabase from "../support/database/RefusingDatabase.ts"
import { tokenOf } from "../support/DemoToken.ts"
import { eventually } from "../support/Eventually.ts"
import * as ServerProcess from "../support/ServerProcess.ts"

/** The folder of a server that has run and stopped, made once for all tests. */
let original: Promise<string> | undefined

let folder: string
let running: Array<ServerProcess.ServerProcess>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dockline-server-"))
  running = []
})

afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill("SIGKILL")
    await ended
  }
  // A killed server leaves its PostgreSQL running; this stops it by the pid in its file.
  const pid = postmasterPid()
  if (pid !== undefined) await stop(pid)
  rmSync(folder, { recursive: true, force: true })
})

afterAll(async () => {
  if (original !== undefined) rmSync(await original, { recursive: true, force: true })
})

const makeOriginal = async (): Promise<string> => {
  const made = mkdtempSync(join(tmpdir(), "dockline-server-"))
  const server = await ServerProcess.serve({ DATA_DIR: made })
  server.child.kill("SIGTERM")
  assert.strictEqual(await server.ended, 0)
  return made
}

/** Copies the result of an earlier start into the folder, for tests that are not about a first start, which takes much longer. */
const fill = async (directory = folder): Promise<void> => {
  execFileSync("cp", ["-a", join(await (original ??= makeOriginal()), "."), directory])
}

const serve = async (env: Readonly<Record<string, string>> = {}, program?: ReadonlyArray<string>) => {
  const server = await ServerProcess.serve({ DATA_DIR: folder, ...env }, program)
  running.push(server)
  return server
}

const postmasterPid = (): number | undefined => {
  try {
    return Number(readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
  } catch {
    return undefined
  }
}

/** Sends a signal to a process, or none (0); `false` if the process is gone, which may happen at any moment. */
const tell = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const isAlive = (pid: number): boolean => tell(pid, 0)

/** Ends a process that is not our child, so that its end cannot be awaited. */
const stop = async (pid: number): Promise<void> => {
  tell(pid, "SIGINT")
  await eventually(`the end of process ${pid}`, () => !isAlive(pid))
}

const pastedLines = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line.startsWith("TOKEN=") || line.startsWith("curl "))

const document = (orderNumber: string) =>
  JSON.stringify({ business: "acme", facility: "east", direction: "OUTBOUND", orderNumber })

const send = (server: ServerProcess.ServerProcess, token: string, orderNumber: string) =>
  fetch(`${server.baseUrl}/v1/documents`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: document(orderNumber)
  })

describe("npm start", () => {
  it("D12.2 shows demo data and three lines that work when pasted", async () => {
    const server = await serve({ LOG_FORMAT: "pretty" }, ServerProcess.npmStart)
    const lines = pastedLines(server.output())
    assert.strictEqual(lines.length, 3)
    assert.include(server.output(), "DEMO DATA IS ON")
    const answers = execFileSync("bash", ["-ec", lines.join("\necho\n")], { encoding: "utf8" }).trim().split(
      "\n"
    )
    const created = answers.filter((line) => line !== "").map((line) =>
      (JSON.parse(line) as { readonly created: ReadonlyArray<{ readonly reference: string }> }).created.length
    )
    assert.deepStrictEqual(created, [3, 3])
  })

  it("serves from the sources where the server cannot be bundled", async () => {
    const server = await serve({ DEMO: "false" }, ServerProcess.npmStartInProduction)
    assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
  })

  it("a request that arrives while the server starts is answered, whenever that is", async () => {
    const server = await ServerProcess.start({ DATA_DIR: folder })
    running.push(server)
    const statuses = new Set<number>()
    await eventually("the banner", async () => {
      const response = await fetch(`${server.baseUrl}/healthz`).catch(() => undefined)
      if (response !== undefined) statuses.add(response.status)
      return server.output().includes("Dockline serves")
    })
    statuses.add((await fetch(`${server.baseUrl}/healthz`)).status)
    assert.deepStrictEqual(Array.from(statuses), [200])
  })

  it("D12.3 a signal to the whole process group (Ctrl-C) stops it in the same order", async () => {
    await fill()
    const server = await serve()
    const postgres = postmasterPid()!
    process.kill(-server.child.pid!, "SIGINT")
    assert.strictEqual(await server.ended, 0)
    assert.isFalse(isAlive(postgres))
    assert.include(readFileSync(join(folder, "postgres.log"), "utf8"), "database system is shut down")
  })

  it("D12.3 SIGTERM: a request in flight is finished and sockets are told, whatever idle connections there are", async () => {
    await fill()
    const server = await serve()
    const token = await tokenOf(server.baseUrl, "acme-client")
    const port = Number(new URL(server.baseUrl).port)
    const idle = connect(port, "127.0.0.1")
    const socket = connect(port, "127.0.0.1")
    await Promise.all([once(idle, "connect"), once(socket, "connect")])
    const body = document("IN-FLIGHT")
    // The server requests the body only once it handles the request.
    socket.write(
      `POST /v1/documents HTTP/1.1\r\nHost: ${
        new URL(server.baseUrl).host
      }\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
    )
    const [interim] = await once(socket, "data") as [Buffer]
    assert.include(interim.toString(), "100 Continue")
    const following = new WebSocket(
      `${server.baseUrl.replace("http", "ws")}/public_graphql`,
      "graphql-transport-ws"
    )
    await once(following, "open")
    const told = once(following, "close")
    server.child.kill("SIGTERM")
    assert.strictEqual((await told)[0], 1001)
    await refused(port)
    socket.write(body)
    const [answer] = await once(socket, "data") as [Buffer]
    assert.include(answer.toString(), "201 Created")
    assert.match(answer.toString(), /connection: close/i)
    // Neither the connection without a request nor the kept-alive one delays the server.
    assert.strictEqual(await server.ended, 0)
    idle.destroy()
    socket.destroy()
  })

  it("D12.1 a second server on the same folder is refused by name and pid", async () => {
    await fill()
    const first = await serve()
    const second = await ServerProcess.start({ DATA_DIR: folder })
    assert.strictEqual(await second.ended, 1)
    assert.include(second.output(), folder)
    assert.include(second.output(), String(first.child.pid))
  })

  it("D12.1 DATABASE_URL: another PostgreSQL, without demo data unless asked for", async () => {
    const name = new URL(inject("postgresUrl"))
    name.searchParams.set("application_name", "server-test")
    const plain = await serve({ DATABASE_URL: name.href, DEMO: "" })
    assert.notInclude(plain.output(), "DEMO DATA")
    assert.notInclude(plain.output(), name.password)
    assert.strictEqual((await fetch(`${plain.baseUrl}/readyz`)).status, 200)
  })

  // @threat asking.9
  it("DEMO=false disables the demo clients that an earlier start left behind", async () => {
    await fill()
    const first = await serve()
    const token = await tokenOf(first.baseUrl, "acme-client")
    first.child.kill("SIGTERM")
    await first.ended
    const port = new URL(first.baseUrl).port
    const second = await serve({ DEMO: "false", PORT: port })
    assert.strictEqual((await send(second, token, "AFTER-DEMO")).status, 401)
    assert.include(second.output(), "acme-client")
  })
})

describe("npm start on a database that is not there yet", () => {
  it("waits for one that starts up, and says so", async () => {
    await using database = await RefusingDatabase.listen("57P03")
    const server = await ServerProcess.start({ DATABASE_URL: database.url })
    running.push(server)
    while (!server.output().includes("not ready yet: ")) {
      await Promise.race([
        once(server.child.stdout!, "data"),
        server.ended.then(() => assert.fail(server.output()))
      ])
    }
    assert.include(server.output(), "refused with 57P03")
    server.child.kill("SIGKILL")
    await server.ended
  })
})

describe("npm start with settings that are wrong", () => {
  // @threat secrets.5
  it("a database that refuses the password is told at once, with the reason", async () => {
    const url = new URL(inject("postgresUrl"))
    url.password = "hunter2"
    const server = await ServerProcess.start({ DATABASE_URL: url.href })
    assert.strictEqual(await server.ended, 1)
    assert.include(server.output(), "password authentication failed")
    assert.notInclude(server.output(), "hunter2")
  })

  // @threat secrets.5
  it.each([
    [{ DATABASE_URL: "mysql://root:hunter2@localhost/x" }, "DATABASE_URL"],
    [{ LOG_LEVEL: "loud" }, "LOG_LEVEL"]
  ])("%j names the variable and ends with 1", async (env, name) => {
    const server = await ServerProcess.start({ DATA_DIR: folder, ...env })
    assert.strictEqual(await server.ended, 1)
    assert.match(server.output(), new RegExp(`^dockline: .*${name}`))
    assert.notInclude(server.output(), "hunter2")
    assert.notInclude(server.output(), "    at ")
  })

  it("a port that is taken is named", async () => {
    await fill()
    const first = await serve()
    const port = new URL(first.baseUrl).port
    const other = mkdtempSync(join(tmpdir(), "dockline-server-"))
    await fill(other)
    const second = await ServerProcess.start({ DATA_DIR: other, PORT: port })
    assert.strictEqual(await second.ended, 1)
    assert.include(second.output(), `address already in use 127.0.0.1:${port}`)
    rmSync(other, { recursive: true, force: true })
  })
})

/** Resolves once the port accepts no more connections. */
const refused = (port: number): Promise<boolean> =>
  eventually(`port ${port} to take no connections`, async () => {
    const socket = connect(port, "127.0.0.1")
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(false))
      socket.once("error", () => resolve(true))
    })
    socket.destroy()
    return isRefused
  })
