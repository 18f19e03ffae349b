import { SearchField } from '../ui/fields';
import { Icon, IconButton } from '../ui/icon';
import type { GraphToggles, PlanDrawing } from './plan-drawing';
import { t } from '../language/text';

interface ToolbarChange {
  readonly toggles?: GraphToggles;
  readonly list?: boolean;
  readonly find?: string;
}

/** The toggles of the graph, search and zoom. */
export function GraphToolbar(props: {
  readonly drawing: PlanDrawing;
  readonly toggles: GraphToggles;
  readonly asList: boolean;
  /** the plan is too large for anything but a list */
  readonly tooMany: boolean;
  readonly find: string;
  /** keys of the tasks that match */
  readonly found: readonly string[];
  readonly selected: string | undefined;
  readonly scale: number;
  readonly onChange: (part: ToolbarChange) => void;
  readonly onGoTo: (key: string) => void;
  readonly onZoom: (by: 'in' | 'out' | 'fit') => void;
  readonly onExport: () => void;
  readonly onKeys: () => void;
}) {
  const { drawing, toggles, asList, onChange, onZoom } = props;
  const toggle = (name: keyof GraphToggles, words: string, icon?: string) => (
    <button
      type="button"
      class="atb-graph-toggle"
      aria-pressed={toggles[name]}
      onClick={() => onChange({ toggles: { ...toggles, [name]: !toggles[name] } })}
    >
      {icon !== undefined && <Icon name={icon} />}
      {words}
    </button>
  );
  return (
    <div class="atb-graph-bar" role="toolbar" aria-label={t('graph.graph')}>
      {toggle('critical', t('boardView.criticalPath'), 'route')}
      {!asList && toggle('waves', t('graph.waves'))}
      {toggle('finished', t('graph.finishedTasks'))}
      {drawing.cancelled > 0 &&
        toggle('cancelled', t('graph.cancelledCount', { cancelled: drawing.cancelled }))}
      {!props.tooMany && (
        <button
          type="button"
          class="atb-graph-toggle"
          aria-pressed={asList}
          onClick={() => onChange({ list: !asList })}
        >
          <Icon name="list-tree" />
          {t('graph.list')}
        </button>
      )}
      <span class="atb-graph-space" />
      <Find {...props} />
      {!asList && (
        <span class="atb-graph-zoom">
          <IconButton icon="zoom-out" label={t('graph.zoomOut')} onClick={() => onZoom('out')} />
          <span
            aria-label={t('graph.zoom')}
            role="status"
          >{`${Math.round(props.scale * 100)}%`}</span>
          <IconButton icon="zoom-in" label={t('graph.zoomIn')} onClick={() => onZoom('in')} />
          <IconButton icon="maximize" label={t('graph.showAll')} onClick={() => onZoom('fit')} />
        </span>
      )}
      <IconButton icon="download" label={t('board.exportGraph')} onClick={props.onExport} />
      <IconButton icon="keyboard" label={t('app.keysOfThisView')} wideOnly onClick={props.onKeys} />
    </div>
  );
}

/** The search field. Enter goes to the next match. */
function Find(props: Parameters<typeof GraphToolbar>[0]) {
  const { find, found, selected, onChange, onGoTo } = props;
  const onKey = ({ key }: KeyboardEvent): boolean => {
    if (key !== 'Escape' && key !== 'Enter') return false;
    const next = found[(found.indexOf(selected ?? '') + 1) % found.length];
    const to = key === 'Enter' ? next : selected;
    if (to !== undefined) onGoTo(to);
    return true;
  };
  return (
    <>
      <SearchField
        class="atb-graph-find"
        value={find}
        label={t('graph.findATask')}
        onText={(text) => onChange({ find: text })}
        onKey={onKey}
      />
      <span class="atb-unseen" role="status">
        {find === '' ? '' : t('graph.found', { count: found.length })}
      </span>
    </>
  );
}
