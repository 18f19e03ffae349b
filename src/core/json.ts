import * as z from 'zod/mini';

/** Imported before any schema is made: zod else compiles objects with `new Function`, which content policies refuse. */
z.config({ jitless: true });

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What a JSON text says; undefined where there is none, or it is nothing of the schema. */
export function jsonAs<S extends z.core.$ZodType>(
  schema: S,
  text: string | undefined,
): z.output<S> | undefined {
  const read = text === undefined ? undefined : z.safeParse(schema, parseJson(text));
  return read?.success === true ? read.data : undefined;
}
