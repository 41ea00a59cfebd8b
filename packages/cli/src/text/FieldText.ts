/**
 * Reads the fields of a field map from the command line or from JSON; the service validates their content.
 */
import { MessageFieldView } from "@dockline/core/operator/OperatorView"
import { Result, Schema } from "effect"

/** The form of a field, for `--help`. */
export const form = "name=label or name=label:list"

const listMark = ":list"

export const read = (text: string): Result.Result<MessageFieldView, string> => {
  const [, name = "", rest = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  const list = rest.endsWith(listMark)
  const label = list ? rest.slice(0, -listMark.length) : rest
  return name === "" || label === ""
    ? Result.fail(`"${text}" is not written as ${form}, such as SKUs=sku:list`)
    : Result.succeed({ name, label, list })
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(MessageFieldView)), {
  onExcessProperty: "error"
})

/** Reads a whole map from JSON, as `field-map show --json` writes it. */
export const readJson = (text: string): Result.Result<ReadonlyArray<MessageFieldView>, string> =>
  Result.mapError(
    decode(text),
    (error) => `must be a JSON list of {"name": …, "label": …, "list": true or false}: ${error.message}`
  )
