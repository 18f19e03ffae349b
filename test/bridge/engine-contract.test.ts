import { engineContract, type EngineRun } from './engine-contract';
import { OPENCODE_KIND } from './opencode-kind';
import { startRun, type Run } from './opencode-run';

engineContract('OpenCode', {
  ...OPENCODE_KIND,
  start: async () => asEngine(await startRun({ config: { permission: { bash: 'ask' } } })),
});

function asEngine(run: Run): EngineRun {
  const restart = async (): Promise<EngineRun> => {
    await run.opencode.kill();
    return asEngine(await run.again());
  };
  return { ...run, restart };
}
