/**
 * Makes a value when it is first asked for, and gives the same one from then on. For what is dear to make
 * and may never be needed, above all schemas: making them all was most of what loading a program cost.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
