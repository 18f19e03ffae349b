/** Identifies this page to the server; a reload gets a new id. */
export const PAGE_ID = crypto.randomUUID();
