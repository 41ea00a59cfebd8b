/** What the functions of the exchange return, as schemas. */
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

/** What `edi_rejections` returns. */
export const Rejections = Schema.Array(Schema.Struct({ at: timestamp, file: FileEntry }))

/** The sets of a part of a file. */
export const Sets = Schema.Array(EdiSet)

/** What `edi_file_shown` returns: an entry, its first sets, its faults, and its text and answer unless they are long. */
export const FileBody = Schema.NullOr(
  Schema.Tuple([FileEntry, Sets, texts, Schema.NullOr(Schema.String), Schema.NullOr(Schema.String)])
)

/** What `edi_begin` returns of the partners of steps, and of each step; `null` where its partner is not there. */
export const BeginBody = Schema.Struct({
  now: timestamp,
  partners: Schema.Array(Schema.Struct({ partner: PartnerBody, location })),
  states: Schema.Array(
    Schema.NullOr(
      Schema.Struct({ isKnown: Schema.Boolean, isReserved: Schema.Boolean, ownIds: Schema.Array(whole) })
    )
  )
})

/** What `edi_sent` returns of files that were sent. */
export const SentFiles = Schema.Array(Schema.Struct({
  id: whole,
  control: Schema.String,
  setCount: whole,
  groups: Schema.Array(
    Schema.Struct({ kind: Schema.String, group: Schema.String, groupControl: Schema.String, setCount: whole })
  )
}))

/** What `edi_partner_create` returns. */
export const CreateResult = Schema.Union([
  Schema.Struct({ unknown: Schema.Literals(["business", "facility"]) }),
  Schema.Struct({ taken: Schema.Literal(true) }),
  Schema.Struct({ full: Schema.Literal(true) }),
  Schema.Struct({ partner: PartnerBody })
])

/** What `edi_partner_update` returns. */
export const UpdateResult = Schema.Union([
  Schema.Struct({ missing: Schema.Literal(true) }),
  Schema.Struct({ other: Schema.Literal(true) }),
  Schema.Struct({ taken: Schema.Literal(true) }),
  Schema.Struct({ partner: PartnerBody })
])

/** What `edi_between` returns. */
export const Addressees = Schema.Array(
  Schema.Struct({ partner: PartnerBody, timeZone: Schema.String, isKnown: Schema.Boolean })
)

/** What `edi_reserve` returns of each interchange; `null` where its partner is not there. */
export const Reservations = Schema.Array(
  Schema.NullOr(Schema.Union([
    Schema.Tuple([Schema.Literal("Reserved"), whole]),
    Schema.Tuple([Schema.Literals(["Known", "Running", "Reused"])])
  ]))
)

/** What `edi_told` returns. */
export const History = Schema.Struct({ ids: Schema.Array(whole), isWhole: Schema.Boolean })

/** What `edi_behind` returns. */
export const Behind = Schema.Array(Schema.Struct({
  businessId: bigintText,
  business: Schema.String,
  partner: Schema.String,
  key: bigintText,
  facility: Schema.String,
  cursorId: whole,
  due: Schema.Array(whole)
}))

/** What `edi_outbox` returns: an id that is too old or too new, or entries with the characters of their texts. */
export const OutboxBody = Schema.Union([
  Schema.Struct({ expired: whole }),
  Schema.Struct({ ahead: whole }),
  Schema.Struct({ files: Schema.Array(Schema.Tuple([FileEntry, whole])) })
])

/** What `edi_file_texts` returns: ids and texts. */
export const FileTexts = Schema.Array(Schema.Tuple([whole, Schema.String]))

/** What `edi_words` returns: index keys of orders, and words. */
export const WordRows = Schema.Array(Schema.Struct({ key: Schema.String, words: Schema.String }))
