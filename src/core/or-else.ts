import * as z from 'zod/mini';

/** A form that gives `value` where what it reads is missing or of another form. */
export function orElse<T extends z.ZodMiniType>(form: T, value: z.output<T>): z.ZodMiniCatch<T> {
  // As `z.catch`, which leads to all helpers of zod, so that a bundle would have them.
  const made = new z.ZodMiniCatch({ type: 'catch', innerType: form, catchValue: () => value });
  return made as unknown as z.ZodMiniCatch<T>;
}
