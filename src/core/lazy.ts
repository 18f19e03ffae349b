/**
 * Creates a value on first use and caches it. For expensive values that may never be needed, above
 * all schemas: creating them all took most of the time of loading a program.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
