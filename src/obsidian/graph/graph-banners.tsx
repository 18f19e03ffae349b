import { Banner } from '../ui/banner';
import type { GraphShown } from './graph-canvas';
import { cycleWords } from './graph-words';
import type { Dependency } from './plan-drawing';

/** What a person should know of the plan before they read the graph. */
export function GraphBanners(props: {
  readonly shown: GraphShown;
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
          label="Tasks wait for each other"
          title={cycleWords(way, titleOf)}
          text=""
          buttons={edges.map((edge) => ({
            label: `Let ${titleOf(edge.task)} not wait for ${titleOf(edge.on)}`,
            disabled: !editable,
            onClick: () => props.onRemove(edge),
          }))}
        />
      ))}
      {props.tooMany && (
        <Banner
          icon="layers"
          label="Too many tasks to draw"
          title={`${drawing.open.toLocaleString('en')} tasks are too many to draw. They are listed by wave.`}
          text=""
          buttons={[{ label: 'Choose a task…', onClick: props.onChoose }]}
        />
      )}
      {!waits && drawing.tasks.length > 0 && (
        <Banner
          icon="workflow"
          label="No dependencies yet"
          title="No dependencies yet. Drag from one task to another, or press D."
          text=""
          buttons={[]}
        />
      )}
      {drawing.tasks.length + drawing.folded.length === 0 && (
        <Banner
          icon="workflow"
          label="No tasks yet"
          title="No tasks yet. Add one, or ask the agent to plan."
          text=""
          buttons={[]}
        />
      )}
    </>
  );
}
