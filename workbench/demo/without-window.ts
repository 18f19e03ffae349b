import type { Run } from './prepare';
import type { Result } from './result';

/**
 * Plays without a window and cleans up. Never throws: errors are part of the result.
 * @param fallback the result if it could not be played at all
 */
export async function playWithoutWindow<R extends Run, T>(
  run: R,
  play: (run: R) => Promise<T>,
  fallback: T,
): Promise<T & Pick<Result, 'ok' | 'errors'>> {
  const { faults, cleanup } = run;
  const outcome = await play(run).catch((error: unknown) => {
    faults.addError('The demo could not run', error);
    return fallback;
  });
  await cleanup.run();
  return { ok: faults.all.length === 0, ...outcome, errors: faults.all };
}
