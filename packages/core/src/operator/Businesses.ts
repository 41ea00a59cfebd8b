/**
 * Businesses, their facilities and docks, and their field maps, on behalf of an operator (D11).
 *
 * Guarantee: an operator sees and changes the businesses it operates, and no others. What is made is never removed.
 */
import { Context, Effect, Layer } from "effect"
import { everything } from "../access/Access.ts"
import type { Principal } from "../access/Access.ts"
import { Directory } from "../places/Directory.ts"
import { checkFieldMap } from "../places/MessageField.ts"
import type { MessageField } from "../places/MessageField.ts"
import { clip } from "../values/Clip.ts"
import { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import type { Forbidden, InvalidRequest, StorageUnavailable } from "../values/Errors.ts"
import type { BusinessExists, DockExists, FacilityExists, TooManyEntries } from "../values/OperatorErrors.ts"
import type { Page } from "../values/Page.ts"
import { slugPattern } from "../values/Vocabulary.ts"
import type { BusinessInput, DockInput, FacilityInput, RenameInput } from "./OperatorInput.ts"
import { checkOperator, namePage, notOperator, operates, operatorScope } from "./Operators.ts"
import type { PageQuery } from "./Operators.ts"
import type { BusinessView, DockView, FacilityView, MessageFieldView } from "./OperatorView.ts"

/** Why a business is refused to an operator. */
export type BusinessRefusal = BusinessNotFound | Forbidden | StorageUnavailable

/** Why a facility is refused to an operator. */
export type FacilityRefusal = BusinessRefusal | FacilityNotFound

/** Businesses, facilities, docks and field maps; named by their slugs, inputs as `OperatorInput.ts` reads them. */
export class Businesses extends Context.Service<Businesses, {
  /** The businesses that the operator operates, in slug order. */
  readonly list: (
    query: PageQuery,
    principal: Principal
  ) => Effect.Effect<Page<BusinessView>, Forbidden | StorageUnavailable>
  /** One business. */
  readonly get: (slug: string, principal: Principal) => Effect.Effect<BusinessView, BusinessRefusal>
  /** Makes a business; for operators of the whole service. */
  readonly create: (
    input: BusinessInput,
    principal: Principal
  ) => Effect.Effect<BusinessView, Forbidden | BusinessExists | StorageUnavailable>
  /** Gives it another name. */
  readonly rename: (
    slug: string,
    input: RenameInput,
    principal: Principal
  ) => Effect.Effect<BusinessView, BusinessRefusal>
  /** Its facilities, in slug order. */
  readonly listFacilities: (
    business: string,
    query: PageQuery,
    principal: Principal
  ) => Effect.Effect<Page<FacilityView>, BusinessRefusal>
  /** One facility of a business. */
  readonly getFacility: (
    business: string,
    facility: string,
    principal: Principal
  ) => Effect.Effect<FacilityView, FacilityRefusal>
  /** Adds a facility, whose slug is new in its business. */
  readonly createFacility: (
    business: string,
    input: FacilityInput,
    principal: Principal
  ) => Effect.Effect<FacilityView, BusinessRefusal | FacilityExists | TooManyEntries>
  /** Gives it another name. */
  readonly renameFacility: (
    business: string,
    facility: string,
    input: RenameInput,
    principal: Principal
  ) => Effect.Effect<FacilityView, FacilityRefusal>
  /** Its docks, in slug order. */
  readonly listDocks: (
    business: string,
    facility: string,
    query: PageQuery,
    principal: Principal
  ) => Effect.Effect<Page<DockView>, FacilityRefusal>
  /** Adds a dock, whose slug is new in its facility. */
  readonly createDock: (
    business: string,
    facility: string,
    input: DockInput,
    principal: Principal
  ) => Effect.Effect<DockView, FacilityRefusal | DockExists | TooManyEntries>
  /** Which labels of a pallet its messages carry (D6.4). */
  readonly fieldMap: (
    business: string,
    principal: Principal
  ) => Effect.Effect<ReadonlyArray<MessageFieldView>, BusinessRefusal>
  /** Brings the field map to what is given; it holds for messages from then on. */
  readonly setFieldMap: (
    business: string,
    fields: ReadonlyArray<MessageField>,
    principal: Principal
  ) => Effect.Effect<ReadonlyArray<MessageFieldView>, BusinessRefusal | InvalidRequest>
}>()("@dockline/core/Businesses") {
  /** Businesses of the directory. */
  static readonly layer: Layer.Layer<Businesses, never, Directory> = Layer.effect(
    Businesses,
    Effect.gen(function*() {
      const directory = yield* Directory
      return Businesses.of({
        ...ofBusinesses(directory),
        ...ofFacilities(directory),
        ...ofFieldMaps(directory)
      })
    })
  )
}

type DirectoryService = (typeof Directory)["Service"]

/** What the slugs name, once it is known that the principal operates it. A malformed slug names nothing. */
const operated = Effect.fnUntraced(function*(
  directory: DirectoryService,
  principal: Principal,
  business: string,
  facility = ""
) {
  yield* Effect.fromResult(checkOperator(principal))
  const named = slugPattern.test(business)
    ? yield* directory.lookup(business, slugPattern.test(facility) ? facility : "")
    : { business: null, facility: null }
  if (named.business === null) return yield* new BusinessNotFound({ business: clip(business) })
  if (!operates(principal, business)) return yield* notOperator(business)
  return { business: named.business, facility: named.facility }
})

const operatedFacility = Effect.fnUntraced(function*(
  directory: DirectoryService,
  principal: Principal,
  business: string,
  slug: string
) {
  const { facility } = yield* operated(directory, principal, business, slug)
  if (facility === null) return yield* new FacilityNotFound({ business, facility: clip(slug) })
  return facility
})

const ofBusinesses = (directory: DirectoryService) => ({
  list: Effect.fn("Businesses.list")(function*(query: PageQuery, principal: Principal) {
    return yield* directory.list(yield* operatorScope(principal), namePage(query))
  }),

  get: Effect.fn("Businesses.get")(function*(slug: string, principal: Principal) {
    const { business } = yield* operated(directory, principal, slug)
    return business
  }),

  create: Effect.fn("Businesses.create")(function*({ slug, name }: BusinessInput, principal: Principal) {
    if (!operates(principal, everything)) return yield* notOperator(everything)
    yield* directory.create({ slug, name })
    return { slug, name }
  }),

  rename: Effect.fn("Businesses.rename")(function*(
    slug: string,
    { name }: RenameInput,
    principal: Principal
  ) {
    yield* operated(directory, principal, slug)
    yield* directory.rename({ slug, name })
    return { slug, name }
  })
})

const ofFacilities = (directory: DirectoryService) => ({
  listFacilities: Effect.fn("Businesses.listFacilities")(function*(
    business: string,
    query: PageQuery,
    principal: Principal
  ) {
    yield* operated(directory, principal, business)
    return yield* directory.facilities(business, namePage(query))
  }),

  getFacility: Effect.fn("Businesses.getFacility")(function*(
    business: string,
    slug: string,
    principal: Principal
  ) {
    return yield* operatedFacility(directory, principal, business, slug)
  }),

  createFacility: Effect.fn("Businesses.createFacility")(function*(
    business: string,
    { slug, name }: FacilityInput,
    principal: Principal
  ) {
    yield* operated(directory, principal, business)
    yield* directory.createFacility(business, { slug, name })
    return { slug, name }
  }),

  renameFacility: Effect.fn("Businesses.renameFacility")(function*(
    business: string,
    slug: string,
    { name }: RenameInput,
    principal: Principal
  ) {
    yield* operatedFacility(directory, principal, business, slug)
    yield* directory.renameFacility(business, { slug, name })
    return { slug, name }
  }),

  listDocks: Effect.fn("Businesses.listDocks")(function*(
    business: string,
    facility: string,
    query: PageQuery,
    principal: Principal
  ) {
    yield* operatedFacility(directory, principal, business, facility)
    const { items, next } = yield* directory.docks(business, facility, namePage(query))
    return { items: items.map((slug) => ({ slug })), next }
  }),

  createDock: Effect.fn("Businesses.createDock")(function*(
    business: string,
    facility: string,
    { slug }: DockInput,
    principal: Principal
  ) {
    yield* operatedFacility(directory, principal, business, facility)
    yield* directory.createDock(business, facility, slug)
    return { slug }
  })
})

const ofFieldMaps = (directory: DirectoryService) => ({
  fieldMap: Effect.fn("Businesses.fieldMap")(function*(business: string, principal: Principal) {
    yield* operated(directory, principal, business)
    const fields = yield* directory.fieldMap(business)
    return fields ?? (yield* new BusinessNotFound({ business }))
  }),

  setFieldMap: Effect.fn("Businesses.setFieldMap")(function*(
    business: string,
    fields: ReadonlyArray<MessageField>,
    principal: Principal
  ) {
    yield* operated(directory, principal, business)
    // The map is the whole body, so that what is at fault stands at [0].name rather than fieldMap[0].name.
    yield* Effect.fromResult(checkFieldMap(fields, ""))
    yield* directory.setFieldMap(business, fields)
    return fields
  })
})
