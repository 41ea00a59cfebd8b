/**
 * Reads the header `Retry-After` of other servers (RFC 9110, 10.2.3).
 *
 * Guarantee: the result is never sooner than the server requests. Seconds may have a fraction, which proxies write although the RFC
 * has none. If two proxies have each added the header, the longest time counts.
 */

/** Whether the header counts in an answer of this status. */
export const saysWhen = (status: number | null): boolean => status === 429 || status === 503

const seconds = /^(?:\d+(?:\.\d*)?|\.\d+)$/

/** The seconds that a server requests, as a whole number; `undefined` for a past date and for other text. */
export const retryAfterSeconds = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  const parts = text.split(",").map((part) => part.trim())
  if (parts.every((part) => seconds.test(part))) return Math.ceil(Math.max(...parts.map(Number)))
  const date = httpDate(text, now)
  return date === undefined || date <= now ? undefined : Math.ceil((date - now) / 1000)
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** The date forms of RFC 9110: the current form, the form with a two-digit year, and the form of asctime. */
const dateForms = [
  /^[A-Z][a-z]{2}, (?<day>\d{1,2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{1,2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) +(?<day>\d{1,2}) (?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) (?<year>\d{4})$/
]

const httpDate = (text: string, now: number): number | undefined => {
  const groups = dateForms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (groups === undefined) return undefined
  const { month = "", year = "", ...numbers } = groups
  const [day, hour, minute, second] = ["day", "hour", "minute", "second"].map((name) => Number(numbers[name]))
  const at = new Date(Date.UTC(fullYear(year, now), months.indexOf(month), day!))
  // A second may be the sixtieth: a leap second (RFC 9110, 5.6.7).
  const isDate = months.includes(month) && at.getUTCDate() === day && hour! < 24 && minute! < 60 &&
    second! <= 60
  return isDate ? at.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000 : undefined
}

/** A two-digit year is at most 50 years ahead, and otherwise in the past (RFC 9110, 5.6.7). */
const fullYear = (year: string, now: number): number => {
  if (year.length === 4) return Number(year)
  const current = new Date(now).getUTCFullYear()
  const near = current - (current % 100) + Number(year)
  return near > current + 50 ? near - 100 : near
}
