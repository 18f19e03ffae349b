import { Banner } from '../ui/banner';
import type { ShownGraph } from './graph-canvas';
import { cycleWords } from './graph-words';
import type { Dependency } from './plan-drawing';
import { t } from '../language/text';

/** Notices about the plan that a person should read before the graph. */
export function GraphBanners(props: {
  readonly shown: ShownGraph;
  readonly tooMany: boolean;
  readonly onRemove: (edge: Dependency) => void;
  readonly onChoose: () => void;
}) {
  const { drawing, editable, titleOf } = props.shown;
  const waits = drawing.tasks.some(({ task }) => task.dependsOn.length > 0);
  return (
    <>
      {drawing.cycles.map(({ way, edges }) => (
        <Banner
          key={way.join()}
          icon="refresh-cw"
          tone="error"
          label={t('graph.tasksWaitForEachOther')}
          title={cycleWords(way, titleOf)}
          text=""
          buttons={edges.map((edge) => ({
            label: t('graph.letTaskNotWaitForOn', {
              task: titleOf(edge.task),
              on: titleOf(edge.on),
            }),
            disabled: !editable,
            onClick: () => props.onRemove(edge),
          }))}
        />
      ))}
      {props.tooMany && (
        <Banner
          icon="layers"
          label={t('graph.tooManyTasksToDraw')}
          title={t('graph.tooMany', { count: drawing.tasks.length })}
          text=""
          buttons={[{ label: t('graph.chooseATask'), onClick: props.onChoose }]}
        />
      )}
      {!waits && drawing.tasks.length > 0 && (
        <Banner
          icon="workflow"
          label={t('graph.noDependenciesYet')}
          title={t('graph.noDependenciesText')}
          text=""
          buttons={[]}
        />
      )}
      {drawing.tasks.length + drawing.folded.length === 0 && (
        <Banner
          icon="workflow"
          label={t('boardView.noTasksYet')}
          title={t('graph.noTasksText')}
          text=""
          buttons={[]}
        />
      )}
    </>
  );
}
