/** The first `most` characters of a client's text, and `…` if it is longer. Control characters and invisible characters are escaped. */
export const clip = (text: string, most = 100): string => {
  const excerpt = text.length > most ? `${text.slice(0, most)}…` : text
  return excerpt.toWellFormed().replaceAll(
    // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
    /[\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
}

/** A client's name for use in a message: clipped by {@link clip}, and in quotes if its ends would be invisible. */
export const nameText = (name: string): string => {
  const text = clip(name, 1024)
  return text === "" || text.trim() !== text ? `"${text}"` : text
}

/** A URL or path without slashes at its end, so that paths can be appended. */
export const withoutSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}
