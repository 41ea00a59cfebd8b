/** A service in memory with partners, and its clients. */
import type { Principal } from "@dockline/core/Access"
import * as Dockline from "@dockline/core/Dockline"
import * as Memory from "@dockline/core/Memory"
import { Effect, Layer } from "effect"
import { EdiExchange } from "../../src/exchange/EdiExchange.ts"
import type { Partner } from "../../src/exchange/Partner.ts"
import type { Sending } from "../../src/exchange/Taken.ts"

/** The partner of the files of these tests. */
export const supplier: Partner = {
  business: "acme",
  facility: "east",
  theirs: { qualifier: "ZZ", id: "SENDER", group: "SENDER" },
  ours: { qualifier: "01", id: "123456789", group: "123456789" },
  release: "004010",
  usage: "P",
  takes: ["856", "940"],
  tells: ["856", "945", "944"]
}

/** A client of acme that may do everything there. */
export const client: Principal = {
  clientId: "edi",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "pallets:write", "shipments:write"]
  }]
}

/** The control numbers of what is sent. */
export const sending: Sending = { interchange: 41, group: 51, date: "20261120", time: "170500" }

/** A service in memory, with the exchange of its partners. */
export const open = async (partners: ReadonlyArray<Partner> = [supplier]) => {
  const dockline = await Dockline.open({ storage: Memory.layer })
  await dockline.places([
    {
      slug: "acme",
      name: "Acme",
      facilities: [{ slug: "east", name: "East Hub", docks: ["D1"], timeZone: "America/New_York" }]
    }
  ])
  const services = EdiExchange.layer(partners).pipe(Layer.provide(dockline.layer))
  return {
    dockline,
    run: <A, E>(work: (exchange: EdiExchange["Service"]) => Effect.Effect<A, E>): Promise<A> =>
      Effect.runPromise(Effect.provide(Effect.flatMap(EdiExchange, work), services)),
    [Symbol.asyncDispose]: () => dockline.close()
  }
}
