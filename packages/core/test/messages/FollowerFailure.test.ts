import * as Memory from "@dockline/core/memory/Memory"
import type { FollowError } from "@dockline/core/messages/Follower"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { aBusiness, aDraft, everythingOf } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { eventually } from "../../../../test/support/Eventually.ts"

layer(Memory.layer, { excludeTestServices: true })("a follower that takes nothing (D8.7)", (it) => {
  it.effect("tells of its failure at once, without being asked, and to whoever comes later", () =>
    Effect.gen(function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const follower = yield* log.follow(everythingOf(business), { afterId: undefined, buffer: 2 })
      const failure = yield* Deferred.make<FollowError>()
      follower.onFailure((error) => Deferred.doneUnsafe(failure, Effect.succeed(error)))
      yield* log.append([aDraft(business, 1), aDraft(business, 2)])
      yield* Effect.promise(() => eventually("messages for the follower", () => follower.takeNow()))
      assert.isFalse(yield* Deferred.isDone(failure))
      yield* log.append([aDraft(business, 3), aDraft(business, 4), aDraft(business, 5)])
      assert.strictEqual((yield* Deferred.await(failure))._tag, "ConsumerTooSlow")
      let later: FollowError | undefined
      follower.onFailure((error) => (later = error))
      assert.strictEqual(later?._tag, "ConsumerTooSlow")
      assert.isUndefined(follower.takeNow())
    }))
})
