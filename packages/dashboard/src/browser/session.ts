/**
 * Who has signed in, what they may see, and the facility that they look at.
 */
import { computed, effect, signal } from "@preact/signals"
import type { ShownBusiness, ShownFacility, ShownSession } from "../sign-in/Places.ts"
import type { Followed } from "./api/live.ts"
import { send } from "./api/request.ts"
import { navigate, path, query, setQuery } from "./router.ts"

export interface Place {
  readonly business: ShownBusiness
  readonly facility: ShownFacility
}

/** The session; `undefined` until it is known. */
export const session = signal<ShownSession | undefined>(undefined)

export const loadSession = async (): Promise<void> => {
  session.value = await send("/session") as ShownSession
}

/** As many businesses as a session names. */
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

/** The messages that tell of changes at a place; `undefined` where the reader may not read them. */
export const followedOf = (place: Place): Followed | undefined =>
  place.facility.messages ? slugsOf(place) : undefined

const key = "dockline-place"

const remembered = signal(localStorage.getItem(key) ?? "")

/** A facility that an address has named is the last one looked at. */
effect(() => {
  const named = query.value.get("at")
  if (places.value.some((each) => slugOf(each) === named)) remembered.value = named ?? ""
})

/** The address of a view of one thing, and the facility where that is. */
const located = signal({ path: "", slug: "" })

/** The facility that the address names, else the last one looked at, else the first one. */
export const place = computed<Place | undefined>(() => {
  const find = (slug: string | null) => places.value.find((each) => slugOf(each) === slug)
  const here = located.value.path === path.value ? located.value.slug : query.value.get("at")
  return find(here) ?? find(remembered.value) ?? places.value[0]
})

/** Notes the facility of the thing that the view at an address shows. */
export const locate = (path: string, at: Named): void => {
  located.value = { path, slug: slugOf(at) }
}

/** Switches to a facility; the view of a thing at another facility gives way to the list. */
export const choosePlace = (slug: string): void => {
  localStorage.setItem(key, slug)
  remembered.value = slug
  const list = /^\/(shipments|documents)\//.exec(path.value)?.[1]
  if (list === undefined) setQuery({ at: slug })
  else navigate(`/${list}?at=${slug}`)
}
