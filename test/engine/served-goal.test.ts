import { afterEach, test } from 'vitest';
import { startScriptedModel } from '../../workbench/demo/scripted-model';
import { goalAgents, runGoal } from './goal-scene';
import { serveOn } from './served-model';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

test('[ENGINE12] agent-boards run leads a goal to done; a task whose check fails is done again', async () => {
  const cast = goalAgents();
  const model = await startScriptedModel({ defaultDelayMs: 0, cast });
  const served = await serveOn(model, { args: ['--model', 'script'] });
  close = () => served.close();
  await runGoal(served.vault, cast);
});
