/**
 * Who has signed in, what they may see, and the facility that they look at.
 */
import { computed, effect, signal } from "@preact/signals"
import type { ShownBusiness, ShownFacility, ShownSession } from "../sign-in/Places.ts"
import { Fault, send } from "./api/request.ts"
import { navigate, path, query, setQuery } from "./router.ts"

/** Which messages to follow: those of a facility, or of a whole business. */
export interface Followed {
  readonly business: string
  readonly facility?: string
}

export interface Place {
  readonly business: ShownBusiness
  readonly facility: ShownFacility
}

export const session = signal<ShownSession | undefined>(undefined)

/** Reads who has signed in; whoever comes for no thing of a facility, and has looked at none, begins at one, if it is said which. */
export const loadSession = async (firstFacility?: () => Promise<string>): Promise<void> => {
  const isNew = lastPlace.value === "" && !query.value.has("at") && !/\/\d/.test(path.value)
  const [answer, slug] = await Promise.all([
    send("/session") as Promise<ShownSession>,
    isNew ? firstFacility?.().catch(() => "") : undefined
  ])
  if (slug !== undefined) lastPlace.value = slug
  session.value = answer
}

const mostNamed = 100

/** Whether there may be businesses that the session does not name: they are written, not chosen. */
export const mayHaveMore = computed(() => (session.value?.businesses.length ?? 0) >= mostNamed)

export const places = computed<ReadonlyArray<Place>>(() =>
  (session.value?.businesses ?? []).flatMap((business) =>
    business.facilities.map((facility) => ({ business, facility }))
  )
)

/** Anything at a place whose slugs are known. */
export interface Named<Known = { readonly slug: string }> {
  readonly business: Known
  readonly facility: Known
}

/** A facility in addresses: `acme/east`. */
export const slugOf = ({ business, facility }: Named): string => `${business.slug}/${facility.slug}`

export const slugsOf = ({ business, facility }: Named) => ({
  business: business.slug,
  facility: facility.slug
})

/** The businesses that the session names, to choose among. */
export const businessOptions = () =>
  (session.value?.businesses ?? []).map(({ name, slug }) => [slug, name] as const)

/** The facilities of a business that the session names, to choose among. */
export const facilityOptions = (business: unknown) =>
  (session.value?.businesses.find(({ slug }) => slug === business)?.facilities ?? [])
    .map(({ name, slug }) => [slug, name] as const)

/** What the reader may do at a facility. */
export type Rights = Omit<ShownFacility, "slug" | "name" | "timeZone">

/** The rights where the facility is not known. */
export const noRights: Rights = {
  docks: [],
  messages: false,
  reports: false,
  steps: false,
  cancels: false,
  checksIn: false
}

/** The messages that tell of changes at a place; `undefined` where the reader may not read them. */
export const followedOf = (place: Place): Followed | undefined =>
  place.facility.messages ? slugsOf(place) : undefined

/** The messages that tell of changes of a thing at the facility that is looked at; `undefined` until it is known. */
export const followedWith = (thing: Named | undefined): Followed | undefined =>
  thing !== undefined && place.value?.facility.messages === true ? slugsOf(thing) : undefined

const key = "dockline-place"

const lastPlace = signal(localStorage.getItem(key) ?? "")

/** A facility that an address has named is the last one looked at. */
effect(() => {
  const businessName = query.value.get("at")
  if (places.value.some((each) => slugOf(each) === businessName)) lastPlace.value = businessName ?? ""
})

/** The address of a view of one thing, and the facility where that is. */
const thingPlace = signal({ path: "", slug: "" })

/** The facility that the address names, else the last one looked at, else one where something happens. */
export const place = computed<Place | undefined>(() => {
  const find = (slug: string | null) => places.value.find((each) => slugOf(each) === slug)
  const here = thingPlace.value.path === path.value ? thingPlace.value.slug : query.value.get("at")
  return find(here) ?? find(lastPlace.value) ?? places.value[0]
})

/** Waits for what the view at an address shows, and notes its facility; where there is none, fails with the message `missing`. */
export const thingAt = async <A extends Named>(
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

/** Switches to a facility; the view of a thing at another facility gives way to the list. */
export const choosePlace = (slug: string): void => {
  localStorage.setItem(key, slug)
  lastPlace.value = slug
  const list = /^\/(shipments|documents)\//.exec(path.value)?.[1]
  if (list === undefined) setQuery({ at: slug })
  else navigate(`/${list}?at=${slug}`)
}
