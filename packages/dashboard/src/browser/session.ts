/**
 * The session: the person or client who has signed in, their permissions, and the facility of the present page.
 */
import { computed, effect, signal } from "@preact/signals"
import type { SessionBusiness, SessionFacility, SessionView } from "../sign-in/Places.ts"
import { Fault, send } from "./api/request.ts"
import { navigate, path, query, setQuery } from "./router.ts"

/** The messages to follow: those of a facility, or of a whole business. */
export interface MessageSource {
  readonly business: string
  readonly facility?: string
}

export interface Place {
  readonly business: SessionBusiness
  readonly facility: SessionFacility
}

export const session = signal<SessionView | undefined>(undefined)

/** Reads the session. Without a facility or an entity in the address, and without a last facility, begins at `firstFacility`. */
export const loadSession = async (firstFacility?: () => Promise<string>): Promise<void> => {
  const isNew = lastPlace.value === "" && !query.value.has("at") && !/\/\d/.test(path.value)
  const [answer, slug] = await Promise.all([
    send("/session") as Promise<SessionView>,
    isNew ? firstFacility?.().catch(() => "") : undefined
  ])
  if (slug !== undefined) lastPlace.value = slug
  session.value = answer
}

const mostNamed = 100

/** Whether the session may leave out some businesses. If so, readers type the slug of a business instead of choosing it. */
export const mayHaveMore = computed(() => (session.value?.businesses.length ?? 0) >= mostNamed)

export const places = computed<ReadonlyArray<Place>>(() =>
  (session.value?.businesses ?? []).flatMap((business) =>
    business.facilities.map((facility) => ({ business, facility }))
  )
)

/** The business and the facility of an entity. */
export interface PlaceNames<Name = { readonly slug: string }> {
  readonly business: Name
  readonly facility: Name
}

/** A facility in addresses: `acme/east`. */
export const slugOf = ({ business, facility }: PlaceNames): string => `${business.slug}/${facility.slug}`

export const slugsOf = ({ business, facility }: PlaceNames) => ({
  business: business.slug,
  facility: facility.slug
})

/** The businesses of the session, as options. */
export const businessOptions = () =>
  (session.value?.businesses ?? []).map(({ name, slug }) => [slug, name] as const)

/** The facilities of a business in the session, as options. */
export const facilityOptions = (business: unknown) =>
  (session.value?.businesses.find(({ slug }) => slug === business)?.facilities ?? [])
    .map(({ name, slug }) => [slug, name] as const)

/** The permissions of the reader at a facility. */
export type Rights = Omit<SessionFacility, "slug" | "name" | "timeZone">

/** The permissions at an unknown facility. */
export const noRights: Rights = {
  docks: [],
  messages: false,
  reports: false,
  steps: false,
  cancels: false,
  checksIn: false
}

/** The messages about changes at a facility; `undefined` if the reader may not read them. */
export const messagesOf = (place: Place): MessageSource | undefined =>
  place.facility.messages ? slugsOf(place) : undefined

/** The messages about changes of an entity; `undefined` until it is loaded, or if the reader may not read messages at its facility. */
export const messagesAbout = (thing: PlaceNames | undefined): MessageSource | undefined =>
  thing !== undefined && place.value?.facility.messages === true ? slugsOf(thing) : undefined

const key = "dockline-place"

const lastPlace = signal(localStorage.getItem(key) ?? "")

/** If the session has the facility in the address, it becomes the last facility. */
effect(() => {
  const slug = query.value.get("at")
  if (places.value.some((each) => slugOf(each) === slug)) lastPlace.value = slug ?? ""
})

/** The address of a view of one entity, with the entity's facility. */
const thingPlace = signal({ path: "", slug: "" })

/** The facility of the entity on the page, or else of the address, or else the last facility, or else the first one of the session. */
export const place = computed<Place | undefined>(() => {
  const find = (slug: string | null) => places.value.find((each) => slugOf(each) === slug)
  const here = thingPlace.value.path === path.value ? thingPlace.value.slug : query.value.get("at")
  return find(here) ?? find(lastPlace.value) ?? places.value[0]
})

/** Waits for the entity of the view at an address, and stores its facility; fails with the message `missing` if it does not exist. */
export const thingAt = async <A extends PlaceNames>(
  path: string,
  answer: Promise<A | null>,
  missing: string
): Promise<A> => {
  const thing = await answer.catch((error) => {
    if (!(error instanceof Fault) || !error.code.endsWith("_NOT_FOUND")) throw error
    return null
  })
  if (thing === null) throw new Fault(missing, "NOT_FOUND")
  thingPlace.value = { path, slug: slugOf(thing) }
  return thing
}

/** Switches to a facility. On the page of a shipment or a document, the list of the facility replaces the page. */
export const choosePlace = (slug: string): void => {
  localStorage.setItem(key, slug)
  lastPlace.value = slug
  const list = /^\/(shipments|documents)\//.exec(path.value)?.[1]
  if (list === undefined) setQuery({ at: slug })
  else navigate(`/${list}?at=${slug}`)
}
