import { afterEach, test } from 'vitest';
import { startScriptedModel } from '../../workbench/demo/scripted-model';
import { goalAgents, runGoal } from './goal-scene';
import { serveOpencode } from './served-acp';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

test('[ACP12] agent-boards run leads a goal to done on opencode acp', async () => {
  const cast = goalAgents();
  const served = await serveOpencode(await startScriptedModel({ defaultDelayMs: 0, cast }));
  close = () => served.close();
  await runGoal(served.vault, cast);
});
