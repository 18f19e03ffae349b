import type { RefObject } from 'preact';
import { SearchField } from '../ui/fields';
import { Icon, IconButton } from '../ui/icon';
import type { Anchor } from '../ui/menu';
import { FACETS, type Facet } from './columns';
import { figure, t } from '../language/text';

const FACET_ICONS: Readonly<Partial<Record<Facet, string>>> = {
  mine: 'user-round',
  critical: 'route',
  risk: 'triangle-alert',
};

function FacetIcon({ facet }: { readonly facet: Facet }) {
  const icon = FACET_ICONS[facet];
  return icon === undefined ? null : <Icon name={icon} />;
}

/** The chip that pressing another one releases, since both together would match nothing. */
const OPPOSITE_FACET: Readonly<Partial<Record<Facet, Facet>>> = {
  ready: 'waiting',
  waiting: 'ready',
};

/** Toggles a facet in the list of pressed ones. */
export function toggledFacets(facets: readonly Facet[], facet: Facet): Facet[] {
  if (facets.includes(facet)) return facets.filter((one) => one !== facet);
  return [...facets.filter((one) => one !== OPPOSITE_FACET[facet]), facet];
}

/** The bar above the columns: filter, plan and lanes, undo and redo. */
export function FilterBar(props: {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly filter: string;
  readonly facets: readonly Facet[];
  readonly counts: Readonly<Record<Facet, number>>;
  /** number of matches while some cards are hidden, for screen readers */
  readonly found: string;
  readonly lanes: string;
  readonly session: string;
  /** how many tasks are selected; empty: at most one */
  readonly selected: string;
  readonly onFilter: (text: string) => void;
  readonly onFacet: (facet: Facet) => void;
  readonly onLanes: (anchor: Anchor) => void;
  /** undefined if there is no other plan to show */
  readonly onSession: ((anchor: Anchor) => void) | undefined;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  /** Called when the person leaves the field. */
  readonly onLeave: () => void;
}) {
  const onKey = (event: KeyboardEvent): boolean => {
    event.stopPropagation();
    if (event.key !== 'Escape' && event.key !== 'Enter') return false;
    props.onLeave();
    return true;
  };
  return (
    <div class="atb-board-bar" role="toolbar" aria-label={t('boardView.board')}>
      <SearchField
        class="atb-board-search"
        field={props.field}
        value={props.filter}
        label={t('common.filterTasks')}
        onText={props.onFilter}
        onKey={onKey}
      />
      <span class="atb-unseen" role="status">
        {props.found}
      </span>
      {FACETS.map((facet) => (
        <button
          key={facet}
          type="button"
          class="atb-chip"
          data-facet={facet}
          aria-pressed={props.facets.includes(facet)}
          onClick={() => props.onFacet(facet)}
        >
          {facet === 'changed' && <span class="atb-dot" aria-hidden="true" />}
          <FacetIcon facet={facet} />
          <span>
            {t(`facets.${facet}`)} {figure(props.counts[facet])}
          </span>
        </button>
      ))}
      <span class="atb-board-bar-end">
        <span class="atb-board-selected">{props.selected}</span>
        <Choice name={t('boardView.lanes')} value={props.lanes} onChoose={props.onLanes} />
        {props.onSession !== undefined && (
          <Choice name={t('boardView.session')} value={props.session} onChoose={props.onSession} />
        )}
        <IconButton icon="undo-2" label={t('app.undoBoardChange')} onClick={props.onUndo} />
        <IconButton icon="redo-2" label={t('app.redoBoardChange')} onClick={props.onRedo} />
      </span>
    </div>
  );
}

/** A button that shows the current choice and opens the menu of choices. */
function Choice(props: {
  readonly name: string;
  readonly value: string;
  readonly onChoose: (anchor: Anchor) => void;
}) {
  return (
    <button
      type="button"
      class="atb-choice"
      aria-haspopup="menu"
      onClick={(event) => props.onChoose(event.currentTarget)}
    >
      <span class="atb-choice-name">{props.name}</span>{' '}
      <span class="atb-choice-value">{props.value}</span>
      <Icon name="chevron-down" />
    </button>
  );
}
