/**
 * The database goes away while an instance gets its placement of webhooks: the instance serves on, and delivers once the
 * database is back.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { anEndpoint, aShipment, palletEvent, signIn } from "../observability/Instances.ts"
import { eventually } from "../support/Eventually.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { WebhookCustomer } from "./WebhookCustomer.ts"

/** A way to the database that stops at the first statement of the placement. */
const openWay = async (target: URL) => {
  const sockets = new Set<Socket>()
  let state: "open" | "held" | "cut" = "open"
  let hasStopped = false
  const reached = Promise.withResolvers<void>()
  const server = createServer((near) => {
    if (state === "cut") {
      near.resetAndDestroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    far.pipe(near)
    near.on("data", (chunk: Buffer) => {
      if (!hasStopped && chunk.includes("placement_runners")) {
        hasStopped = true
        state = "held"
        reached.resolve()
        return
      }
      far.write(chunk)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(target)
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    state = "cut"
    sockets.forEach((socket) => socket.resetAndDestroy())
  }
  return {
    url,
    /** Until a statement of the placement is held back. */
    reached: reached.promise,
    cut,
    restore: () => {
      state = "open"
    },
    close: () => {
      cut()
      server.close()
    }
  }
}

/** Waits until the server has written a text. */
const written = async ({ child, ended, output }: ServerProcess.ServerProcess, text: string) => {
  while (!output().includes(text)) {
    const end = await Promise.race([once(child.stdout!, "data"), ended])
    assert.isArray(end, `the server ended: ${output()}`)
  }
}

const isAlive = ({ baseUrl }: ServerProcess.ServerProcess): Promise<boolean> =>
  fetch(`${baseUrl}/healthz`).then(({ ok }) => ok, () => false)

/** Waits until the server answers its probe. */
const untilAlive = async (server: ServerProcess.ServerProcess): Promise<void> => {
  await eventually("the server to be alive", () => isAlive(server))
}

const closing = <A extends { readonly close: () => void }>(open: () => Promise<A>) =>
  Effect.acquireRelease(Effect.promise(open), (opened) => Effect.sync(() => opened.close()))

for (const [title, isServing] of [["serves already", true], ["is still starting", false]] as const) {
  it.live(
    `D12.3 an instance that ${title} outlives its database going away as it gets its placement`,
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestDatabase.create
        const way = yield* closing(() => openWay(new URL(Redacted.value(url))))
        const customer = yield* closing(() => WebhookCustomer.open())
        const server = yield* Effect.acquireRelease(
          Effect.promise(() =>
            ServerProcess.start({
              DATABASE_URL: way.url.href,
              BASE_URL: "http://service.test",
              DEMO: "true",
              OUTBOUND_ALLOW: "127.0.0.0/8",
              SECRETS_KEY: Buffer.alloc(32, 1).toString("base64")
            })
          ),
          ({ child, ended }) =>
            Effect.promise(async () => {
              child.kill("SIGKILL")
              await ended
            })
        )
        yield* Effect.promise(async () => {
          await Promise.race([way.reached, server.ended.then(() => assert.fail(server.output()))])
          if (isServing) await untilAlive(server)
          way.cut()
          await written(server, "The database is not ready yet: ")
          if (isServing) assert.isTrue(await isAlive(server))
          way.restore()
          // Nobody asks it for anything meanwhile: it gets well by itself.
          await written(server, "Dockline serves ")

          await anEndpoint(await signIn(server, "operator"), customer.baseUrl)
          const shipmentId = await aShipment(await signIn(server, "acme-client"))
          const { status } = await (await signIn(server, "tower"))(
            "/v1/pallet-events",
            palletEvent(shipmentId)
          )
          assert.strictEqual(status, 201)
          await customer.until(() => customer.received.length > 0)
        })
      }),
    60_000
  )
}
