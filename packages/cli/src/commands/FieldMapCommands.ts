/**
 * `dockline field-map`: the additional fields of a business's messages.
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { about } from "../About.ts"
import * as Arguments from "../Arguments.ts"
import { valueOf, WrongUsage } from "../Failure.ts"
import { readText } from "../FileInput.ts"
import { businesses, full } from "../OperatorConnection.ts"
import * as Output from "../Output.ts"
import * as FieldText from "../text/FieldText.ts"
import * as ShownColumns from "../text/ShownColumns.ts"

const nothing = "No fields: messages carry those of the contract alone."

const show = Command.make(
  "show",
  { slug: Arguments.business },
  ({ slug }) =>
    businesses((api) => api.getFieldMap({ params: { slug }, ...full })).pipe(
      Output.whole(ShownColumns.fields, nothing)
    )
).pipe(about("Show which labels of pallets a business's messages carry", "dockline field-map show acme"))

const flags = {
  slug: Arguments.business,
  fields: Flag.String("field").pipe(
    Flag.withMetavar("NAME=LABEL[:list]"),
    Flag.withDescription(`A field, ${FieldText.form}: all values of the label, not the first only`),
    Flag.atLeast(0)
  ),
  file: Arguments.text("file", "Take the whole map from this JSON file; - for standard input").pipe(
    Flag.withMetavar("PATH")
  )
}

const readFields = Effect.fnUntraced(function*(fields: ReadonlyArray<string>, file: Option.Option<string>) {
  if (Option.isSome(file) === fields.length > 0) {
    return yield* new WrongUsage({ message: "Give the fields with --field, or all of them with --file" })
  }
  return Option.isSome(file)
    ? yield* valueOf("--file", FieldText.readJson(yield* readText(file.value, "--file")))
    : yield* Effect.forEach(fields, (field) => valueOf("--field", FieldText.read(field)))
})

const set = Command.make(
  "set",
  flags,
  ({ fields, file, slug }) =>
    Effect.flatMap(
      readFields(fields, file),
      (payload) =>
        businesses((api) => api.setFieldMap({ params: { slug }, headers: {}, payload, ...full })).pipe(
          Output.whole(ShownColumns.fields, nothing)
        )
    )
).pipe(
  about(
    "Replace the field map of a business; messages from then on carry it",
    "dockline field-map set acme --field LPN=lpn --field SKUs=sku:list",
    {
      command: "dockline field-map set acme --file map.json",
      description: "As field-map show --json writes it"
    }
  )
)

export const fieldMap = Command.make("field-map").pipe(
  Command.withDescription("Fields that a business's messages carry besides those of the contract"),
  Command.withSubcommands([show, set])
)
