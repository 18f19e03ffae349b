import { afterEach, test } from 'vitest';
import { startScriptedModel } from '../../workbench/demo/scripted-model';
import { goalAgents, runGoal } from '../engine/goal-scene';
import { startStockOn } from './stock-opencode';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

test('[OCHTTP1] on a stock server agent-boards run leads a goal to done, its sessions on its board', async () => {
  const cast = goalAgents();
  const run = await startStockOn(await startScriptedModel({ defaultDelayMs: 0, cast }));
  close = () => run.close();
  await runGoal(run.vault, cast);
});
