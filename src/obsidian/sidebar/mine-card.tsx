import type { Mine } from '../model/mine';
import { Icon } from '../part/icon';
import { useName } from '../part/use-name';
import type { Intents } from './intents';

export type MineIntents = Pick<Intents, 'tick' | 'open'>;

/** A task that waits for the person: to be done, or to be approved. */
export function MineCard({
  mine,
  intents,
}: {
  readonly mine: Mine;
  readonly intents: MineIntents;
}) {
  const { board, task, why, title } = mine;
  const question = why === 'own' ? 'Your task' : 'Approve what was done?';
  const [named, name] = useName(`${question} ${task.title}`);
  return (
    <div class="atb-card" role="group" {...named}>
      {name}
      <Icon name={why === 'own' ? 'user-round' : 'circle-check'} />
      <div class="atb-card-body">
        <div>{task.title}</div>
        <div class="atb-card-text">
          {title} · {question}
        </div>
        <div class="atb-buttons">
          <button type="button" class="atb-button" onClick={() => intents.tick(board, task)}>
            {why === 'own' ? 'Mark done' : 'Approve'}
          </button>
          <button
            type="button"
            class="atb-button-quiet"
            onClick={() => intents.open(board, task, false)}
          >
            Open
          </button>
        </div>
      </div>
    </div>
  );
}
