import { engineContract, type EngineRun } from './engine-contract';
import { OPENCODE_KIND } from './opencode-kind';
import { startRun, type OpencodeRun } from './opencode-run';

engineContract('OpenCode', {
  ...OPENCODE_KIND,
  start: async () => asEngine(await startRun({ config: { permission: { bash: 'ask' } } })),
});

function asEngine(run: OpencodeRun): EngineRun {
  const restart = async (): Promise<EngineRun> => {
    await run.opencode.kill();
    return asEngine(await run.restart());
  };
  return { ...run, restart };
}
