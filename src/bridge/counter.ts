/** Strings or numbers that this function never gives twice: 1, 2, 3…; with a prefix, `b1`, `b2`… */
export function counter(): () => number;
export function counter(prefix: string): () => string;
export function counter(prefix?: string): () => string | number {
  let last = 0;
  return () => (prefix === undefined ? ++last : `${prefix}${++last}`);
}
