/**
 * The database goes away while an instance gets its placement of webhooks: the instance continues to serve, and delivers once the database
 * is back.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { anEndpoint, aShipment, palletEvent, signIn } from "../observability/Instances.ts"
import * as DatabaseWay from "../support/database/DatabaseWay.ts"
import { eventually } from "../support/Eventually.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { WebhookCustomer } from "./WebhookCustomer.ts"

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

for (const [title, isServing] of [["serves already", true], ["is still starting", false]] as const) {
  it.live(
    `D12.3 an instance that ${title} outlives its database going away as it gets its placement`,
    () =>
      Effect.gen(function*() {
        const { url } = yield* TestDatabase.create
        // The first statement of the placement does not arrive.
        const reached = Promise.withResolvers<void>()
        let hasReached = false
        const way = yield* DatabaseWay.make(new URL(Redacted.value(url)), (sent) => {
          if (hasReached || !sent.includes("placement_runners")) return false
          hasReached = true
          reached.resolve()
          return true
        })
        const customer = yield* Effect.acquireRelease(
          Effect.promise(() => WebhookCustomer.open()),
          (opened) => Effect.sync(() => opened.close())
        )
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
          await Promise.race([reached.promise, server.ended.then(() => assert.fail(server.output()))])
          if (isServing) await untilAlive(server)
          await Effect.runPromise(way.cut)
          await written(server, "The database is not ready yet: ")
          if (isServing) assert.isTrue(await isAlive(server))
          await Effect.runPromise(way.restore)
          // It gets no requests meanwhile, and recovers by itself.
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
