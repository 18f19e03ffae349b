import type { SendOptions, SessionRuntime, StartOptions } from '../../core/session/bridge-runtime';
import type { Ids } from '../../core/ports';
import { t } from '../language/text';
import { failureWords, notify } from '../ui/notify';

/** A session that a person starts, with its first prompt. */
interface FirstPrompt {
  readonly start: StartOptions;
  readonly text: string;
  readonly choice: Pick<SendOptions, 'agent' | 'model'>;
  /** the text of the notice on failure */
  readonly failureText: string;
  /** Called once, when the session exists. */
  readonly onStarted?: (sessionId: string) => void;
  /** Called when the prompt was accepted. */
  readonly onSent?: (sessionId: string) => void;
}

/**
 * Starts a session with its first prompt. If either step fails or gets no answer, a notice offers
 * another try; `repeat` keeps a step that did succeed from being done twice.
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
      if (!isShown) first.onStarted?.(sessionId);
      isShown = true;
      await runtime.send(sessionId, first.text, { ...first.choice, repeat });
      first.onSent?.(sessionId);
    } catch (error) {
      const retryButton = {
        label: t('common.tryAgain'),
        onClick: () => void attempt(),
        stays: true,
      };
      notify(failureWords(first.failureText, error), retryButton);
    }
  };
  await attempt();
}
