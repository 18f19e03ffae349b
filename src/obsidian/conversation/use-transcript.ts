import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Undo } from '../../core/ports';
import type { Transcript } from '../../core/session/transcript/transcript';

/** Where transcripts come from. */
export interface TranscriptSource {
  get(sessionId: string): Transcript;
  onChange(sessionId: string, listener: (transcript: Transcript) => void): Undo;
  /** Asks OpenCode for older messages; rejects with a sentence where it can't give them. */
  loadOlder(sessionId: string): Promise<void>;
}

/** Brings drawings into frames. */
export interface Frames {
  add(draw: () => void): Undo;
}

/**
 * A session's transcript, drawn at most once per frame however fast it grows, and not at all while
 * `shown` says that nobody can see it: what came meanwhile is drawn when `look` is called.
 */
export function useTranscript(
  source: TranscriptSource,
  sessionId: string,
  frames: Frames,
  shown: () => boolean,
): { readonly transcript: Transcript; readonly look: () => void } {
  const [transcript, setTranscript] = useState(() => source.get(sessionId));
  const seen = useRef(shown);
  seen.current = shown;
  const look = () => setTranscript(source.get(sessionId));
  useLayoutEffect(() => {
    look();
    let undraw: Undo = () => undefined;
    const draw = () => {
      if (seen.current()) look();
    };
    const undo = source.onChange(sessionId, () => {
      undraw = frames.add(draw);
    });
    return () => {
      undo();
      undraw();
    };
  }, [source, sessionId, frames]);
  return { transcript, look };
}
