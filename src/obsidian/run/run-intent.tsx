import type { RunAction } from '../../core/orchestrator/event';
import type { RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/state';
import type { Undo } from '../../core/ports';
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useReducer } from 'preact/hooks';
import { Button } from '../ui/icon';

/** What a person can do about a run, by a button, a key, a menu or a command. */
export type RunIntent =
  | { readonly kind: 'act'; readonly action: RunAction }
  /** asks how, and why; `task` undefined: asks which */
  | { readonly kind: 'skip'; readonly task?: string }
  /** asks which, where several wait for it */
  | { readonly kind: 'retry' }
  /** takes the person's word, after a question */
  | { readonly kind: 'mark_done'; readonly task: string; readonly title: string }
  /** asks what should be otherwise */
  | { readonly kind: 'replan' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'take_up' }
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'roll_back'; readonly n?: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'connect' }
  | { readonly kind: 'review'; readonly session: string }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'board'; readonly task?: string | null }
  /** one of the person's own tasks */
  | { readonly kind: 'tick'; readonly task: string | null }
  | { readonly kind: 'note' }
  | { readonly kind: 'replay' };

/** A button that does it. The first of several is the one that most want. */
export interface RunIntentButton {
  readonly label: string;
  readonly deed: RunIntent;
  /** drawn without a frame: the lesser choice */
  readonly quiet?: boolean;
}

export function openSession(session: string): RunIntentButton {
  return { label: 'Open conversation', deed: { kind: 'session', session }, quiet: true };
}

/** What the first button and the key P do. */
interface Play {
  readonly icon: 'play' | 'pause';
  readonly label: string;
  readonly deed: RunIntent;
}

const PAUSE: Play = {
  ...{ icon: 'pause', label: 'Pause run' },
  deed: { kind: 'act', action: { type: 'pause' } },
};

const RESUME: Play = {
  ...{ icon: 'play', label: 'Resume run' },
  deed: { kind: 'act', action: { type: 'resume' } },
};

const APPROVE: Play = {
  ...{ icon: 'play', label: 'Approve plan and run' },
  deed: { kind: 'act', action: { type: 'approve' } },
};

/** Undefined where the run is over, or waits for something that a button here can't give. */
export function playOf({ state }: Pick<RunView, 'state'>): Play | undefined {
  switch (state.kind) {
    case 'going':
      return state.stage.kind === 'approving' ? APPROVE : PAUSE;
    case 'paused':
      return RESUME;
    case 'waiting':
      return state.why.some(canResume) ? RESUME : undefined;
    case 'idle':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return undefined;
  }
}

/** Whether the person's word alone has the run try again. */
function canResume(why: WaitReason): boolean {
  if (why.kind === 'limit') return why.limit === 'no_progress';
  return why.kind === 'plan' || why.kind === 'board';
}

/** What is shown from the person's word on until a run has taken it. */
export const DOING_WORDS: Readonly<Record<RunAction['type'], string>> = {
  approve: 'Approving…',
  replan: 'Asking for another plan…',
  pause: 'Pausing…',
  resume: 'Resuming…',
  interrupt: 'Stopping the turns…',
  skip: 'Skipping…',
  retry: 'Trying again…',
  mark_done: 'Marking done…',
  more: 'Adding…',
  finish: 'Finishing…',
  cancel: 'Cancelling…',
  rolled_back: 'Rolling back…',
};

export const GOING_BACK = 'Rolling back…';

export const TAKING_UP = 'Taking it over…';

/** Whether a deed changes the run: it waits while another one is under way. What ends or stops never does. */
export function waitsItsTurn(deed: RunIntent): boolean {
  switch (deed.kind) {
    case 'act':
      return !STOPS.has(deed.action.type);
    case 'skip':
    case 'retry':
    case 'mark_done':
    case 'replan':
    case 'take_up':
    case 'checkpoint':
    case 'roll_back':
      return true;
    case 'finish':
    case 'cancel':
    case 'start':
    case 'connect':
    case 'review':
    case 'session':
    case 'board':
    case 'tick':
    case 'note':
    case 'replay':
      return false;
  }
}

const STOPS: ReadonlySet<RunAction['type']> = new Set(['cancel', 'finish', 'interrupt']);

/** What the person asked of runs and is not done yet, so that views show it at once. */
export class UnderWay {
  readonly #doing = new Map<string, readonly string[]>();
  readonly #listeners = new Set<() => void>();

  /** What is being done to a run, as in `Going back…`; undefined where nothing is. */
  of(run: string): string | undefined {
    return this.#doing.get(run)?.at(-1);
  }

  /** Called when something begins or is over. */
  onChange(listener: () => void): Undo {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** @param words for the person, as long as the task is not over */
  async during<T>(run: string, words: string, task: () => Promise<T>): Promise<T> {
    this.#put(run, [...(this.#doing.get(run) ?? []), words]);
    try {
      return await task();
    } finally {
      const left = [...(this.#doing.get(run) ?? [])];
      left.splice(left.indexOf(words), 1);
      this.#put(run, left);
    }
  }

  #put(run: string, doing: readonly string[]): void {
    if (doing.length === 0) this.#doing.delete(run);
    else this.#doing.set(run, doing);
    for (const listener of [...this.#listeners]) listener();
  }
}

/** What is being done to the run that is shown; undefined where nothing is. */
export const UnderWayContext = createContext<string | undefined>(undefined);

/** What is being done to a run, kept up to date. */
export function useDoing(under: UnderWay, run: string | undefined): string | undefined {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => under.onChange(() => draw(undefined)), [under]);
  return run === undefined ? undefined : under.of(run);
}

/** The buttons of a card or of the head. */
export function RunButtons(props: {
  readonly buttons: readonly RunIntentButton[];
  /** the first is the one thing to do in this view */
  readonly primary?: boolean;
  readonly onDo: (deed: RunIntent) => void;
}) {
  const doing = useContext(UnderWayContext);
  if (props.buttons.length === 0) return null;
  return (
    <div class="atb-buttons">
      {props.buttons.map((button, at) => (
        <Button
          key={button.label}
          kind={buttonKind(button, at === 0 && props.primary === true)}
          words={button.label}
          disabled={doing !== undefined && waitsItsTurn(button.deed)}
          onClick={() => props.onDo(button.deed)}
        />
      ))}
    </div>
  );
}

function buttonKind({ quiet }: RunIntentButton, primary: boolean): 'quiet' | 'primary' | 'plain' {
  if (quiet === true) return 'quiet';
  return primary ? 'primary' : 'plain';
}
