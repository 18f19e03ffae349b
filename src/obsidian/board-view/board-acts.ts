import type { ViewActions } from '../ui/view-actions';
import { askLimit, laneMoves } from './board-menus';
import { toggled, type BoardContext } from './board-state';
import { columnWord, FACETS, LANE_KINDS, laneWord, laneOf, type Column } from './columns';
import { toggledFacets } from './filter-bar';
import { allColumns, shownColumns } from './lanes';
import { boardSessions, isWritable } from './shown-boards';
import { t } from '../language/text';

/** Actions on a board as a whole; a picker asks which board if several are possible. */
export function boardViewActs(context: BoardContext, stop: string | undefined): ViewActions {
  const { props, prefs, setPrefs, layout, state } = context;
  const writable = context.boards.filter(isWritable);
  const { filter, facets } = prefs;
  const pick = async <T>(
    words: string,
    choices: readonly (readonly [string, T])[],
    run: (value: T) => unknown,
  ) => {
    const items = choices.map(([text, value]) => ({ text, value }));
    const chosen = await props.pick(items, words);
    if (chosen !== undefined) await run(chosen);
  };
  const { onSession } = props;
  const sessions = boardSessions(state).map(({ id, title }) => [title, id] as const);
  const columns = (all: readonly Column[]) => all.map((one) => [columnWord(one), one] as const);
  return {
    ...((filter !== '' || facets.length > 0) && {
      'clear-filter': () => setPrefs({ filter: '', facets: [] }),
    }),
    'change-lanes': () =>
      pick(
        t('boardView.lanesBy'),
        LANE_KINDS.map((kind) => [laneWord(kind), kind] as const),
        (lanes) => setPrefs({ lanes }),
      ),
    ...(onSession && {
      'choose-session': () =>
        pick(t('boardView.showWhichPlan'), [[t('boardView.allPlans'), ''], ...sessions], onSession),
    }),
    'filter-by': () =>
      pick(
        t('boardView.showOnlyWhichTasks'),
        FACETS.map(
          (facet) =>
            [
              t('boardView.facetCount', {
                facet: t(`facets.${facet}`),
                count: context.counts[facet],
              }),
              facet,
            ] as const,
        ),
        (facet) => setPrefs({ facets: toggledFacets(facets, facet) }),
      ),
    ...(writable.length > 0 && {
      'choose-reviews': () => props.intents.chooseReviews(writable),
    }),
    'set-limit': () =>
      pick(t('boardView.limitOfWhichColumn'), columns(allColumns(layout)), (at) =>
        askLimit(context, at),
      ),
    ...(!props.phone() && {
      'toggle-column': () =>
        pick(
          t('boardView.openOrFoldWhichColumn'),
          columns(shownColumns(layout, { opened: [], column: 'pending' }, false).strips),
          (status) => setPrefs({ opened: toggled(prefs.opened, status) as Column[] }),
        ),
    }),
    ...olderActs(context),
    ...laneActs(context, stop, pick),
  };
}

function olderActs({ layout, ui, setUi }: BoardContext): ViewActions {
  const cells = layout.lanes.flatMap(({ items }) =>
    [...items.values()].flatMap((all) =>
      all.flatMap(({ kind, id }) => (kind === 'older' ? [id.slice(id.indexOf('\n') + 1)] : [])),
    ),
  );
  if (cells.length === 0) return {};
  return { 'show-older': () => setUi({ older: new Set([...ui.older, ...cells]) }) };
}

type PickAndRun = <T>(
  words: string,
  choices: readonly (readonly [string, T])[],
  run: (value: T) => unknown,
) => Promise<void>;

function laneActs(context: BoardContext, stop: string | undefined, pick: PickAndRun): ViewActions {
  const { layout, prefs, setPrefs } = context;
  if (prefs.lanes === 'none') return {};
  const card = stop === undefined ? undefined : layout.byId.get(stop);
  const lane = layout.lanes.find(({ id }) => card && id === laneOf(card, prefs.lanes));
  const moves = lane && laneMoves(context, lane);
  return {
    ...(layout.lanes.length > 0 && {
      'fold-lane': () =>
        pick(
          t('boardView.foldOrUnfoldWhichLane'),
          layout.lanes.map(({ id, title }) => [title, id] as const),
          (id) => setPrefs({ toggled: toggled(prefs.toggled, id) }),
        ),
    }),
    ...(moves?.up && { 'move-lane-up': moves.up }),
    ...(moves?.down && { 'move-lane-down': moves.down }),
  };
}
