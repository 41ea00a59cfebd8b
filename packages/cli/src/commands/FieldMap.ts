/** `dockline field-map`: what a business's messages carry besides the fields of the contract. */
import { Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import * as Columns from "../Columns.ts"
import { WrongUsage } from "../Failure.ts"
import * as FieldText from "../FieldText.ts"
import { full, Operator } from "../Operator.ts"
import * as Output from "../Output.ts"
import * as SecretInput from "../SecretInput.ts"

const nothing = "No fields: messages carry those of the contract alone."

const show = Command.make("show", { slug: Arguments.business }, ({ slug }) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const answer = yield* call("businesses", (businesses) =>
      businesses.getFieldMap({ params: { slug }, ...full }))
    yield* Output.whole(Columns.fields, answer, nothing)
  })).pipe(
    Command.withDescription("Show which labels of pallets a business's messages carry"),
    Command.withExamples([{ command: "dockline field-map show acme" }])
  )

const flags = {
  slug: Arguments.business,
  fields: Flag.String("field").pipe(
    Flag.withMetavar("NAME=LABEL[:list]"),
    Flag.withDescription(`A field, ${FieldText.form}: all values of the label, not the first only`),
    Flag.atLeast(0)
  ),
  file: Flag.String("file").pipe(
    Flag.withMetavar("PATH"),
    Flag.withDescription("Take the whole map from this JSON file; - for standard input"),
    Flag.optional
  )
}

const fromText = <A>(read: Result.Result<A, string>, flag: string): Effect.Effect<A, WrongUsage> =>
  Result.match(read, {
    onFailure: (fault) => Effect.fail(new WrongUsage({ message: `${flag}: ${fault}` })),
    onSuccess: Effect.succeed
  })

const readFields = Effect.fnUntraced(function*(fields: ReadonlyArray<string>, file: Option.Option<string>) {
  if (Option.isSome(file) === fields.length > 0) {
    return yield* new WrongUsage({ message: "Give the fields with --field, or all of them with --file" })
  }
  return Option.isSome(file)
    ? yield* fromText(FieldText.readJson(yield* SecretInput.readText(file.value, "--file")), "--file")
    : yield* Effect.forEach(fields, (field) => fromText(FieldText.read(field), "--field"))
})

const set = Command.make("set", flags, ({ fields, file, slug }) =>
  Effect.gen(function*() {
    const { call } = yield* Operator
    const payload = yield* readFields(fields, file)
    const answer = yield* call("businesses", (businesses) =>
      businesses.setFieldMap({ params: { slug }, headers: {}, payload, ...full }))
    yield* Output.whole(Columns.fields, answer, nothing)
  })).pipe(
    Command.withDescription("Replace the field map of a business; messages from then on carry it"),
    Command.withExamples([
      { command: "dockline field-map set acme --field LPN=lpn --field SKUs=sku:list" },
      {
        command: "dockline field-map set acme --file map.json",
        description: "As field-map show --json writes it"
      }
    ])
  )

/** `dockline field-map` */
export const fieldMap = Command.make("field-map").pipe(
  Command.withDescription("Fields that a business's messages carry besides those of the contract"),
  Command.withSubcommands([show, set])
)
