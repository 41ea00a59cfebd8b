/** The schemas that the rows of several statements share. */
import type { Label } from "@dockline/core/places/MessageField"
import type { Location } from "@dockline/core/places/Place"
import type { Dock, SeenPallet } from "@dockline/core/shipment/Shipment"
import * as FieldTable from "@dockline/core/values/FieldTable"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { palletDirections, shipmentStatuses } from "@dockline/core/values/Vocabulary"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { Schema } from "effect"

/** A time in the form of `dockline.rfc3339`, which times in documents have too. */
export const timestamp: Schema.Codec<Timestamp, string> = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
).pipe(Schema.brand("Timestamp"))

/** A whole number below 2^53: an id, or a count. */
export const whole: Schema.Codec<number> = Schema.Int

/** A number of 64 bits as text. */
export const bigintText: Schema.Codec<string> = Schema.String.check(Schema.isPattern(/^-?\d+$/))

/** A sealed secret. */
export const sealedText: Schema.Codec<SealedText> = Schema.declare((value): value is SealedText =>
  typeof value === "string"
)

/** What a batch has dropped or replayed: the number of rows, and the last id, null if there were none. */
export const batch = Schema.Struct({ count: whole, last: Schema.NullOr(whole) })

/** A list of texts. */
export const texts = Schema.Array(Schema.String)

/** The slug and the name of a business or of a facility. */
export const place = Schema.Struct({ slug: Schema.String, name: Schema.String })

/** The business and the facility of a row. */
export const locationFields = { business: place, facility: place }

/** The business and the facility of a row, as one value. */
export const location: Schema.Codec<Location> = Schema.Struct(locationFields)

/** A dock: its id and its slug. */
export const dock: Schema.Codec<Dock> = Schema.Struct({ id: whole, slug: Schema.String })

/** The status of a shipment. */
export const shipmentStatus = Schema.Literals(shipmentStatuses)

/** The direction of a pallet. */
export const palletDirection = Schema.Literals(palletDirections)

/** The labels of a pallet. */
export const labels: Schema.Codec<ReadonlyArray<Label>> = Schema.Array(
  Schema.Struct({ name: Schema.String, value: Schema.String })
)

/** The fields of a pallet that was seen. */
export const seenPalletFields = {
  id: whole,
  lpn: Schema.String,
  first: palletDirection,
  last: palletDirection,
  dockId: whole
} satisfies Record<keyof SeenPallet, Schema.Top>

/** The fields of a map of a business (D6.4). */
export const fieldMap = Schema.Array(
  Schema.Struct({ name: Schema.String, label: Schema.String, list: Schema.Boolean })
)

/** The values of the fields of a table, in the order of the table. */
export const valuesOf = (table: FieldTable.Table): Schema.Schema<ReadonlyArray<unknown>> =>
  Schema.Tuple(Object.values(FieldTable.shownFields(table)))
