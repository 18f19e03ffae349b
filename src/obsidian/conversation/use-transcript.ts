import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Undo } from '../../core/ports';
import type { Transcripts } from '../../core/session/transcript/transcripts';

/** The part of `Transcripts` that views use. */
export type TranscriptSource = Pick<Transcripts, 'get' | 'onChange' | 'loadOlder'>;

/**
 * A session's transcript, redrawn at most once per frame however fast it grows, and not at all
 * while `shown` returns false; missed changes are drawn when `look` is called.
 */
export function useTranscript(
  source: TranscriptSource,
  sessionId: string,
  frames: Pick<FrameQueue, 'add'>,
  shown: () => boolean,
) {
  const [transcript, setTranscript] = useState(() => source.get(sessionId));
  const isShown = useRef(shown);
  isShown.current = shown;
  const refresh = () => setTranscript(source.get(sessionId));
  useLayoutEffect(() => {
    refresh();
    let cancelDraw: Undo = () => undefined;
    const draw = () => {
      if (isShown.current()) refresh();
    };
    const undo = source.onChange(sessionId, () => {
      cancelDraw = frames.add(draw);
    });
    return () => {
      undo();
      cancelDraw();
    };
  }, [source, sessionId, frames]);
  return { transcript, look: refresh };
}

/**
 * Longest ms between frames that are in time at 60 per second, and shortest of those that are late.
 */
const [IN_TIME, LATE] = [18, 22];

/** Most views drawn in one frame. */
const MAX_DRAWS_PER_FRAME = 64;

/**
 * Decides which views draw in which frame. All waiting views draw in the next one as long as frames are in
 * time. If frames are late, fewer draw in each, the longest waiting first, so that scrolling and typing
 * stay smooth however much arrives at once.
 */
export class FrameQueue {
  private readonly waiting = new Set<() => void>();
  private batch = MAX_DRAWS_PER_FRAME;
  private last: number | undefined;
  private isScheduled = false;

  /** @param request calls its argument once, before the next frame, with the frame's time in ms */
  constructor(private readonly request: (frame: (now: number) => void) => unknown = nextFrame) {}

  /** Schedules one drawing in one of the next frames, however often it is added before then. */
  add(draw: () => void): Undo {
    this.waiting.add(draw);
    this.schedule();
    return () => void this.waiting.delete(draw);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.request((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.isScheduled = false;
    const took = this.last === undefined ? 0 : now - this.last;
    if (took > LATE) this.batch = Math.max(1, this.batch * 0.6);
    // A small batch grows slowly: otherwise, where only few views fit a frame, every seventh frame
    // would be late again.
    else if (took < IN_TIME)
      this.batch = Math.min(MAX_DRAWS_PER_FRAME, this.batch + Math.min(0.1, this.batch * 0.02));
    const turn = [...this.waiting].slice(0, Math.floor(this.batch));
    for (const draw of turn) this.waiting.delete(draw);
    for (const draw of turn) draw();
    // The time between frames counts only if they follow one another.
    const goesOn = turn.length > 0;
    this.last = goesOn ? now : undefined;
    if (goesOn) this.schedule();
  }
}

/** ms after which a frame is drawn that the main window does not ask for, as it is minimised. */
const LATEST_FRAME = 250;

/** A conversation may be in another window than the main one, which may be minimised. */
function nextFrame(draw: (now: number) => void): void {
  const timer = window.setTimeout(() => {
    window.cancelAnimationFrame(frame);
    draw(performance.now());
  }, LATEST_FRAME);
  const frame = window.requestAnimationFrame((now) => {
    window.clearTimeout(timer);
    draw(now);
  });
}
