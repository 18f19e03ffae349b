import * as z from 'zod/mini';

/**
 * Must be imported before any schema is made: otherwise zod compiles objects with `new Function`,
 * which content security policies refuse.
 */
z.config({ jitless: true });

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Parses a JSON text; undefined if there is none, it is not JSON, or it does not fit the schema.
 */
export function jsonAs<S extends z.core.$ZodType>(
  schema: S,
  text: string | undefined,
): z.output<S> | undefined {
  const read = text === undefined ? undefined : z.safeParse(schema, parseJson(text));
  return read?.success === true ? read.data : undefined;
}

/** Whether a parsed JSON value is an object, and no array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
