/**
 * Reads and writes grants as `business=permission,…` or `business/facility,…=permission,…`, and reads fields of a field map.
 * `writeGrant` and `readGrant` are inverses for every grant that the service accepts.
 */
import { everything, permissions } from "@dockline/core/access/Access"
import type { Grant, Permission } from "@dockline/core/access/Access"
import { MessageFieldView } from "@dockline/core/operator/OperatorView"
import { Result, Schema } from "effect"

/** The form of a grant, for `--help`. */
export const grantForm = "business=permission,… or business/facility,…=permission,…"

const isPermission = (text: string): text is Permission =>
  permissions.some((permission) => permission === text)

const items = (list: string): ReadonlyArray<string> => list.split(",").map((item) => item.trim())

/** Reads a grant; fails with the expected form. */
export const readGrant = (text: string): Result.Result<Grant, string> => {
  const [, business = "", facilityList = everything, permissionList = ""] =
    /^([^/=]+)(?:\/([^=]+))?=(.+)$/.exec(text) ?? []
  if (business === "") {
    return Result.fail(`${grantForm}, such as acme=messages:read`)
  }
  const facilities = facilityList === everything ? everything : items(facilityList)
  if (facilities !== everything && facilities.includes("")) {
    return Result.fail("facilities that are not empty, such as acme/east,west=messages:read")
  }
  const permissionItems = items(permissionList)
  const unknown = permissionItems.find((permission) => !isPermission(permission))
  return unknown === undefined
    ? Result.succeed({
      business: business.trim(),
      facilities,
      permissions: permissionItems.filter(isPermission)
    })
    : Result.fail(`permissions instead of "${unknown}": ${permissions.join(", ")}`)
}

export const writeGrant = ({ business, facilities, permissions }: Grant): string =>
  `${business}${facilities === everything ? "" : `/${facilities.join(",")}`}=${permissions.join(",")}`

/** The form of a field, for `--help`. */
export const fieldsForm = "name=label or name=label:list"

const listMark = ":list"

/** Reads a field of a field map; fails with the expected form. The service validates the content. */
export const readField = (text: string): Result.Result<MessageFieldView, string> => {
  const [, name = "", rest = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  const list = rest.endsWith(listMark)
  const label = list ? rest.slice(0, -listMark.length) : rest
  return name === "" || label === ""
    ? Result.fail(`${fieldsForm}, such as SKUs=sku:list`)
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
