/** A URL or path without slashes at its end, so that paths can be appended. */
export const withoutSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}
