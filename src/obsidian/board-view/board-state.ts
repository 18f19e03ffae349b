import type { Ref } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import type { Intents } from '../board/intents';
import type { PickItem } from '../ui/dialog';
import type { ActingView } from '../ui/view-actions';
import type { CurrentTask } from '../model/current-task';
import type { Overview, OverviewState } from '../model/overview';
import { NONE_SELECTED, type Selection } from '../model/selection';
import type { BoardPrefs, BoardPrefsStore } from './board-prefs';
import type { CardCarry } from './carry';
import type { BoardLayout, CardPlace, Column } from './columns';

export interface BoardAppProps {
  readonly overview: Pick<Overview, 'state' | 'onChange' | 'pending'>;
  /** where it follows the other views */
  readonly current?: CurrentTask;
  readonly intents: Intents;
  readonly prefs: Pick<BoardPrefsStore, 'of' | 'keep'>;
  /** empty: all sessions */
  readonly session: string;
  readonly today: () => string;
  readonly phone: () => boolean;
  /** false where there is no OpenCode to connect to */
  readonly canInstall: boolean;
  /** stands in a note, which says nothing of the connection */
  readonly inNote?: boolean;
  /** without it there is no other plan to show */
  readonly onSession?: (session: string) => void;
  /** The new limit of a column as it was typed, empty for none; undefined: as before. */
  readonly askLimit: (status: Column, now: number | undefined) => Promise<string | undefined>;
  /** Asks which of several; undefined: none. */
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
  readonly handle?: Ref<ActingView>;
}

/** Everything that the parts of a board act on. */
export interface BoardContext {
  readonly props: BoardAppProps;
  readonly state: OverviewState;
  readonly boards: readonly Board[];
  readonly layout: BoardLayout;
  readonly prefs: BoardPrefs;
  readonly setPrefs: (part: Partial<BoardPrefs>) => void;
  readonly folded: ReadonlySet<string>;
  readonly ui: BoardUi;
  readonly setUi: SetBoardUi;
  readonly drop: (carry: CardCarry) => void;
}

/** What one board remembers for itself while it is open. */
export interface BoardUi {
  /** the card that has the keyboard, or had it last */
  readonly stop: string | undefined;
  readonly picked: Selection;
  /** the card whose title is being typed stays where it is */
  readonly editing: CardPlace | undefined;
  readonly carry: CardCarry | undefined;
  readonly older: ReadonlySet<string>;
  readonly adding: AddPlace | undefined;
  /** how often the keyboard was sent to the cards */
  readonly toGrid: number;
  /** what screen readers are told */
  readonly said: string;
}

/** Where a task that is typed goes. */
export interface AddPlace {
  readonly kind: 'end' | 'after' | 'under' | 'phase';
  /** id of the card that it goes after or under */
  readonly card?: string | undefined;
  readonly phase?: string;
  /** differs each time that the field is asked for */
  readonly asked: number;
}

export type SetBoardUi = (part: Partial<BoardUi>) => void;

export function useBoardUi(): readonly [BoardUi, SetBoardUi] {
  const [ui, setAll] = useState<BoardUi>({
    ...{ stop: undefined, picked: NONE_SELECTED, editing: undefined, carry: undefined },
    ...{ older: new Set<string>(), adding: undefined, toGrid: 0, said: '' },
  });
  const setUi = useCallback((part: Partial<BoardUi>) => {
    setAll((now) => {
      const keys = Object.keys(part) as (keyof BoardUi)[];
      return keys.every((key) => now[key] === part[key]) ? now : { ...now, ...part };
    });
  }, []);
  return [ui, setUi];
}

export function toggled(ids: readonly string[], id: string): string[] {
  return ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
}
