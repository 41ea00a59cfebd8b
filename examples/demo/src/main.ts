/**
 * The demo: `npm run demo` starts the bundled server on an embedded database in a temporary folder, takes in an order,
 * moves its pallets over a dock, follows them as a customer and takes them by webhook, and completes the shipment. Then
 * freight comes and goes, for the board of the dashboard, until it is interrupted; with `--once` it ends before that.
 *
 * It exits with 0 when all went as it should, else with 1 and the reason; neither a process nor a file is left behind,
 * also when it is interrupted.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as StartMessages from "@dockline/server/lifecycle/StartMessages"
import * as Server from "@dockline/server/Server"
import { settings } from "@dockline/server/settings/Settings"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, ConfigProvider, Console, Effect, Exit, Layer } from "effect"
import { randomBytes, randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Board from "./Board.ts"
import * as Screen from "./Screen.ts"
import { textOf } from "./Site.ts"
import * as Story from "./Story.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "dockline-demo-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** Below the ports that systems give to outgoing connections: the server opens some before it listens. */
const freePort = Effect.promise(async () => {
  for (;;) {
    const port = randomInt(31_000, 32_768)
    const server = createServer().listen(port, "127.0.0.1")
    const isFree = await once(server, "listening").then(() => true, () => false)
    if (!isFree) continue
    server.close()
    await once(server, "close")
    return port
  }
})

/** The bundled server with settings of the demo's own, whatever the environment holds, and without its banner. */
const serve = Effect.fnUntraced(function*(directory: string, port: number) {
  const values = yield* settings.parse(ConfigProvider.fromUnknown({
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: directory,
    DEMO: "true",
    LOG_LEVEL: "Error",
    // The customer's endpoints are on this machine; its password is stored under a key of this run.
    OUTBOUND_ALLOW: "127.0.0.0/8,::1/128",
    SECRETS_KEY: randomBytes(32).toString("base64")
  }))
  // The demo tells a story of its own.
  yield* Layer.build(Server.layer({ ...values, freight: false })).pipe(
    Effect.provideService(Console.Console, { ...globalThis.console, log: () => {} })
  )
  return values.baseUrl
})

/** Aborted when the scope closes, before the server goes: the customer would wait for it to come back. */
const aborted = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  ),
  ({ signal }) => signal
)

const program = Effect.gen(function*() {
  const begun = performance.now()
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(1)
  const screen = Screen.make((line) => console.log(line), process.stdout.isTTY)
  const directory = yield* folder
  const baseUrl = yield* serve(join(directory, "data"), yield* freePort)
  screen.step("start", `PostgreSQL in ${directory}`, `${baseUrl} after ${seconds()} s`)
  const story = yield* aborted
  yield* Effect.tryPromise({
    try: () => Story.tell(screen, { baseUrl, booksFile: join(directory, "customer.sqlite") }, story),
    catch: (error) => new Error(textOf(error))
  })
  screen.end(`Done in ${seconds()} s. Next: npm start, and npm run customer beside it.`)
  if (process.argv.includes("--once")) return
  screen.lines(
    `Freight goes on moving:\nopen ${Board.addressOf(baseUrl)}\n`
      + "and press the button of acme-client. Ctrl-C ends the demo."
  )
  isTold = true
  yield* Effect.tryPromise({
    try: () => Board.move(baseUrl, story),
    catch: (error) => new Error(textOf(error))
  })
})

/** Whether everything but the board has ended as it should: only people end the board. */
let isTold = false

program.pipe(
  Effect.scoped,
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Console.error(`demo: ${StartMessages.reasonOf(Cause.squash(cause))}`)
  ),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) ? 0 : Cause.hasInterruptsOnly(exit.cause) ? isTold ? 0 : 130 : 1)
  })
)
