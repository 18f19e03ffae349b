/** The result of the work, or undefined after so many ms: a hang is reported instead of blocking. */
export async function withTimeout<T>(work: Promise<T>, ms = 20_000): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
