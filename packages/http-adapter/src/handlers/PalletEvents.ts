/**
 * `POST /v1/pallet-events`: a pallet that has crossed a dock, as a tower or lift camera reports it (D6.1).
 */
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import { Pallets } from "@dockline/core/Pallets"
import { Effect } from "effect"
import * as Answer from "../answer/Answer.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as Write from "./Write.ts"

/** 201 when this request records the event, 200 with the same answer when the event was recorded before. */
export const makeHandler = Effect.fnUntraced(function*(config: HttpConfig) {
  const pallets = yield* Pallets
  const handle = yield* Write.make(config)

  return handle({
    operation: ["POST /v1/pallet-events"],
    parameters: [],
    permissions: ["pallets:write"],
    body: Write.json,
    run: ({ principal, bytes, responseType }) =>
      Effect.gen(function*() {
        const event = yield* Write.readJson(bytes, PalletEventInput.read)
        const { answer, repeated } = yield* pallets.record(event, principal)
        return {
          status: repeated ? 200 : 201,
          headers: { vary: "accept" },
          ...yield* Answer.encode("PalletAnswer", answer, responseType),
          place: { business: event.business, facility: event.facility }
        }
      })
  })
})
