/**
 * Shows and changes businesses, their facilities, docks and field maps for operators (D11).
 *
 * Guarantee: an operator sees and changes only the businesses it operates. Businesses, facilities and docks are never
 * removed.
 */
import { Context, Effect, Layer } from "effect"
import { everything } from "../access/Access.ts"
import type { Authorized, Principal } from "../access/Access.ts"
import type { AuditAction, AuditDraft } from "../access/AuditEntry.ts"
import { audited, subjectOf } from "../access/AuditLog.ts"
import type { Audited, AuditLog } from "../access/AuditLog.ts"
import { notOperator, operates, operatorScope } from "../access/Operators.ts"
import * as Authorize from "../places/Authorize.ts"
import { Directory } from "../places/Directory.ts"
import { checkFieldMap } from "../places/MessageField.ts"
import type { MessageField } from "../places/MessageField.ts"
import { defaultTimeZone } from "../places/Place.ts"
import { clip } from "../values/Clip.ts"
import { BusinessNotFound, FacilityNotFound, Forbidden, StorageUnavailable } from "../values/Errors.ts"
import type { InvalidRequest } from "../values/Errors.ts"
import type { BusinessExists, DockExists, FacilityExists, TooManyEntries } from "../values/OperatorErrors.ts"
import { mapPage, namePage } from "../values/Page.ts"
import type { Page, PageQuery } from "../values/Page.ts"
import type { BusinessError } from "./OperationErrors.ts"
import type {
  BusinessInput,
  DockInput,
  FacilityChangeInput,
  FacilityInput,
  RenameInput
} from "./OperatorInput.ts"
import type { BusinessView, DockView, FacilityView, MessageFieldView } from "./OperatorView.ts"

/**
 * Manages businesses, facilities, docks and field maps, named by their slugs. Inputs are those that `OperatorInput.ts`
 * reads.
 */
export class Businesses extends Context.Service<Businesses, {
  /** The businesses that the operator operates, in slug order. */
  readonly list: Authorized<[query: PageQuery], Page<BusinessView>, Forbidden | StorageUnavailable>
  readonly get: Authorized<[slug: string], BusinessView, BusinessError>
  /** Creates a business; for operators of the whole service. */
  readonly create: Authorized<
    [input: BusinessInput],
    BusinessView,
    Forbidden | BusinessExists | StorageUnavailable
  >
  readonly rename: Authorized<[slug: string, input: RenameInput], BusinessView, BusinessError>
  /** The facilities of a business, in slug order. */
  readonly listFacilities: Authorized<[business: string, query: PageQuery], Page<FacilityView>, BusinessError>
  readonly getFacility: Authorized<[business: string, facility: string], FacilityView, Authorize.PlaceError>
  readonly createFacility: Authorized<
    [business: string, input: FacilityInput],
    FacilityView,
    BusinessError | FacilityExists | TooManyEntries
  >
  readonly updateFacility: Authorized<
    [business: string, facility: string, input: FacilityChangeInput],
    FacilityView,
    Authorize.PlaceError
  >
  /** The docks of a facility, in slug order. */
  readonly listDocks: Authorized<
    [business: string, facility: string, query: PageQuery],
    Page<DockView>,
    Authorize.PlaceError
  >
  readonly createDock: Authorized<
    [business: string, facility: string, input: DockInput],
    DockView,
    Authorize.PlaceError | DockExists | TooManyEntries
  >
  /** The business's field map: the pallet labels that its messages carry (D6.4). */
  readonly fieldMap: Authorized<[business: string], ReadonlyArray<MessageFieldView>, BusinessError>
  /** Replaces the field map; it applies to messages from then on. */
  readonly setFieldMap: Authorized<
    [business: string, fields: ReadonlyArray<MessageField>],
    ReadonlyArray<MessageFieldView>,
    BusinessError | InvalidRequest
  >
}>()("@dockline/core/Businesses") {
  /** Manages the businesses of the directory. */
  static readonly layer: Layer.Layer<Businesses, never, Directory | AuditLog> = Layer.effect(
    Businesses,
    Effect.gen(function*() {
      const directory = yield* Directory
      const change = yield* audited
      return Businesses.of({ ...ofBusinesses(directory, change), ...ofFacilities(directory, change) })
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
  const { facility } = yield* Authorize.operated(directory, principal, business, slug)
  if (facility === null) return yield* new FacilityNotFound({ business, facility: clip(slug) })
  return facility
})

/** What was changed at a business, or at a place of it. */
const changed =
  (action: AuditAction, details: AuditDraft["details"], business: string, ...parts: ReadonlyArray<string>) =>
  (): AuditDraft => ({ action, business, subject: subjectOf("businesses", business, ...parts), details })

const ofBusinesses = (
  directory: Directory["Service"],
  change: Audited
): Pick<Businesses["Service"], "list" | "get" | "create" | "rename" | "fieldMap" | "setFieldMap"> => {
  const found = Effect.fnUntraced(function*(slug: string) {
    return (yield* directory.business(slug)) ?? (yield* new BusinessNotFound({ business: clip(slug) }))
  })
  return {
    list: Effect.fn("Businesses.list")(function*(query, principal) {
      return yield* directory.list(yield* operatorScope(principal), namePage(query))
    }),

    get: Effect.fn("Businesses.get")(function*(slug, principal) {
      yield* Authorize.operated(directory, principal, slug)
      return yield* found(slug)
    }),

    create: Effect.fn("Businesses.create")(function*({ slug, name, sandbox = false }, principal) {
      if (!operates(principal, everything)) return yield* notOperator(everything)
      const made = { slug, name, sandbox }
      const details = sandbox ? { name, sandbox } : { name }
      yield* change(principal, directory.create(made), changed("BUSINESS_CREATED", details, slug))
      return made
    }),

    rename: Effect.fn("Businesses.rename")(function*(slug, { name }, principal) {
      yield* Authorize.operated(directory, principal, slug)
      yield* change(principal, directory.rename({ slug, name }), changed("BUSINESS_CHANGED", { name }, slug))
      return yield* found(slug)
    }),

    fieldMap: Effect.fn("Businesses.fieldMap")(function*(business, principal) {
      yield* Authorize.operated(directory, principal, business)
      const fields = yield* directory.fieldMap(business)
      return fields ?? (yield* new BusinessNotFound({ business }))
    }),

    setFieldMap: Effect.fn("Businesses.setFieldMap")(function*(business, fields, principal) {
      yield* Authorize.operated(directory, principal, business)
      // The map is the whole body, so fault paths begin with [0].name, not with fieldMap[0].name.
      yield* Effect.fromResult(checkFieldMap(fields, ""))
      yield* change(
        principal,
        directory.setFieldMap(business, fields),
        changed("FIELD_MAP_CHANGED", { fields }, business, "field-map")
      )
      return fields
    })
  }
}

const ofFacilities = (
  directory: Directory["Service"],
  change: Audited
): Omit<Businesses["Service"], keyof ReturnType<typeof ofBusinesses>> => ({
  listFacilities: Effect.fn("Businesses.listFacilities")(function*(business, query, principal) {
    yield* Authorize.operated(directory, principal, business)
    return yield* directory.facilities(business, namePage(query))
  }),

  getFacility: Effect.fn("Businesses.getFacility")(function*(business, slug, principal) {
    yield* operatedFacility(directory, principal, business, slug)
    const facility = yield* directory.facility(business, slug)
    return facility ?? (yield* new FacilityNotFound({ business, facility: clip(slug) }))
  }),

  createFacility: Effect.fn("Businesses.createFacility")(function*(business, input, principal) {
    const facility = { timeZone: defaultTimeZone, ...input }
    const { name, slug, timeZone } = facility
    yield* Authorize.operated(directory, principal, business)
    yield* change(
      principal,
      directory.createFacility(business, facility),
      changed("FACILITY_CREATED", { name, timeZone }, business, "facilities", slug)
    )
    return facility
  }),

  updateFacility: Effect.fn("Businesses.updateFacility")(function*(business, slug, input, principal) {
    yield* operatedFacility(directory, principal, business, slug)
    return yield* change(
      principal,
      directory.updateFacility(business, { ...input, slug }),
      changed("FACILITY_CHANGED", input, business, "facilities", slug)
    )
  }),

  listDocks: Effect.fn("Businesses.listDocks")(function*(business, facility, query, principal) {
    yield* operatedFacility(directory, principal, business, facility)
    return mapPage(yield* directory.docks(business, facility, namePage(query)), (slug) => ({ slug }))
  }),

  createDock: Effect.fn("Businesses.createDock")(function*(business, facility, { slug }, principal) {
    yield* operatedFacility(directory, principal, business, facility)
    yield* change(
      principal,
      directory.createDock(business, facility, slug),
      changed("DOCK_CREATED", {}, business, "facilities", facility, "docks", slug)
    )
    return { slug }
  })
})
