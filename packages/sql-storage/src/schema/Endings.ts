/** LPNs as SQL compares them. */

/** The LPN of an item: core writes the key only where it is not the LPN itself (D22). */
export const itemLpn = (item: string): string => `coalesce(${item}.lpn_key, ${item}.lpn)`

/** The hash of an LPN by which an index finds it. */
export const lpnHash = (lpn: string): string => `dockline.lpn_hash(${lpn})`
