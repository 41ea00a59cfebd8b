/**
 * Whose address a request comes from, for counting: of IPv6 whoever has one address has the 2^64 of its network too, and
 * would count anew with each of them.
 */

const mappedPattern = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** The network of an address as sockets write it: all of IPv4, mapped into IPv6 too, and the first 64 bits of IPv6. */
export const networkOf = (address: string): string => {
  const mapped = mappedPattern.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(":")) return address
  const [head = "", tail] = address.split("%", 1)[0]!.toLowerCase().split("::")
  const groupsOf = (text: string) => (text === "" ? [] : text.split(":"))
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  return `${[...first, ...Array<string>(zeros).fill("0"), ...last].slice(0, 4).join(":")}::/64`
}
