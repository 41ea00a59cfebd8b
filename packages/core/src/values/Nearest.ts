/**
 * Finds which known name a misspelt one was probably meant to be, for errors that ask “did you mean …?”.
 *
 * Guarantee: the work is bounded by the known names, however long the misspelt one is.
 */

/**
 * The known name nearest to a misspelt one, whatever the case of their letters; `undefined` where none is near enough. A
 * letter that is added, left out, replaced or swapped with its neighbour counts as one difference. A third of the
 * letters of the known name may differ, but at most two. Of several equally near names it is the first.
 */
export const nearest = (misspelt: string, known: Iterable<string>): string | undefined => {
  let found: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of known) {
    const most = Math.min(mostDifferences, Math.floor(name.length / 3))
    if (Math.abs(name.length - misspelt.length) > most) continue
    const differences = differencesOf(misspelt.toLowerCase(), name.toLowerCase())
    if (differences <= most && differences < least) {
      least = differences
      found = name
    }
  }
  return found
}

/** What an error says of a name that is not known: what it is not, as in “a field of a document”, and what to do. */
export const unknownName = (name: string, role: string, known: Iterable<string>): string => {
  const meant = nearest(name, known)
  return `is not ${role}; ${meant === undefined ? "check its spelling" : `did you mean ${meant}?`}`
}

const mostDifferences = 2

const differencesOf = (a: string, b: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY
      ))
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

const at = (row: ReadonlyArray<number>, column: number): number => row[column] ?? Number.POSITIVE_INFINITY
