/** Schemas of the rows that the SQL functions of the exchange return. */
import { bigintText, location, texts, timestamp, whole } from "@dockline/sql-storage/rows/RowFields"
import { Schema } from "effect"
import { ediDirections, ediOutcomes, EdiSet } from "../domain/EdiFile.ts"
import { adviceKinds, adviceScopes, ediReleases, EdiSide, EdiUnit, ediUsages } from "../domain/EdiPartner.ts"

/** A row of the view `edi_partner_body`. */
export const PartnerBody = Schema.Struct({
  slug: Schema.String,
  key: bigintText,
  business: Schema.String,
  facility: Schema.String,
  name: Schema.String,
  theirs: EdiSide,
  ours: EdiSide,
  release: Schema.Literals(ediReleases),
  usage: Schema.Literals(ediUsages),
  takes: texts,
  tells: Schema.Array(Schema.Literals(adviceKinds)),
  tellsOf: Schema.Literals(adviceScopes),
  units: Schema.Array(EdiUnit),
  newPurposes: texts,
  nextInterchange: whole,
  nextGroup: whole,
  cursorId: whole,
  due: Schema.Array(whole),
  createdAt: timestamp
})

/** A row of the view `edi_file_entry`. */
export const FileEntry = Schema.Struct({
  id: whole,
  location,
  partner: Schema.String,
  at: timestamp,
  direction: Schema.Literals(ediDirections),
  control: Schema.String,
  outcome: Schema.Literals(ediOutcomes),
  kinds: texts,
  setCount: whole,
  rejectedCount: whole
})

/** The result of `edi_rejections`. */
export const Rejections = Schema.Array(Schema.Struct({ at: timestamp, file: FileEntry }))

/** The sets in a part of a file. */
export const Sets = Schema.Array(EdiSet)

/** The result of `edi_file_shown`: an entry, its first sets, its faults, and its text and answer unless they are long. */
export const FileBody = Schema.NullOr(
  Schema.Tuple([FileEntry, Sets, texts, Schema.NullOr(Schema.String), Schema.NullOr(Schema.String)])
)

/** The result of `edi_begin`: its time, the partners of the steps, and the state for each step; `null` if the partner is missing. */
export const BeginBody = Schema.Struct({
  now: timestamp,
  partners: Schema.Array(Schema.Struct({ partner: PartnerBody, location })),
  states: Schema.Array(
    Schema.NullOr(
      Schema.Struct({ isKnown: Schema.Boolean, isReserved: Schema.Boolean, ownIds: Schema.Array(whole) })
    )
  )
})

/** The result of `edi_sent`. */
export const SentFiles = Schema.Array(Schema.Struct({
  id: whole,
  control: Schema.String,
  setCount: whole,
  groups: Schema.Array(
    Schema.Struct({ kind: Schema.String, group: Schema.String, groupControl: Schema.String, setCount: whole })
  )
}))

/** The result of `edi_partner_create`. */
export const CreateResult = Schema.Union([
  Schema.Struct({ unknown: Schema.Literals(["business", "facility"]) }),
  Schema.Struct({ taken: Schema.Literal(true) }),
  Schema.Struct({ full: Schema.Literal(true) }),
  Schema.Struct({ partner: PartnerBody })
])

/** The result of `edi_partner_update`. */
export const UpdateResult = Schema.Union([
  Schema.Struct({ missing: Schema.Literal(true) }),
  Schema.Struct({ other: Schema.Literal(true) }),
  Schema.Struct({ taken: Schema.Literal(true) }),
  Schema.Struct({ partner: PartnerBody })
])

/** The result of `edi_between`. */
export const Addressees = Schema.Array(
  Schema.Struct({ partner: PartnerBody, timeZone: Schema.String, isKnown: Schema.Boolean })
)

/** The result of `edi_reserve` for each interchange; `null` if its partner is missing. */
export const Reservations = Schema.Array(
  Schema.NullOr(Schema.Union([
    Schema.Tuple([Schema.Literal("Reserved"), whole]),
    Schema.Tuple([Schema.Literals(["Known", "Running", "Reused"])])
  ]))
)

/** The result of `edi_told`. */
export const History = Schema.Struct({ ids: Schema.Array(whole), isWhole: Schema.Boolean })

/** The result of `edi_behind`. */
export const Behind = Schema.Array(Schema.Struct({
  businessId: bigintText,
  business: Schema.String,
  partner: Schema.String,
  key: bigintText,
  facility: Schema.String,
  cursorId: whole,
  due: Schema.Array(whole)
}))

/** The result of `edi_outbox`: the id that makes the query expired or ahead, or entries with the lengths of their texts. */
export const OutboxBody = Schema.Union([
  Schema.Struct({ expired: whole }),
  Schema.Struct({ ahead: whole }),
  Schema.Struct({ files: Schema.Array(Schema.Tuple([FileEntry, whole])) })
])

/** The result of `edi_file_texts`: ids and texts. */
export const FileTexts = Schema.Array(Schema.Tuple([whole, Schema.String]))

/** The result of `edi_words`: index keys of orders, and words. */
export const WordRows = Schema.Array(Schema.Struct({ key: Schema.String, words: Schema.String }))
