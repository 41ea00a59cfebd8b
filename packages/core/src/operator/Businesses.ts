/**
 * Shows and changes businesses, their facilities, docks and field maps for operators (D11).
 *
 * Guarantee: an operator sees and changes only the businesses it operates. Businesses, facilities and docks are never
 * removed.
 */
import { Context, Effect, Layer } from "effect"
import { everything, notOperator, operates, operatorScope } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { auditing, subjectOf } from "../access/AuditLog.ts"
import type { AuditAction, AuditDraft, Auditing, AuditLog } from "../access/AuditLog.ts"
import { expected } from "../input/Precondition.ts"
import * as Authorize from "../places/Authorize.ts"
import { checkFieldMap, PayloadProfiles } from "../places/MessageField.ts"
import type { PayloadProfile } from "../places/MessageField.ts"
import { defaultDetentionMinutes, defaultTimeZone, Directory } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import { mapPage, namePage } from "../values/Page.ts"
import type * as BusinessOperations from "./internal/BusinessOperations.ts"
import type { OperatorHandlers } from "./OperatorOperations.ts"

/** Manages businesses, facilities, docks and field maps: handles the operations of `BusinessOperations`. */
export class Businesses
  extends Context.Service<Businesses, OperatorHandlers<keyof typeof BusinessOperations>>()(
    "@dockline/core/operator/Businesses"
  )
{
  /** Manages the businesses of the directory. */
  static readonly layer: Layer.Layer<Businesses, never, Directory | AuditLog> = Layer.effect(
    Businesses,
    Effect.gen(function*() {
      const directory = yield* Directory
      const change = yield* auditing
      return Businesses.of({
        ...ofBusinesses(directory, change, yield* PayloadProfiles),
        ...ofFacilities(directory, change)
      })
    })
  )
}

/** The facility, if the principal operates its business. */
export const operatedFacility = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  principal: Principal,
  business: string,
  slug: string
) {
  const { facility } = yield* Authorize.operatorOf(directory, principal, business, slug)
  if (facility === null) return yield* new FacilityNotFound({ business, facility: clip(slug) })
  return facility
})

/** The audit entry of a change of a business, or of one of its facilities or docks. */
const draft =
  (action: AuditAction, details: AuditDraft["details"], business: string, ...parts: ReadonlyArray<string>) =>
  (): AuditDraft => ({ action, business, subject: subjectOf("businesses", business, ...parts), details })

const ofBusinesses = (
  directory: Directory["Service"],
  change: Auditing,
  profiles: ReadonlyArray<PayloadProfile>
): OperatorHandlers<
  "listBusinesses" | "getBusiness" | "createBusiness" | "renameBusiness" | "getFieldMap" | "setFieldMap"
> => {
  const find = Effect.fnUntraced(function*(slug: string) {
    return (yield* directory.business(slug)) ?? (yield* new BusinessNotFound({ business: clip(slug) }))
  })
  return {
    listBusinesses: Effect.fn("Businesses.list")(function*(query, principal) {
      return yield* directory.list(yield* operatorScope(principal), namePage(query))
    }),

    getBusiness: Effect.fn("Businesses.get")(function*({ slug }, principal) {
      yield* Authorize.operatorOf(directory, principal, slug)
      return yield* find(slug)
    }),

    createBusiness: Effect.fn("Businesses.create")(
      function*({ body: { slug, name } }, principal) {
        if (!operates(principal, everything)) return yield* notOperator(everything)
        const business = { slug, name }
        yield* change(principal, directory.create(business), draft("BUSINESS_CREATED", { name }, slug))
        return business
      }
    ),

    renameBusiness: Effect.fn("Businesses.rename")(function*({ body: { name }, slug }, principal) {
      yield* Authorize.operatorOf(directory, principal, slug)
      yield* change(principal, directory.rename({ slug, name }), draft("BUSINESS_CHANGED", { name }, slug))
      return yield* find(slug)
    }),

    getFieldMap: Effect.fn("Businesses.fieldMap")(function*({ slug: business }, principal) {
      yield* Authorize.operatorOf(directory, principal, business)
      const fields = yield* directory.fieldMap(business)
      return fields ?? (yield* new BusinessNotFound({ business }))
    }),

    setFieldMap: Effect.fn("Businesses.setFieldMap")(function*({ body: fields, slug: business }, principal) {
      yield* Authorize.operatorOf(directory, principal, business)
      // The map is the whole body, so fault paths begin with [0].name, not with fieldMap[0].name.
      yield* Effect.fromResult(checkFieldMap(fields, profiles, ""))
      const fieldMap = yield* directory.fieldMap(business)
      const unchanged = yield* expected(fieldMap)
      yield* change(
        principal,
        directory.setFieldMap(business, fields, unchanged),
        draft("FIELD_MAP_CHANGED", { fields }, business, "field-map")
      )
      return fields
    })
  }
}

const ofFacilities = (
  directory: Directory["Service"],
  change: Auditing
): Omit<Businesses["Service"], keyof ReturnType<typeof ofBusinesses>> => ({
  listFacilities: Effect.fn("Businesses.listFacilities")(function*({ slug, ...query }, principal) {
    yield* Authorize.operatorOf(directory, principal, slug)
    return yield* directory.facilities(slug, namePage(query))
  }),

  getFacility: Effect.fn("Businesses.getFacility")(function*({ facility: slug, slug: business }, principal) {
    yield* operatedFacility(directory, principal, business, slug)
    const facility = yield* directory.facility(business, slug)
    return facility ?? (yield* new FacilityNotFound({ business, facility: clip(slug) }))
  }),

  createFacility: Effect.fn("Businesses.createFacility")(function*({ body, slug: business }, principal) {
    const facility = { timeZone: defaultTimeZone, detentionMinutes: defaultDetentionMinutes, ...body }
    const { slug, ...settings } = facility
    yield* Authorize.operatorOf(directory, principal, business)
    yield* change(
      principal,
      directory.createFacility(business, facility),
      draft("FACILITY_CREATED", settings, business, "facilities", slug)
    )
    return facility
  }),

  updateFacility: Effect.fn("Businesses.updateFacility")(
    function*({ body, facility: slug, slug: business }, principal) {
      yield* operatedFacility(directory, principal, business, slug)
      return yield* change(
        principal,
        directory.updateFacility(business, { ...body, slug }),
        draft("FACILITY_CHANGED", body, business, "facilities", slug)
      )
    }
  ),

  listDocks: Effect.fn("Businesses.listDocks")(function*({ facility, slug: business, ...query }, principal) {
    yield* operatedFacility(directory, principal, business, facility)
    return mapPage(yield* directory.docks(business, facility, namePage(query)), (slug) => ({ slug }))
  }),

  createDock: Effect.fn("Businesses.createDock")(
    function*({ body: { slug }, facility, slug: business }, principal) {
      yield* operatedFacility(directory, principal, business, facility)
      yield* change(
        principal,
        directory.createDock(business, facility, slug),
        draft("DOCK_CREATED", {}, business, "facilities", facility, "docks", slug)
      )
      return { slug }
    }
  )
})
