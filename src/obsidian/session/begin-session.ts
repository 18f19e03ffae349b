import type { SendOptions, SessionRuntime, StartOptions } from '../../core/session/bridge-runtime';
import type { Ids } from '../../core/ports';
import { t } from '../language/text';
import { failureWords, notify } from '../ui/notify';

/** A session that a person starts, and what is said first in it. */
interface FirstPrompt {
  readonly start: StartOptions;
  readonly text: string;
  readonly choice: Pick<SendOptions, 'agent' | 'model'>;
  /** what the person is told where it failed */
  readonly failed: string;
  /** The session is there. Called once. */
  readonly started?: (sessionId: string) => void;
  /** Its prompt was taken. */
  readonly sent?: (sessionId: string) => void;
}

/**
 * Starts a session with its first prompt. Where one of both failed, or was not answered, the person can try
 * again: what was done by then is found, and not done twice.
 */
export async function beginSession(
  { runtime, ids }: { readonly runtime: SessionRuntime; readonly ids: Ids },
  first: FirstPrompt,
): Promise<void> {
  const repeat = ids.unique();
  let isShown = false;
  const attempt = async (): Promise<void> => {
    try {
      const { sessionId } = await runtime.start({ ...first.start, repeat });
      if (!isShown) first.started?.(sessionId);
      isShown = true;
      await runtime.send(sessionId, first.text, { ...first.choice, repeat });
      first.sent?.(sessionId);
    } catch (error) {
      const again = { label: t('common.tryAgain'), onClick: () => void attempt(), stays: true };
      notify(failureWords(first.failed, error), again);
    }
  };
  await attempt();
}
