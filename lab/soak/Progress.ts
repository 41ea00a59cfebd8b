/** The progress of a long run: the finished part, its rate, and the time for the rest. */

/** A length of time for people: `42 s`, `7 min 03 s`, `2 h 05 min`. */
export const duration = (seconds: number): string => {
  const whole = Math.round(seconds)
  const two = (value: number) => String(value).padStart(2, "0")
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`
}

/** The finished number, the total, and the seconds so far. */
export interface Done {
  readonly done: number
  readonly of: number
  readonly seconds: number
}

/** One line of progress. */
export const line = ({ done, of, seconds }: Done): string => {
  const rate = done / Math.max(seconds, 0.001)
  const share = Math.floor((100 * done) / of)
  const left = done === 0 ? "" : `, ${duration((of - done) / rate)} left`
  return `${done.toLocaleString("en")} of ${of.toLocaleString("en")} histories (${share} %), ${
    rate.toFixed(1)
  } a second${left}`
}
