interface Listener {
  readonly fn: (...data: unknown[]) => unknown;
  readonly ctx?: unknown;
}

/**
 * Calls each listener of an emitter of the mocks; one that throws hurts no other and shows as a
 * page error, as in the app.
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
