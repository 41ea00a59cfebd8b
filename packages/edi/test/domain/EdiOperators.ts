/** The permission to operate partners and files of EDI, and the precondition by version, for every storage (D11). */
import type { Principal } from "@dockline/core/access/Access"
import { addRejected } from "@dockline/edi/suites/EdiWorld"
import { aBusiness, aSlug, nowhere, whole } from "@dockline/testing/worlds/OperatorWorld"
import { Effect } from "effect"
import { preconditionsOf } from "../../../core/test/operator/OperatorPreconditions.ts"
import type { VersionedKinds } from "../../../core/test/operator/OperatorPreconditions.ts"
import { reachOf } from "../../../core/test/operator/OperatorReach.ts"
import type { Kind } from "../../../core/test/operator/OperatorReach.ts"
import { suiteOf } from "../../../core/test/operator/OperatorServices.ts"
import { ediPartnerState } from "../../src/domain/EdiPartnerOperations.ts"
import { EdiPartners } from "../../src/domain/EdiPartners.ts"
import { EdiStore } from "../../src/domain/EdiStore.ts"

type Handlers = typeof EdiPartners.Service

type Answer<Name extends keyof Handlers> = ReturnType<Handlers[Name]>

/** Calls an operation on behalf of an operator of the whole service, or of another principal. */
const ask = <Name extends keyof Handlers>(
  name: Name,
  input: Parameters<Handlers[Name]>[0],
  principal: Principal = whole
) =>
  EdiPartners.use((all): Effect.Effect<Effect.Success<Answer<Name>>, Effect.Error<Answer<Name>>> => {
    // The compiler does not see that the handler of a name accepts the input of that name, and returns its output.
    const handler = all[name] as (...inputs: ReadonlyArray<unknown>) => never
    return handler(input, principal)
  }).pipe(Effect.provide(EdiPartners.layer))

const long = "x".repeat(10_000)

const sideOf = (id: string) => ({ qualifier: "ZZ", id, group: id })

const partner = {
  name: "Supplier",
  facility: "east",
  theirs: { qualifier: "ZZ", id: "THEM", group: "THEM" },
  ours: { qualifier: "ZZ", id: "US", group: "US" },
  release: "004010",
  usage: "P",
  takes: ["856"],
  tells: [],
  tellsOf: "OWN",
  units: [],
  newPurposes: [],
  nextControl: 1
} as const

const kinds: Readonly<Record<string, Kind<EdiStore>>> = {
  "the EDI partners of a business": {
    make: (business) => Effect.succeed({ business, id: business }),
    unknown: [nowhere, "", "*", "UPPER", "a\0b", "\ud800", long],
    missing: "BUSINESS_NOT_FOUND",
    beyond: "FORBIDDEN",
    operations: {
      listEdiPartners: ({ id: slug }, who) => ask("listEdiPartners", { slug }, who),
      createEdiPartner: ({ id: slug }, who) =>
        ask("createEdiPartner", { slug, body: { ...partner, slug: aSlug(), ours: sideOf(aSlug()) } }, who)
    }
  },
  "an EDI partner": {
    make: (business) =>
      Effect.map(
        ask("createEdiPartner", { slug: business, body: { ...partner, slug: "supplier" } }),
        ({ slug }) => ({ business, id: slug })
      ),
    unknown: ["", "\0", "a\0", "\ud800", "A", "none", long],
    missing: "EDI_PARTNER_NOT_FOUND",
    beyond: "FORBIDDEN",
    operations: {
      get: ({ business: slug, id }, who) => ask("getEdiPartner", { slug, partner: id }, who),
      update: ({ business: slug, id }, who) =>
        ask("updateEdiPartner", { slug, partner: id, body: { name: "New" } }, who),
      delete: ({ business: slug, id }, who) => ask("deleteEdiPartner", { slug, partner: id }, who)
    }
  },
  "an exchanged file": {
    make: Effect.fnUntraced(function*(business) {
      const sides = { theirs: sideOf(aSlug()), tells: ["944"] as const }
      yield* ask("createEdiPartner", { slug: business, body: { ...partner, ...sides, slug: "rejecting" } })
      const row = yield* EdiStore.use((store) => store.find({ business, partner: "rejecting" }))
      const id = yield* addRejected(row!)
      return { business, id: String(id) }
    }),
    unknown: ["9007199254740991", "0", "x", "1.5", "", "a\0b", "9".repeat(400)],
    missing: "EDI_FILE_NOT_FOUND",
    beyond: "FORBIDDEN",
    operations: {
      resend: ({ business: slug, id: fileId }, who) => ask("resendEdiFile", { slug, fileId }, who)
    }
  }
}

const cases: VersionedKinds<EdiStore> = {
  "an EDI partner": Effect.gen(function*() {
    const slug = yield* aBusiness
    const name = { slug, partner: "supplier" }
    yield* ask("createEdiPartner", { slug, body: { ...partner, slug: "supplier" } })
    return {
      state: Effect.map(ask("getEdiPartner", name), ediPartnerState),
      list: ask("updateEdiPartner", { ...name, body: { takes: ["856", "940"] } }),
      other: ask("updateEdiPartner", { ...name, body: { name: "Other" } })
    }
  })
}

/** The suite of the operations of operators on EDI, over the stores. */
export const ediOperatorSuite = suiteOf<EdiStore>("the operator side of EDI", (test, describe) => {
  reachOf(kinds)(test, describe)
  preconditionsOf(cases)(test, describe)
})
