/**
 * `POST /v1/pallet-events`: a pallet that has crossed a dock, as a tower or lift camera reports it (D6.1).
 */
import { keepShown } from "@dockline/core/Keep"
import type { RecordedEvent } from "@dockline/core/Pallet"
import * as PalletEventInput from "@dockline/core/PalletEventInput"
import { Pallets } from "@dockline/core/Pallets"
import { Effect, Result } from "effect"
import type { HttpConfig } from "../HttpConfig.ts"
import * as Write from "./Write.ts"

/** 201 when this request records the event, 200 with the same answer when the event was recorded before. */
export const makeHandler = Effect.fnUntraced(function*(config: HttpConfig) {
  const pallets = yield* Pallets
  const handle = yield* Write.make(config)

  return handle<RecordedEvent>({
    operation: ["POST /v1/pallet-events"],
    parameters: [],
    permissions: ["pallets:write"],
    body: Write.json,
    run: ({ principal, bytes }, keep) =>
      Effect.gen(function*() {
        const event = yield* Write.readJson(bytes, PalletEventInput.read)
        const { business, facility } = event
        const placed = (answer: RecordedEvent) => Result.succeed({ place: { business, facility }, answer })
        return yield* keepShown(keep, placed, (keep) => pallets.record(event, principal, keep))
      }),
    show: ({ answer, repeated }) => ({
      status: repeated ? 200 : 201,
      headers: {},
      rootName: "PalletAnswer",
      value: answer
    })
  })
})
