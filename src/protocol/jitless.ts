import * as z from 'zod/mini';

/**
 * Imported before any schema is made: zod else compiles objects with `new Function`, which content
 * policies (and the app's store review) refuse.
 */
z.config({ jitless: true });
