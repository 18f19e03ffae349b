import * as z from 'zod/mini';

/** Imported before any schema is made: zod else compiles objects with `new Function`, which content policies refuse. */
z.config({ jitless: true });
