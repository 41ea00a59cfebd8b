/** Room for answers that suites give and measure (D12.3). */
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import { Overloaded } from "@dockline/core/values/RequestErrors"
import { Effect } from "effect"

/** Room that tells what is asked of it, and gives at most so much. */
export const aRoom = (most: number) => {
  const room = { asked: 0 }
  const takes = (characters: number) => (room.asked += characters) <= most
  return {
    room,
    /** Gives the room to an effect. */
    within: Effect.provideService(AnswerRoom, {
      take: (characters) =>
        takes(characters) ? Effect.void : Effect.fail(new Overloaded({ retryAfterSeconds: 1 })),
      takeNow: takes
    })
  }
}
