import type { App } from 'obsidian';
import type { Board } from '../../core/board/task';
import { openForm } from '../settings/permissions/form-dialog';
import type { RunViewDeps } from './run-deps';
import { StartForm } from './start-form';

/** Asks for a goal and starts a run. @returns its id; undefined where none was started */
export function startForm(
  app: App,
  deps: RunViewDeps,
  plan: Board | undefined,
): Promise<string | undefined> {
  const title = plan === undefined ? 'Start run' : `Run ${plan.title}`;
  return openForm<string>(app, title, (done) => (
    <StartForm {...{ deps, plan }} start={(wish, on) => deps.runs.start(wish, on)} onDone={done} />
  ));
}
