/**
 * Reads and writes grants as `business=permission,…` or `business/facility,…=permission,…`. `write` and `read` are
 * inverses for every grant that the service accepts.
 */
import type { Grant, Permission } from "@dockline/core/access/Access"
import { everything, permissions } from "@dockline/core/access/Access"
import { Result } from "effect"

/** The form of a grant, for `--help`. */
export const form = "business=permission,… or business/facility,…=permission,…"

const isPermission = (text: string): text is Permission =>
  permissions.some((permission) => permission === text)

const items = (list: string): ReadonlyArray<string> => list.split(",").map((item) => item.trim())

export const read = (text: string): Result.Result<Grant, string> => {
  const [, business = "", facilityList = everything, permissionList = ""] =
    /^([^/=]+)(?:\/([^=]+))?=(.+)$/.exec(text) ?? []
  if (business === "") return Result.fail(`"${text}" is not written as ${form}, such as acme=messages:read`)
  const facilities = facilityList === everything ? everything : items(facilityList)
  if (facilities !== everything && facilities.includes("")) {
    return Result.fail(`"${text}" has an empty facility`)
  }
  const permissionItems = items(permissionList)
  const unknown = permissionItems.find((permission) => !isPermission(permission))
  return unknown === undefined
    ? Result.succeed({
      business: business.trim(),
      facilities,
      permissions: permissionItems.filter(isPermission)
    })
    : Result.fail(`"${unknown}" is not a permission; use ${permissions.join(", ")}`)
}

export const write = ({ business, facilities, permissions }: Grant): string =>
  `${business}${facilities === everything ? "" : `/${facilities.join(",")}`}=${permissions.join(",")}`
