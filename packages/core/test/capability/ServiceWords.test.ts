/** D20.1: the words to which capabilities add are in every declaration that takes or shows them. */
import { Effect, Layer, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { loosen } from "../../src/access/OpenWords.ts"
import { eachMessage, IncidentSources } from "../../src/capability/Capability.ts"
import {
  declaredOfOperators,
  declaredOperations,
  kindsOf,
  layer,
  operatorPartsOf,
  outboxesOf,
  wordsOf
} from "../../src/capability/DeclaredOperations.ts"
import { operations } from "../../src/operations/Operations.ts"
import { operatorOperations, operatorOperationsOf } from "../../src/operator/OperatorOperations.ts"
import { webhookPath } from "../../src/values/Vocabulary.ts"
import { messageKinds } from "../../src/webhooks/MessageKinds.ts"
import { defaultSchemes } from "../../src/webhooks/WebhookEndpoint.ts"

const photos = {
  messages: { PHOTO_TAKEN: { ...messageKinds.SHIPMENT_ARRIVED, name: "PhotoMessage", example: {} } },
  outbox: {
    PRINT: {
      path: "/api/prints",
      mediaType: "image/png",
      name: "Print",
      title: "Print of a photo",
      about: "what is to be printed",
      when: "A photo was taken.",
      content: "The text is the photo in base64.",
      example: "",
      aboutNothing: () => ""
    }
  },
  audit: ["PHOTOS_DROPPED"],
  incidents: {
    PHOTO_BLURRED: {
      about: "a photo that shows nothing",
      source: Effect.succeed(eachMessage(["PHOTO_TAKEN"], () => undefined))
    }
  }
}

const words = wordsOf([photos])

const textOf = (declaration: object): string =>
  JSON.stringify(
    declaration,
    (_, value: unknown) => Schema.isSchema(value) ? Schema.toJsonSchemaDocument(value as never) : value
  )

describe("the words of a service", () => {
  it("have those of the contract, and those of its capabilities", () => {
    assert.deepStrictEqual(words.messageTypes.slice(-1), ["PHOTO_TAKEN"])
    assert.include(words.webhookTypes, "PHOTO_TAKEN")
    assert.include(words.webhookTypes, "PRINT")
    assert.notInclude(words.messageTypes, "PRINT")
    assert.deepStrictEqual(words.outboxes, { PRINT: "what is to be printed" })
    assert.deepStrictEqual(outboxesOf([photos, {}]), photos.outbox)
    assert.include(words.auditActions, "PHOTOS_DROPPED")
    assert.strictEqual(kindsOf([photos])["PHOTO_TAKEN"]?.name, "PhotoMessage")
    assert.deepStrictEqual(kindsOf([]), messageKinds)
    assert.deepStrictEqual(words.incidents, { PHOTO_BLURRED: "a photo that shows nothing" })
  })

  it("are in the declarations that take or show them, and in no other", () => {
    const { messages } = declaredOperations([{ ...photos, operations: {} } as never])
    assert.strictEqual(textOf(messages!).split("PHOTO_TAKEN").length, 3)
    assert.notInclude(textOf(messages!), "PRINT")
    const adding = operatorOperationsOf(defaultSchemes, words)
    for (const type of ["PHOTO_TAKEN", "PRINT"]) {
      const names = Object.entries(adding).filter(([, each]) => textOf(each).includes(type))
      assert.deepStrictEqual(names.map(([name]) => name).sort(), [
        "createWebhookEndpoint",
        "getDelivery",
        "getMessage",
        "getWebhookEndpoint",
        "listDeliveries",
        "listWebhookEndpoints",
        "testWebhookEndpoint",
        "updateWebhookEndpoint"
      ])
    }
    assert.include(textOf(adding.updateWebhookEndpoint), "; PRINT for what is to be printed")
    assert.include(textOf(adding.listAudit), "PHOTOS_DROPPED")
  })

  it("leave declarations as they are where no capability adds any", () => {
    assert.strictEqual(declaredOperations([])["messages"], operations.messages)
    assert.notInclude(textOf(Object.values(operatorOperations)), "PHOTO")
  })

  it("are taken by the readers of operators", () => {
    const reads = (types: ReadonlyArray<string>, own = words) =>
      operatorOperationsOf(defaultSchemes, own).updateWebhookEndpoint.read!({ messageTypes: types })._tag
    assert.strictEqual(reads(["PHOTO_TAKEN", "PRINT"]), "Success")
    assert.strictEqual(reads(["PHOTO_TAKEN"], wordsOf([])), "Failure")
  })
})

describe("incidents", () => {
  it("are found by what capabilities make for it, over their ports", async () => {
    const capability = { ...photos, operations: {}, memory: Layer.empty } as never
    const sources = await Effect.runPromise(
      Effect.provide(Effect.map(IncidentSources, (all) => all), layer([capability]))
    )
    assert.deepStrictEqual(Array.from(sources.keys()), ["PHOTO_BLURRED"])
    assert.strictEqual((await Effect.runPromise(Effect.map(IncidentSources, (all) => all))).size, 0)
  })

  it("are words of the operations of operators that take them", () => {
    const { about } = photos.incidents.PHOTO_BLURRED
    const part = {
      operations: { setRule: { kinds: {} } },
      withWords: ({ incidents }: typeof words) => ({ setRule: { kinds: incidents } })
    }
    const list = [{ operators: part }, photos] as never
    assert.deepStrictEqual(
      declaredOfOperators(list),
      { setRule: { kinds: { PHOTO_BLURRED: about } } } as never
    )
    assert.deepStrictEqual(
      operatorPartsOf([{ operators: { operations: {} } }] as never).map(({ operations }) => operations),
      [{}]
    )
  })
})

describe("the path of a type of messages", () => {
  it("is that of its name", () => {
    assert.deepStrictEqual(["PALLET_EVENT", "PHOTO_TAKEN"].map(webhookPath), [
      "/api/palletEvent",
      "/api/photoTaken"
    ])
  })

  it("are read as they come by those who know not which capabilities a service has", () => {
    const operationsWithTypes = [operations.messages, ...Object.values(operatorOperations)]
    const views = operationsWithTypes.map((each) => "row" in each ? each.row : each.view)
    const contractTypes = /PALLET_EVENT|BUSINESS_CREATED|payloadProfile/
    const closed = views.filter((view) => contractTypes.test(textOf({ view })))
    assert.isAtLeast(closed.length, 5)
    for (const view of closed) {
      assert.notMatch(textOf({ view: loosen(view) }), /PALLET_EVENT|BUSINESS_CREATED|"enum":\["dockline/)
    }
  })
})
