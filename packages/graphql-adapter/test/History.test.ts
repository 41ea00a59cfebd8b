/** The query `pushMessages` (D8.1, D8.2). */
import type { MessageDraft } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { engine } from "./EngineSetup.ts"
import { codes, run } from "./Running.ts"

const draft = (facility: string, n: number, type: MessageDraft["type"] = "PALLET_EVENT"): MessageDraft => ({
  business: "acme",
  facility,
  type,
  payload: { n },
  shipmentId: 1
})

layer(engine({ answerTextLimit: 200 }))("pushMessages", (it) => {
  const history = (input: string) =>
    `{ pushMessages(input: { businessSlug: "acme", ${input} }) { id message } }`
  const all = `since: "1970-01-01T00:00:00Z"`
  const numbers = (data: Record<string, unknown> | null) =>
    (data as { pushMessages: ReadonlyArray<{ message: { n: number } }> } | null)?.pushMessages.map(
      ({ message }) => message.n
    )

  it.effect("filters by facility, type, time and id, ascending, and pages by afterId (D8.1)", () =>
    Effect.gen(function*() {
      const { append } = yield* MessageLog
      const [first] = yield* append([
        draft("east", 1),
        draft("west", 2),
        draft("east", 3, "SHIPMENT_COMPLETE")
      ])
      const id = first!.id
      expect(numbers((yield* run(history(all))).data)).toEqual([1, 2])
      expect(numbers((yield* run(history(`${all}, facilitySlug: "west"`))).data)).toEqual([2])
      expect(numbers((yield* run(history(`${all}, messageTypes: [SHIPMENT_COMPLETE]`))).data)).toEqual([3])
      expect(numbers((yield* run(history(`${all}, messageTypes: null`))).data)).toEqual([1, 2])
      expect(numbers((yield* run(history(`${all}, afterId: ${id}`))).data)).toEqual([2])
      expect(numbers((yield* run(history(`${all}, afterId: 0, limit: 1`))).data)).toEqual([1])
      expect(numbers((yield* run(history(`since: "2999-01-01T01:00:00+01:00"`))).data)).toEqual([])
    }))

  const refusals: ReadonlyArray<readonly [input: string, client: string, code: string]> = [
    [`${all}, limit: 0`, "acme-client", "BAD_USER_INPUT INVALID_REQUEST"],
    [`${all}, messageTypes: []`, "acme-client", "BAD_USER_INPUT INVALID_REQUEST"],
    [all, "tower", "FORBIDDEN FORBIDDEN"],
    [`since: "yesterday"`, "acme-client", "GRAPHQL_VALIDATION_FAILED undefined"],
    ["", "acme-client", "GRAPHQL_VALIDATION_FAILED undefined"]
  ]
  for (const [input, client, code] of refusals) {
    it.effect(`answers {${input}} of ${client} with ${code}`, () =>
      Effect.map(codes(history(input), {}, client), (answers) => expect(answers).toEqual([code])))
  }

  it.effect("is an error, not a cut, when an answer would hold too much text over all its fields", () =>
    Effect.gen(function*() {
      const { append } = yield* MessageLog
      yield* append([{ ...draft("east", 4), payload: { text: "x".repeat(120) } }])
      const one = `pushMessages(input: { businessSlug: "acme", facilitySlug: "east", ${all} }) { id }`
      expect(yield* codes(`{ ${one} }`)).toEqual([])
      expect(yield* codes(`{ ${one} again: ${one} }`)).toEqual(["TOO_MANY_MESSAGES TOO_MANY_MESSAGES"])
      const { errors } = yield* run(`{ ${one} again: ${one} }`)
      expect(errors?.[0]?.message).toMatch(/^The messages hold more text than one answer may/)
      const twice = (selection: string, rest = "") =>
        codes(`{ ${one.replace("{ id }", `{ ${selection} }`)} }${rest}`)
      expect(yield* twice("message")).toEqual([])
      expect(yield* twice("a: message b: message")).toEqual(["TOO_MANY_MESSAGES TOO_MANY_MESSAGES"])
      expect(yield* twice("...F ... { b: message }", " fragment F on PushMessage { a: message }")).toEqual([
        "TOO_MANY_MESSAGES TOO_MANY_MESSAGES"
      ])
      expect(yield* codes(`{ ${one} }`)).toEqual([])
    }))
})
