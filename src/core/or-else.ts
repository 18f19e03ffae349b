import * as z from 'zod/mini';

/** A schema that returns `value` if the input is missing or invalid. */
export function orElse<T extends z.ZodMiniType>(form: T, value: z.output<T>): z.ZodMiniCatch<T> {
  // Like `z.catch`, which would pull all helpers of zod into the bundle.
  const made = new z.ZodMiniCatch({ type: 'catch', innerType: form, catchValue: () => value });
  return made as unknown as z.ZodMiniCatch<T>;
}
