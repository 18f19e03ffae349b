import * as z from 'zod/mini';

/**
 * Must be imported before any schema is created: otherwise zod compiles objects with `new
 * Function`, which content policies (and the app's store review) refuse.
 */
z.config({ jitless: true });
