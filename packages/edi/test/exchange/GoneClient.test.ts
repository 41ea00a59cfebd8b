/** D18.3: if a client goes away before its file has begun, the file ends; a file that has begun is completed. */
import { EdiIntake } from "@dockline/edi/domain/EdiIntake"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { assert, it } from "vitest"
import * as EdiExchange from "../../src/exchange/EdiExchange.ts"
import { fileWith, noticeOf } from "../Files.ts"
import { client, open } from "./World.ts"

it("a file whose client is gone while it waits for its control number is not begun", async () => {
  await using world = await open()
  const [request, go] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const store = Layer.effect(
    EdiStore,
    Effect.map(EdiStore, (store) => ({
      ...store,
      reserve: (partner, arrival) =>
        Deferred.succeed(request, undefined).pipe(
          Effect.andThen(Deferred.await(go)),
          Effect.andThen(store.reserve(partner, arrival))
        )
    }))
  )
  const services = EdiExchange.layer.pipe(
    Layer.provideMerge(store.pipe(Layer.provideMerge(world.dockline.layer)))
  )
  const text = fileWith("856", "SH", noticeOf("S-1", ["L-1"]))
  const exit = await Effect.runPromise(Effect.provide(
    Effect.gen(function*() {
      const intake = yield* EdiIntake
      const fiber = yield* Effect.forkChild(intake.take(text, client))
      yield* Deferred.await(request)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.succeed(go, undefined)
      return yield* Fiber.await(fiber)
    }),
    services
  ))
  assert.isTrue(Exit.hasInterrupts(exit))
  const shipments = await world.dockline.shipments({}, client)
  assert.deepStrictEqual(shipments.ok && shipments.value.items, [])
  // The file has to be sent again.
  const [receipt] = await world.run((exchange) => exchange.takeAsItIs(text, client))
  assert.strictEqual(receipt!.isRepeated, false)
}, 10_000)
