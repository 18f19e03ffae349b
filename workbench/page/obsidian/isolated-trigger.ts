interface Listener {
  readonly fn: (...data: unknown[]) => unknown;
  readonly ctx?: unknown;
}

/**
 * Calls each listener of a mock's emitter. An error in one does not affect the others and is
 * reported as a page error, as in the app.
 */
export function triggerIsolated(emitter: object, name: string, data: readonly unknown[]): void {
  const { _: listeners } = emitter as { _: Record<string, readonly Listener[] | undefined> };
  for (const { fn, ctx } of [...(listeners[name] ?? [])]) {
    try {
      fn.apply(ctx, [...data]);
    } catch (error) {
      reportError(error);
    }
  }
}
