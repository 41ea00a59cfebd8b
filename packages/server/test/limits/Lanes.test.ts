/** The lanes of a server: what slow bodies of some leave for others. */
import { assert, describe, it } from "vitest"
import { defaultAdmissionConfig } from "../../src/limits/Admission.ts"
import * as WorkLane from "../../src/limits/WorkLane.ts"
import type { Ticket } from "../../src/limits/WorkLane.ts"

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** What became of a request whose body is awaited from its beginning on. */
interface Slow {
  readonly ticket: Ticket
  state: "waiting" | "begun" | "refused"
}

const share = (name: string) => ({ business: name, client: name })

describe("requests whose bodies do not come, of so many businesses or networks", () => {
  for (const lane of ["work", "operator", "tokens", "probes", "anonymous"] as const) {
    for (const attackers of [1, 2, 3, 5, 40, 3000]) {
      // @threat load.14
      it(`leave a place to another in the lane ${lane}, while none of theirs ends: ${attackers}`, async () => {
        const { [lane]: laneEntered } = WorkLane.make({ ...defaultAdmissionConfig, burstMillis: 60_000 })
        const begin = async (name: string): Promise<Slow> => {
          const slow: Slow = {
            ticket: laneEntered.enter(
              share(name),
              () => queueMicrotask(() => pause(slow)),
              () => (slow.state = "refused")
            ),
            state: "waiting"
          }
          // A body that comes with the head is there by then.
          await nextTurn()
          return slow
        }
        const pause = (slow: Slow) => {
          slow.state = "begun"
          slow.ticket.pause(() => (slow.state = "refused"))
        }
        for (let at = 0; at < 3000; at++) await begin(`attacker ${at % attackers}`)
        const { ticket, state } = await begin("another")
        assert.strictEqual(state, "begun")
        let goesOn = false
        ticket.resume(() => (goesOn = true), () => assert.fail("refused"))
        assert.isTrue(goesOn)
        assert.deepInclude(laneEntered.stats, { running: 1, waiting: 0 })
      })
    }
  }
})
