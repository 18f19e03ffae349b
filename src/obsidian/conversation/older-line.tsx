import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { TranscriptSource } from './use-transcript';

/** px from the top at which older messages are asked for. */
const NEAR_TOP = 600;

/** Above the oldest message: asks for older ones as the view comes near, and says how that goes. */
export function OlderLine(props: {
  readonly source: TranscriptSource;
  readonly sessionId: string;
  readonly older: boolean;
  /** nothing is known of the session: it is asked for at once */
  readonly empty: boolean;
  readonly online: boolean;
  readonly scroller: RefObject<HTMLElement | null>;
}) {
  const { source, sessionId, older, empty, online, scroller } = props;
  const [state, setState] = useState<'rest' | 'loading' | { readonly fault: string }>('rest');
  // What is still empty after an answer has nothing: asking again would never end.
  const [asked, setAsked] = useState(false);
  const wants = online && (older || (empty && !asked)) && state === 'rest';
  const load = () => {
    setState('loading');
    setAsked(true);
    source.loadOlder(sessionId).then(
      () => setState('rest'),
      (error: unknown) => setState({ fault: error instanceof Error ? error.message : '' }),
    );
  };
  useLayoutEffect(() => {
    setState('rest');
    setAsked(false);
  }, [sessionId, online]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!wants || element === null) return undefined;
    const look = () => {
      if (element.clientHeight > 0 && (empty || element.scrollTop < NEAR_TOP)) load();
    };
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => element.removeEventListener('scroll', look);
  }, [wants, empty, sessionId]);
  if (state === 'loading') return <p class="atb-talk-note">Loading older messages</p>;
  if (typeof state === 'object') {
    return (
      <p class="atb-talk-note">
        Older messages were not loaded. {state.fault}{' '}
        <button type="button" class="atb-button-quiet" onClick={load}>
          Try again
        </button>
      </p>
    );
  }
  return older && !online ? (
    <p class="atb-talk-note">Older messages come when OpenCode is back.</p>
  ) : null;
}
