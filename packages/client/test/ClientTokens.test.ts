/** Tokens of a real service: asked for once, renewed in time, and after a 401 once. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import * as Service from "./Service.ts"
import { overloaded, refusal } from "./Service.ts"

let service: Service.Service

beforeEach(async () => {
  service = await Service.start()
})

afterEach(async () => {
  vi.useRealTimers()
  await service.stop()
})

const isToken = ({ path }: Service.Call): boolean => path === "/oauth/token"

/** Which requests have come: tokens, and what took one. */
const kinds = (): ReadonlyArray<string> =>
  service.calls.splice(0).map((call) => (isToken(call) ? "token" : "read"))

/** The clock of the client and of the service. */
const clock = (): (seconds: number) => void => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const began = Date.now()
  return (seconds) => void vi.setSystemTime(began + seconds * 1000)
}

describe("tokens", () => {
  it("are asked for once, however many calls wait, and kept", async () => {
    const client = service.client()
    await Promise.all([client.shipments(), client.orders(), client.documents()])
    await client.shipments()
    assert.deepStrictEqual(kinds(), ["token", "read", "read", "read", "read"])
    assert.match(await client.token(), /^[\w-]+\.[\w-]+\.[\w-]+$/)
    assert.deepStrictEqual(kinds(), [])
  })

  it("D10.1 are renewed a minute before they expire, without a refusal", async () => {
    const at = clock()
    const client = service.client()
    await client.shipments()
    at(86_400 - 61)
    await client.shipments()
    assert.deepStrictEqual(kinds(), ["token", "read", "read"])
    at(86_400 - 59)
    await client.shipments()
    assert.deepStrictEqual(kinds(), ["token", "read"])
  })

  it("of a short life are renewed at four fifths of it", async () => {
    await service.stop()
    service = await Service.start({ tokens: { lifetimeSeconds: 10 } })
    const at = clock()
    const client = service.client()
    for (const seconds of [0, 7, 9]) {
      at(seconds)
      await client.shipments()
    }
    assert.deepStrictEqual(kinds(), ["token", "read", "read", "token", "read"])
  })

  it("are renewed once after a 401, and the call is made again", async () => {
    const client = service.client()
    await client.shipments()
    let spoilt = 0
    service.fault = (call) => !isToken(call) && spoilt++ < 3 ? { authorization: "Bearer spoilt" } : undefined
    await Promise.all([client.shipments(), client.shipments(), client.shipments()])
    assert.strictEqual(kinds().filter((kind) => kind === "token").length, 2)
  })

  it("that are new stay, when the refusal of an old one comes late", async () => {
    const client = service.client()
    await client.shipments()
    const spoilt = { authorization: "Bearer spoilt" }
    const queue: Array<() => Service.Fault | Promise<Service.Fault>> = [
      () => spoilt,
      () => first.then(() => spoilt)
    ]
    service.fault = (call) => (isToken(call) ? undefined : queue.shift()?.())
    const first = client.shipments()
    const second = client.shipments()
    await Promise.all([first, second])
    assert.strictEqual(kinds().filter((kind) => kind === "token").length, 2)
  })

  it("that are refused twice are an error", async () => {
    service.fault = (call) => (isToken(call) ? undefined : { authorization: "Bearer spoilt" })
    const error = await refusal(service.client().shipments())
    assert.deepStrictEqual([error.status, error.code], [401, "UNAUTHENTICATED"])
    assert.deepStrictEqual(kinds(), ["token", "read", "token", "read"])
  })

  it("can be handed in, or made by a function, which is asked again after a 401", async () => {
    const token = await service.client().token()
    kinds()
    const options = { clientId: undefined, clientSecret: undefined }
    await service.client({ ...options, token }).shipments()
    const queue = ["spoilt", token]
    await service.client({ ...options, token: () => Promise.resolve(queue.shift()!) }).shipments()
    assert.deepStrictEqual(kinds(), ["read", "read", "read"])
    const error = await refusal(service.client({ ...options, token: "spoilt" }).shipments())
    assert.strictEqual(error.code, "UNAUTHENTICATED")
    assert.deepStrictEqual(kinds(), ["read"])
  })

  it("are waited for while the service is busy", async () => {
    let isBusy = true
    service.fault = () => {
      if (!isBusy) return undefined
      isBusy = false
      return overloaded(503, "0")
    }
    await service.client().shipments()
    assert.deepStrictEqual(kinds(), ["token", "token", "read"])
  })

  it("are refused to a wrong secret, and for another audience, in words", async () => {
    const secret = await refusal(service.client({ clientSecret: "guessed" }).shipments())
    assert.deepStrictEqual([secret.status, secret.code], [401, "INVALID_CLIENT"])
    assert.include(secret.message, "invalid_client")
    assert.include(secret.remedy, "clientSecret")
    assert.notStrictEqual(secret.correlationId, "")
    const audience = await refusal(service.client({ audience: "https://other.example" }).shipments())
    assert.deepStrictEqual([audience.status, audience.code], [400, "TOKEN_REFUSED"])
    assert.include(audience.message, "invalid_target")
  })
})
