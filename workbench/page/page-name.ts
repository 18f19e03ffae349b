/** This page among all that the server serves; a page that is loaded again is another one. */
export const PAGE = crypto.randomUUID();
