/**
 * Who has signed in, what they may see, and the facility that they look at.
 */
import { computed, signal } from "@preact/signals"
import type { ShownBusiness, ShownFacility, ShownSession } from "../sign-in/Places.ts"
import { send } from "./api/request.ts"
import { query, setQuery } from "./router.ts"

/** A facility with its business. */
export interface Place {
  readonly business: ShownBusiness
  readonly facility: ShownFacility
}

/** The session; `undefined` until it is known. */
export const session = signal<ShownSession | undefined>(undefined)

/** Asks the service who has signed in. */
export const loadSession = async (): Promise<void> => {
  session.value = await send("/session") as ShownSession
}

/** All facilities that may be seen. */
export const places = computed<ReadonlyArray<Place>>(() =>
  (session.value?.businesses ?? []).flatMap((business) =>
    business.facilities.map((facility) => ({ business, facility }))
  )
)

/** A facility in addresses: `acme/east`. */
export const slugOf = ({ business, facility }: Place): string => `${business.slug}/${facility.slug}`

const key = "dockline-place"

const remembered = signal(localStorage.getItem(key) ?? "")

/** The facility that the address names, else the last one looked at, else the first one. */
export const place = computed<Place | undefined>(() => {
  const find = (slug: string | null) => places.value.find((each) => slugOf(each) === slug)
  return find(query.value.get("at")) ?? find(remembered.value) ?? places.value[0]
})

/** Looks at a facility. */
export const choosePlace = (slug: string): void => {
  localStorage.setItem(key, slug)
  remembered.value = slug
  setQuery({ at: slug })
}
