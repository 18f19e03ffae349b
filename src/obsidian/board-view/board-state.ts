import type { Ref } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import type { Intents } from '../board/intents';
import type { PickItem } from '../ui/dialog';
import type { ViewWithActions } from '../ui/view-actions';
import type { CurrentTask } from '../model/current-task';
import type { Changes, Overview, OverviewState } from '../model/overview';
import { NONE_SELECTED, type Selection } from '../model/selection';
import type { BoardPrefs, BoardPrefsStore } from './board-prefs';
import type { CardDrag } from './card-drag';
import type { BoardLayout, CardPlace, Column, Facet } from './columns';
import type { AddPlace } from './quick-add';

export interface BoardAppProps {
  readonly overview: Pick<Overview, 'state' | 'onChange' | 'pending'>;
  /** only if the board follows the other views */
  readonly current?: CurrentTask;
  readonly intents: Intents;
  readonly prefs: Pick<BoardPrefsStore, 'of' | 'keep'>;
  /** empty: all sessions */
  readonly session: string;
  readonly today: () => string;
  readonly phone: () => boolean;
  /** false if OpenCode can't run on this device */
  readonly canInstall: boolean;
  /** whether the board is embedded in a note, where it shows no banner about the connection */
  readonly inNote?: boolean;
  /** opens another session's plan; missing if there is none to switch to */
  readonly onSession?: (session: string) => void;
  /** Asks for a column's limit; resolves to the typed text, empty: none, undefined: unchanged. */
  readonly askLimit: (status: Column, now: number | undefined) => Promise<string | undefined>;
  /** Lets the person choose; resolves to undefined if nothing was chosen. */
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
  readonly handle?: Ref<ViewWithActions>;
}

/** Everything that the parts of a board work with. */
export interface BoardContext {
  readonly props: BoardAppProps;
  readonly state: OverviewState;
  readonly boards: readonly Board[];
  /** keeps its identity while the changes of `boards` are the same */
  readonly changes: Changes;
  readonly layout: BoardLayout;
  readonly counts: Readonly<Record<Facet, number>>;
  readonly prefs: BoardPrefs;
  readonly setPrefs: (part: Partial<BoardPrefs>) => void;
  readonly folded: ReadonlySet<string>;
  readonly ui: BoardUi;
  readonly setUi: SetBoardUi;
  readonly drop: (carry: CardDrag) => void;
}

/** State of one board while it is open. */
export interface BoardUi {
  /** id of the card that has the focus, or had it last */
  readonly stop: string | undefined;
  readonly picked: Selection;
  /** place of the card whose title is being edited; it stays there */
  readonly editing: CardPlace | undefined;
  readonly carry: CardDrag | undefined;
  readonly older: ReadonlySet<string>;
  readonly adding: AddPlace | undefined;
  /** number of times that the focus was sent to the cards */
  readonly gridFocusRequests: number;
  /** announcement for screen readers */
  readonly announcement: string;
}

export type SetBoardUi = (part: Partial<BoardUi>) => void;

export function useBoardUi(): readonly [BoardUi, SetBoardUi] {
  const [ui, setAll] = useState<BoardUi>({
    ...{ stop: undefined, picked: NONE_SELECTED, editing: undefined, carry: undefined },
    ...{ older: new Set<string>(), adding: undefined, gridFocusRequests: 0, announcement: '' },
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
