import '../json';
import * as z from 'zod/mini';

const made = new WeakMap<z.ZodMiniType, Readonly<Record<string, unknown>>>();

/**
 * A tool's input as JSON Schema. Cached for each form, since it is sent with every request to a
 * model.
 */
export function inputSchema(form: z.ZodMiniType): Readonly<Record<string, unknown>> {
  const known = made.get(form);
  if (known !== undefined) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(form, { io: 'input' });
  made.set(form, schema);
  return schema;
}
