/**
 * Reads the pages of a long answer after the first, such as the pages of a whole list in CSV (D13).
 *
 * Guarantee: each page counts as a request of its client (D10.5) and takes its turn among the requests. At most `pagesAtOnce` pages of a
 * client are read at once, however many answers it has in progress. If a client has used up its window, its answer waits for the next
 * window: the answer becomes slower, but does not break off.
 */
import type { Principal } from "@dockline/core/access/Access"
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import type { OpenRoom, RequestLimits, TakeOn } from "@dockline/core/access/RequestLimits"
import { Effect, Semaphore } from "effect"
import type { FurtherPages } from "../api/Authorization.ts"

/** The most pages that are read at once for one client. */
const pagesAtOnce = 2

/** Makes the function that gives each client its reader of further pages. */
export const make = (
  limits: RequestLimits["Service"],
  takeOn: TakeOn,
  openRoom: OpenRoom
): (principal: Principal) => FurtherPages["Service"] => {
  const turns = new Map<string, { readonly permits: Semaphore.Semaphore; users: number }>()

  const inTurn = <A, E, R>(clientId: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const turn = turns.get(clientId) ?? { permits: Semaphore.makeUnsafe(pagesAtOnce), users: 0 }
      turn.users++
      turns.set(clientId, turn)
      return turn.permits.withPermit(effect).pipe(
        Effect.ensuring(Effect.sync(() => --turn.users === 0 && turns.delete(clientId)))
      )
    })

  /** Counts a request; if the client has used up its window, waits for the window to end. */
  const countPage = (clientId: string): Effect.Effect<void> =>
    Effect.catch(
      Effect.asVoid(limits.take(clientId)),
      ({ retryAfterSeconds }) => Effect.andThen(Effect.sleep(retryAfterSeconds * 1000), countPage(clientId))
    )

  return (principal: Principal): FurtherPages["Service"] => ({
    read: (page) =>
      Effect.suspend(() => {
        const { clientId } = principal
        const { release, room } = openRoom(principal)
        const roomy = Effect.ensuring(Effect.provideService(page, AnswerRoom, room), Effect.sync(release))
        return Effect.andThen(countPage(clientId), inTurn(clientId, takeOn(principal, roomy)))
      })
  })
}
