/** What was waited for, or undefined after so many ms: what hangs shall be told, not hang. */
export async function patiently<T>(work: Promise<T>, ms = 20_000): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
