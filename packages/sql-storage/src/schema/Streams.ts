/** The place of a row in a list with the newest first (`list_place`). */
export const placeOf = (time: string, id: string): string => `dockline.list_place(${time}, ${id})`
